package org.parley.wireup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.parley.JobException;
import org.parley.config.Options;
import org.parley.transport.Interfaces;
import org.parley.transport.JobSecret;
import org.parley.transport.TransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job that no launcher started: its rank 0 keeps the rendezvous, at {@code tcp:HOST:PORT}, or
 * wherever it likes and says so in a file that all can read, {@code file:/path}. The processes belong
 * to somebody else, so a failure is told to the program and ends none of them.
 */
final class AtRankZero implements Meeting {
    private static final Logger LOG = LoggerFactory.getLogger(AtRankZero.class);
    static final String TCP = "tcp:";
    static final String FILE = "file:";

    /** It becomes part of a folder's name. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}");

    private static final int CONNECT_MILLIS = 2000;

    /** Ranks do not start at one time; after this, whoever looks on should know what is waited for. */
    private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final String rendezvous;
    private final String job;
    private final int rank;
    private final int size;
    private final boolean isOneMachine;
    private final Path tokenFile;
    private final RendezvousFile file;
    private final Path folder;
    private JobSecret secret;
    private volatile String trouble = "";

    /**
     * Prepares to meet, on this machine's part of the job.
     *
     * @param tokenFile the job's token, or null: the rendezvous file carries one
     */
    AtRankZero(
            final String rendezvous,
            final String job,
            final int rank,
            final int size,
            final boolean isOneMachine,
            final Path tokenFile) {
        if (!NAME.matcher(job).matches()) {
            throw new JobException("PARLEY_JOB=" + job + " is no name of up to 64 letters, digits, '-', '_' and '.'");
        }
        this.rendezvous = rendezvous;
        this.job = job;
        this.rank = rank;
        this.size = size;
        this.isOneMachine = isOneMachine;
        this.tokenFile = tokenFile;
        this.file = rendezvous.startsWith(FILE)
                ? new RendezvousFile(Path.of(rendezvous.substring(FILE.length())), job)
                : null;
        if (file == null) {
            address();
        }
        this.folder = JobFolder.join(job);
    }

    /** Returns what a stranger says is its job's name, fit to be read. */
    static String shown(final String job) {
        return NAME.matcher(job).matches() ? job : "of no possible name";
    }

    private InetSocketAddress address() {
        final String text = rendezvous.substring(TCP.length());
        final int colon = text.lastIndexOf(':');
        final String host = colon < 1 ? "" : text.substring(0, colon).replaceAll("^\\[|]$", "");
        try {
            final int port = Integer.parseInt(text.substring(colon + 1));
            if (!host.isEmpty() && port > 0 && port <= 0xffff) {
                return new InetSocketAddress(host, port);
            }
        } catch (final NumberFormatException e) {
            // Said below.
        }
        throw new JobException("PARLEY_RENDEZVOUS=" + rendezvous + " is not of the form tcp:HOST:PORT");
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public void open(final Options options) {
        if (rank != 0) {
            return;
        }
        if (file == null) {
            final InetSocketAddress address = address();
            if (address.isUnresolved()) {
                throw new JobException(
                        "PARLEY_RENDEZVOUS=" + rendezvous + ": there is no host " + address.getHostName());
            }
            new RankZero(job, size, List.of(address), Token.read(tokenFile), options);
            return;
        }
        final JobSecret made = tokenFile == null ? JobSecret.create() : Token.read(tokenFile);
        final RankZero root = new RankZero(job, size, addresses(options), made, options);
        file.write(root.addresses(), tokenFile == null ? made : null);
    }

    private List<InetSocketAddress> addresses(final Options options) {
        try {
            return Interfaces.choose(
                            Interfaces.ofThisMachine(),
                            options.isKnown(Interfaces.OPTION) ? options.text(Interfaces.OPTION) : "",
                            isOneMachine)
                    .stream()
                    .map(address -> new InetSocketAddress(address, 0))
                    .toList();
        } catch (final TransportException e) {
            throw new JobException(e.getMessage(), e);
        }
    }

    @Override
    public SocketChannel connect(final BooleanSupplier isAwaited) throws IOException {
        long sayAt = System.nanoTime() + SAY_NANOS;
        String said = "";
        while (isAwaited.getAsBoolean()) {
            try {
                final List<InetSocketAddress> candidates;
                if (file == null) {
                    candidates = List.of(address());
                    secret = Token.read(tokenFile);
                } else {
                    final RendezvousFile.Content content = file.read();
                    candidates = content.addresses();
                    secret = tokenFile == null ? content.secret() : Token.read(tokenFile);
                }
                return connect(candidates);
            } catch (final IOException e) {
                trouble = e.getMessage();
            }
            if (System.nanoTime() - sayAt > 0 && !trouble.equals(said)) {
                sayAt = System.nanoTime() + SAY_NANOS;
                said = trouble;
                LOG.warn("rank {} of job {} is still looking for rank 0: {}", rank, job, trouble);
            }
            LockSupport.parkNanos(RETRY_NANOS);
        }
        throw new IOException("nobody waits for it any more");
    }

    /** Calls one after the other: some may be of networks that lead nowhere from here. */
    private static SocketChannel connect(final List<InetSocketAddress> candidates) throws IOException {
        String tried = "";
        for (final InetSocketAddress candidate : candidates) {
            final SocketChannel channel = SocketChannel.open();
            try {
                channel.socket().connect(candidate, CONNECT_MILLIS);
                return channel;
            } catch (final IOException e) {
                channel.close();
                tried += (tried.isEmpty() ? "" : "; ") + text(candidate) + ": " + e.getMessage();
            }
        }
        throw new IOException(tried);
    }

    private static String text(final SocketAddress address) {
        return address.toString().replaceFirst("^.*/", "");
    }

    @Override
    public JobSecret secret() {
        return secret;
    }

    @Override
    public String trouble() {
        return trouble;
    }

    @Override
    public boolean ownsProcess() {
        return false;
    }

    @Override
    public String toString() {
        return "rank 0 at " + rendezvous;
    }
}
