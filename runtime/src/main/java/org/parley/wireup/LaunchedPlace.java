package org.parley.wireup;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.parley.JobException;
import org.parley.PeerFailedException;
import org.parley.config.Options;
import org.parley.transport.JobSecret;

/**
 * A rank that a launcher started, or whose variables somebody set: {@code PARLEY_RANK}, {@code
 * PARLEY_SIZE}, {@code PARLEY_LOCAL_RANK}, {@code PARLEY_LOCAL_SIZE}, {@code PARLEY_JOB}, {@code
 * PARLEY_RENDEZVOUS}, {@code PARLEY_TOKEN_FILE}. Its line to the launcher stays until the process
 * ends, also when it has left the job, so that it never outlives the launcher. In a job without a launcher rank 0 takes
 * its part, and no process is ended.
 */
public final class LaunchedPlace implements Place {
    private static final String RANK = "PARLEY_RANK";
    private static final String JOB = "PARLEY_JOB";
    private static final String RENDEZVOUS = "PARLEY_RENDEZVOUS";
    private static final String TOKEN_FILE = "PARLEY_TOKEN_FILE";

    /** SIGTERM's: the rank ends because it is to end, not by a fault of its own. */
    private static final int ORPHAN_CODE = 143;

    /** The launcher names who is missing; a rank gives up by itself only if it does not. */
    private static final long LAUNCHER_FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Of the process, as its environment is. */
    private static final AtomicBoolean HAS_JOINED = new AtomicBoolean();

    private final int rank;
    private final int size;
    private final int localSize;
    private final String job;
    private final Meeting meeting;
    private final Path folder;
    private Options options;
    private long timeout;
    private final ControlLink link;
    private WaitFile waitFile;

    /** By rank, where no launcher knows them. */
    private volatile String[] hosts;

    LaunchedPlace(final Map<String, String> environment) {
        this.size = number(environment, "PARLEY_SIZE", 1, Integer.MAX_VALUE);
        this.rank = number(environment, RANK, 0, size - 1);
        this.localSize = number(environment, "PARLEY_LOCAL_SIZE", 1, size);
        // Not used here but by programs; a wrong one is an error all the same.
        number(environment, "PARLEY_LOCAL_RANK", 0, localSize - 1);
        this.job = required(environment, JOB);
        this.meeting = meeting(environment);
        this.folder = meeting.folder();
        this.link = new ControlLink(meeting, job, rank, size, this::endOrphan);
        if (meeting.ownsProcess()) {
            reportExceptionsOf(Thread.currentThread());
        }
    }

    private Meeting meeting(final Map<String, String> environment) {
        final String rendezvous = required(environment, RENDEZVOUS);
        final boolean isFile = rendezvous.startsWith(AtRankZero.FILE);
        final String token = isFile ? environment.get(TOKEN_FILE) : required(environment, TOKEN_FILE);
        final Path tokenFile = token == null || token.isEmpty() ? null : Path.of(token);
        if (rendezvous.startsWith(AtLauncher.SCHEME)) {
            return new AtLauncher(rendezvous, job, tokenFile);
        }
        if (isFile || rendezvous.startsWith(AtRankZero.TCP)) {
            return new AtRankZero(rendezvous, job, rank, size, localSize == size, tokenFile);
        }
        throw new JobException(RENDEZVOUS + "=" + rendezvous + " is of none of the forms " + AtLauncher.SCHEME
                + "/path, " + AtRankZero.TCP + "HOST:PORT and " + AtRankZero.FILE + "/path");
    }

    /** Whether the environment names a rank, or where ranks meet: half of it is no world of one. */
    public static boolean isLaunched() {
        return System.getenv(RANK) != null || System.getenv(RENDEZVOUS) != null;
    }

    /**
     * Calls the launcher that the environment names; {@link #join} waits for its answer.
     *
     * @throws JobException if a variable is missing or wrong
     */
    public static LaunchedPlace call() {
        if (HAS_JOINED.get()) {
            throw new JobException("this process has joined its job as rank " + System.getenv(RANK)
                    + " already: a rank joins once, so Parley.init() is called once");
        }
        return new LaunchedPlace(System.getenv());
    }

    /**
     * Waits until the launcher has let this rank in.
     *
     * @param inForce the options in force, which all ranks must have alike
     * @throws JobException if it refuses, and why, or does not answer
     */
    public void join(final Options inForce) {
        options = inForce;
        timeout = inForce.number(Options.WIREUP_TIMEOUT) + LAUNCHER_FIRST_NANOS;
        meeting.open(inForce);
        link.awaitWelcome(timeout);
        HAS_JOINED.set(true);
        waitFile = WaitFile.create(folder, rank);
    }

    /** Returns the folder of the job that the environment names, or null. */
    public static Path folderOfJob() {
        final String rendezvous = System.getenv(RENDEZVOUS);
        if (!isLaunched() || rendezvous == null) {
            return null;
        }
        return rendezvous.startsWith(AtLauncher.SCHEME)
                ? AtLauncher.folderOf(rendezvous)
                : JobFolder.of(System.getenv(JOB));
    }

    private static String required(final Map<String, String> environment, final String name) {
        final String value = environment.get(name);
        if (value == null || value.isEmpty()) {
            throw new JobException((name.equals(RANK) ? RENDEZVOUS : RANK)
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

    /**
     * A rank whose main thread ends by an exception tells the launcher of what, and exits 1, also
     * while other threads of its program run.
     */
    private void reportExceptionsOf(final Thread thread) {
        final Thread.UncaughtExceptionHandler usual = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, what) -> {
            try {
                if (!link.isStopping()) {
                    if (!isAllSaid(what)) {
                        usual.uncaughtException(where, what);
                    }
                    link.send(new ControlFrame.Builder(ControlFrame.DIED)
                            .number(blamed(what))
                            .text(String.valueOf(what))
                            .build());
                }
            } finally {
                // Also where the heap is full, and nothing can be said.
                System.exit(1);
            }
        });
    }

    /** Whether the text says all, also what to do: the launcher tells it, and the place of a call adds nothing. */
    private static boolean isAllSaid(final Throwable what) {
        return what instanceof JobException && HAS_JOINED.get() && Thread.getDefaultUncaughtExceptionHandler() == null;
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
    public int localSize() {
        return localSize;
    }

    @Override
    public boolean sharesCores() {
        return meeting.ownsProcess()
                ? link.sharesCores()
                : localSize > Runtime.getRuntime().availableProcessors();
    }

    @Override
    public boolean wantsMap() {
        return link.wantsMap();
    }

    @Override
    public void tellMap(final List<String> transports) {
        final ControlFrame.Builder frame = new ControlFrame.Builder(ControlFrame.MAP).number(transports.size());
        transports.forEach(frame::text);
        link.send(frame.build());
    }

    @Override
    public JobSecret secret() {
        return link.secret();
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public String host(final int other) {
        return hosts == null ? link.host(other) : hosts[other];
    }

    @Override
    public byte[][] exchange(final byte[] mine) {
        link.send(new ControlFrame.Builder(ControlFrame.CONTRIBUTE)
                .text(options.fingerprint())
                .bytes(meeting.ownsProcess() ? mine : Contribution.withHost(mine))
                .build());
        final byte[][] everybody = link.awaitEverybody(timeout);
        if (meeting.ownsProcess()) {
            return everybody;
        }
        final List<Contribution> contributions =
                Stream.of(everybody).map(Contribution::read).toList();
        hosts = contributions.stream().map(Contribution::host).toArray(String[]::new);
        return contributions.stream().map(Contribution::address).toArray(byte[][]::new);
    }

    @Override
    public void listen(final News news) {
        link.listen(news);
    }

    @Override
    public void ask(final Petition petition) {
        link.send(
                petition.write(new ControlFrame.Builder(ControlFrame.PETITION)).build());
    }

    @Override
    public void waiting(final String what) {
        waitFile.write(what);
    }

    @Override
    public void leave(final String counters) {
        link.send(new ControlFrame.Builder(ControlFrame.LEFT).text(counters).build());
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
