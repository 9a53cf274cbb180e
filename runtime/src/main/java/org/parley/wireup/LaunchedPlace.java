package org.parley.wireup;

import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.parley.JobException;
import org.parley.PeerFailedException;
import org.parley.config.Options;

/**
 * A rank that a launcher started, or whose variables somebody set: {@code PARLEY_RANK}, {@code
 * PARLEY_SIZE}, {@code PARLEY_LOCAL_RANK}, {@code PARLEY_LOCAL_SIZE}, {@code PARLEY_JOB}, {@code
 * PARLEY_RENDEZVOUS}, {@code PARLEY_TOKEN_FILE}. Its line to the launcher stays until the process
 * ends, also when it has left the job, so that it never outlives the launcher.
 */
public final class LaunchedPlace implements Place {
    /** How {@code PARLEY_RENDEZVOUS} names a socket of this machine. */
    static final String UNIX = "unix:";

    private static final String RANK = "PARLEY_RANK";

    /** SIGTERM's: the rank ends because it is to end, not by a fault of its own. */
    private static final int ORPHAN_CODE = 143;

    /** The launcher names who is missing; a rank gives up by itself only if it does not. */
    private static final long LAUNCHER_FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int rank;
    private final int size;
    private final int localRank;
    private final int localSize;
    private final String job;
    private final Path folder;
    private final Options options;
    private final long timeout;
    private final ControlLink link;
    private WaitFile waitFile;

    private LaunchedPlace(final Map<String, String> environment, final Options options) {
        this.size = number(environment, "PARLEY_SIZE", 1, Integer.MAX_VALUE);
        this.rank = number(environment, RANK, 0, size - 1);
        this.localSize = number(environment, "PARLEY_LOCAL_SIZE", 1, size);
        this.localRank = number(environment, "PARLEY_LOCAL_RANK", 0, localSize - 1);
        this.job = required(environment, "PARLEY_JOB");
        this.folder = JobFolder.of(job);
        this.options = options;
        this.timeout = options.number(Options.WIREUP_TIMEOUT) + LAUNCHER_FIRST_NANOS;
        final SocketAddress address = address(required(environment, "PARLEY_RENDEZVOUS"));
        final Path tokenFile = Path.of(required(environment, "PARLEY_TOKEN_FILE"));
        if (!Files.isDirectory(folder)) {
            throw new JobException("PARLEY_JOB="
                    + job
                    + " has no folder "
                    + folder
                    + ": the job has ended, or it is of another user or machine");
        }
        // It joins while this thread opens the transports; exchange() waits for it.
        this.link = new ControlLink(address, tokenFile, rank, size, this::endOrphan);
        reportExceptionsOf(Thread.currentThread());
    }

    /** Whether the environment names a rank. */
    public static boolean isLaunched() {
        return System.getenv(RANK) != null;
    }

    /**
     * Joins the job that the environment names.
     *
     * @param options the options in force, which all ranks must have alike
     * @throws JobException if a variable is missing or wrong, or the launcher refuses, and why
     */
    public static Place join(final Options options) {
        return new LaunchedPlace(System.getenv(), options);
    }

    /** Returns the folder of the job that the environment names, or null. */
    public static Path folderOfJob() {
        final String name = System.getenv("PARLEY_JOB");
        return isLaunched() && name != null ? JobFolder.of(name) : null;
    }

    private static String required(final Map<String, String> environment, final String name) {
        final String value = environment.get(name);
        if (value == null || value.isEmpty()) {
            throw new JobException(RANK
                    + " is set but "
                    + name
                    + " is not: start ranks by parley run, or set all"
                    + " of the job's variables");
        }
        return value;
    }

    private static int number(
            final Map<String, String> environment, final String name, final int least, final int most) {
        final String value = required(environment, name);
        try {
            final int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // Said below, with the range.
        }
        throw new JobException(name + "=" + value + " is no number from " + least + " to " + most);
    }

    private static SocketAddress address(final String text) {
        if (text.startsWith(UNIX)) {
            return UnixDomainSocketAddress.of(text.substring(UNIX.length()));
        }
        throw new JobException("PARLEY_RENDEZVOUS=" + text + " is not of the form " + UNIX + "/path");
    }

    /**
     * A rank whose main thread ends by an exception tells the launcher of what, and exits 1, also
     * while other threads of its program run.
     */
    private void reportExceptionsOf(final Thread thread) {
        final Thread.UncaughtExceptionHandler usual = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, what) -> {
            if (!link.isStopping()) {
                usual.uncaughtException(where, what);
                link.send(new ControlFrame.Builder(ControlFrame.DIED)
                        .number(blamed(what))
                        .text(String.valueOf(what))
                        .build());
            }
            System.exit(1);
        });
    }

    private void endOrphan() {
        // CHECKSTYLE.OFF: NoConsole the process ends now, and whoever looks must see why.
        System.err.println("parley: rank " + rank + " stops: its launcher is gone");
        Runtime.getRuntime().halt(ORPHAN_CODE);
    }

    private static int blamed(final Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < 20; depth++) {
            if (at instanceof PeerFailedException peer) {
                return peer.rank();
            }
            at = at.getCause();
        }
        return -1;
    }

    @Override
    public String job() {
        return job;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int localRank() {
        return localRank;
    }

    @Override
    public int localSize() {
        return localSize;
    }

    @Override
    public boolean sharesCores() {
        return link.sharesCores();
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public String host(final int other) {
        return link.host(other);
    }

    @Override
    public byte[][] exchange(final byte[] mine) {
        link.awaitWelcome(timeout);
        waitFile = WaitFile.create(folder, rank);
        link.send(new ControlFrame.Builder(ControlFrame.CONTRIBUTE)
                .text(options.fingerprint())
                .bytes(mine)
                .build());
        return link.awaitEverybody(timeout);
    }

    @Override
    public void listen(final News news) {
        link.listen(news);
    }

    @Override
    public void waiting(final String what) {
        waitFile.write(what);
    }

    @Override
    public void leave() {
        link.send(ControlFrame.empty(ControlFrame.LEFT));
    }

    @Override
    public void abort(final int code, final String why) {
        link.send(new ControlFrame.Builder(ControlFrame.ABORT)
                .number(code)
                .text(why)
                .build());
        System.exit(code == 0 ? 1 : code);
    }

    /** The line stays: see the class. */
    @Override
    public void close() {
        // A rank that did not leave is noticed when its process ends.
    }
}
