package org.parley.wireup;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.parley.JobException;
import org.parley.config.Options;
import org.parley.transport.JobSecret;

/** {@code unix:/path}: a socket of the launcher, or of its agent on this machine, in the job's folder. */
final class AtLauncher implements Meeting {
    static final String SCHEME = "unix:";

    /** The launcher starts its ranks before it listens, so a short wait is part of the start. */
    private static final long LISTEN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final SocketAddress address;
    private final Path folder;
    private final Path tokenFile;

    AtLauncher(final String rendezvous, final String job, final Path tokenFile) {
        final String socket = rendezvous.substring(SCHEME.length());
        this.address = UnixDomainSocketAddress.of(socket);
        this.folder = folderOf(rendezvous);
        this.tokenFile = tokenFile;
        if (!Files.isDirectory(folder)) {
            throw new JobException("PARLEY_JOB="
                    + job
                    + " has no folder "
                    + folder
                    + ": the job has ended, or it is of another user or machine");
        }
    }

    /** Returns the folder that a rendezvous of this kind is in. */
    static Path folderOf(final String rendezvous) {
        return Path.of(rendezvous.substring(SCHEME.length())).toAbsolutePath().getParent();
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public void open(final Options options) {
        // The launcher does.
    }

    @Override
    public SocketChannel connect(final BooleanSupplier isAwaited) throws IOException {
        for (final long began = System.nanoTime(); ; ) {
            try {
                return SocketChannel.open(address);
            } catch (final IOException e) {
                if (System.nanoTime() - began > LISTEN_NANOS) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    @Override
    public JobSecret secret() {
        return Token.read(tokenFile);
    }

    @Override
    public String trouble() {
        return "";
    }

    @Override
    public boolean ownsProcess() {
        return true;
    }

    @Override
    public String toString() {
        return "the launcher at " + address;
    }
}
