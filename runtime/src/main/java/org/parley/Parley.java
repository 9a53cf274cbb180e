package org.parley;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.parley.config.Options;
import org.parley.engine.Engine;
import org.parley.wireup.LaunchedPlace;
import org.parley.wireup.LocalJob;
import org.parley.wireup.LongWait;
import org.parley.wireup.Place;
import org.parley.wireup.Ruling;
import org.parley.wireup.SinglePlace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A rank's membership in its job (MPI-3.1 chapter 8.7). Start with {@link #init()}, end with {@link
 * #close()}:
 *
 * <pre>{@code
 * try (Parley parley = Parley.init()) {
 *     Communicator world = parley.world();
 *     ...
 * }
 * }</pre>
 *
 * <p>Several may live in one JVM ({@link #local(int, Program)}). Which threads may call is said at
 * the start by the {@link ThreadLevel}.
 */
public final class Parley implements AutoCloseable {
    private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int WORLD_CONTEXT = 0;

    /** The place of the rank whose threads these are, where a JVM has several. */
    private static final InheritableThreadLocal<Seat> LOCAL_SEAT = new InheritableThreadLocal<>();

    /** Of the rank that this process is, where it is one. */
    private static final OpenMemory MEMORY_OF_PROCESS = new OpenMemory();

    /** A place that can be taken once. */
    private record Seat(Place place, AtomicBoolean isTaken, OpenMemory memory) {
        Place take() {
            if (isTaken.getAndSet(true)) {
                throw new JobException("rank " + place.rank()
                        + " has joined its job already: a rank joins once, and Parley.local does it for its program");
            }
            return place;
        }
    }

    private final Place place;
    private final Options options;
    private final Engine engine;
    private final Communicator world;
    private final DroppedRequests dropped;
    private final OpenMemory memory;
    private boolean closed;

    private Parley(final Place place, final Options options, final ThreadLevel level, final OpenMemory memory) {
        this.place = place;
        this.options = options;
        this.memory = memory;
        if (place.rank() == 0) {
            options.warnings().forEach(warning -> Log.LOGGER.warn(warning));
        }
        this.engine = new Engine(place, options, level);
        this.dropped = options.flag(Options.DEBUG) || engine.isChecked() ? new DroppedRequests() : null;
        if (engine.isChecked()) {
            memory.watch();
        }
        this.world = new Communicator(engine, WORLD_CONTEXT, place.rank(), place.size(), null, dropped);
        place.listen(new EngineNews(engine));
    }

    /**
     * Joins the job, for calls by any one thread at a time ({@link ThreadLevel#SERIALIZED}).
     *
     * @return the membership; without a launcher a world of one rank
     * @throws JobException if the job cannot be joined
     */
    public static Parley init() {
        return init(ThreadLevel.SERIALIZED);
    }

    /**
     * Joins the job (MPI_Init_thread, MPI-3.1 section 12.4.3).
     *
     * @param level which threads will call
     * @return the membership; without a launcher a world of one rank
     * @throws JobException if the job cannot be joined
     * @throws IllegalStateException if the JVM was started without the option that Agrona needs
     */
    public static Parley init(final ThreadLevel level) {
        JvmFlags.check();
        final Seat local = LOCAL_SEAT.get();
        if (local != null) {
            return new Parley(local.take(), Options.load(Map.of()), level, local.memory());
        }
        if (LaunchedPlace.isLaunched()) {
            // Options are read while the launcher answers.
            final LaunchedPlace place = LaunchedPlace.call();
            final Options options = Options.load(Map.of());
            place.join(options);
            return new Parley(place, options, level, MEMORY_OF_PROCESS);
        }
        final Options options = Options.load(Map.of());
        // Said to people, with or without a logging framework: four such worlds are no job of four ranks.
        // CHECKSTYLE.OFF: NoConsole the one line that a user must see
        System.err.println("parley: not started by a launcher: a world of one rank");
        return new Parley(new SinglePlace(), options, level, MEMORY_OF_PROCESS);
    }

    /**
     * Runs a program as several ranks, threads of this JVM: for tests and debugging.
     *
     * @param ranks how many
     * @param program what each runs
     * @throws RuntimeException what the first rank that failed has thrown; a checked exception
     *     comes as the cause of a {@link ParleyException}
     */
    public static void local(final int ranks, final Program program) {
        local(ranks, ThreadLevel.SERIALIZED, program);
    }

    /**
     * Runs a program as several ranks, threads of this JVM: for tests and debugging.
     *
     * @param ranks how many
     * @param level which threads of each rank will call
     * @param program what each runs
     * @throws RuntimeException what the first rank that failed has thrown; a checked exception
     *     comes as the cause of a {@link ParleyException}
     */
    public static void local(final int ranks, final ThreadLevel level, final Program program) {
        runLocal(ranks, () -> {
            final Parley parley = init(level);
            try {
                program.run(parley);
            } catch (final Throwable e) {
                parley.drop();
                throw e;
            }
            parley.close();
        });
    }

    /**
     * Runs a program's {@code main} as several ranks, threads of this JVM, each with classes, and
     * so static state, of its own. Parley, Agrona, JNA and SLF4J are shared.
     *
     * @param ranks how many
     * @param program class with {@code public static void main(String[])}, which calls {@link
     *     #init()}
     * @param arguments its arguments
     * @throws RuntimeException what the first rank that failed has thrown; a checked exception
     *     comes as the cause of a {@link ParleyException}
     */
    public static void local(final int ranks, final Class<?> program, final String... arguments) {
        runLocal(ranks, () -> RankClassLoader.runMain(program, arguments));
    }

    /** One rank's thread. */
    private interface Body {
        void run() throws Exception;
    }

    private static void runLocal(final int ranks, final Body body) {
        JvmFlags.check();
        if (ranks < 1) {
            throw new IllegalArgumentException("ranks is " + ranks + ", must be at least 1");
        }
        final FirstCause first = new FirstCause();
        try (LocalJob job = new LocalJob(ranks)) {
            final List<Thread> threads = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                final int number = rank;
                final Thread thread = new Thread(() -> runRank(job, number, body, first), "parley-rank-" + rank);
                threads.add(thread);
                thread.start();
            }
            for (final Thread thread : threads) {
                joinUninterrupted(thread);
            }
        }
        rethrow(first.get());
    }

    /** What went wrong first; that a peer is gone is a consequence, and yields to a cause. */
    private static final class FirstCause {
        private Throwable cause;

        synchronized void add(final Throwable e) {
            if (cause == null || cause instanceof PeerFailedException && !(e instanceof PeerFailedException)) {
                cause = e;
            }
        }

        synchronized Throwable get() {
            return cause;
        }
    }

    private static void runRank(final LocalJob job, final int rank, final Body body, final FirstCause first) {
        final Place place = job.place(rank);
        LOCAL_SEAT.set(new Seat(place, new AtomicBoolean(), new OpenMemory()));
        try {
            body.run();
        } catch (final Throwable e) {
            first.add(e);
            job.died(rank, "failed with " + e);
        } finally {
            LOCAL_SEAT.remove();
            place.close();
        }
    }

    private static void joinUninterrupted(final Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rethrow(final Throwable failure) {
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        if (failure != null) {
            throw new ParleyException("a rank failed: " + failure, failure);
        }
    }

    /** Returns the communicator of all ranks (MPI_COMM_WORLD). */
    public Communicator world() {
        return world;
    }

    /** Returns the options in force. */
    public Options options() {
        return options;
    }

    /**
     * Makes off-heap memory that messages travel from and to without a copy; see {@link Memory}. Any
     * thread.
     *
     * @param bytes size; may exceed 2 GiB
     */
    public static Memory allocate(final long bytes) {
        JvmFlags.check();
        final Seat local = LOCAL_SEAT.get();
        return local != null
                ? Memory.allocate(bytes, local.place().folder(), local.memory())
                : Memory.allocate(bytes, LaunchedPlace.folderOfJob(), MEMORY_OF_PROCESS);
    }

    /**
     * Names the transport that carries messages to a rank of the world.
     *
     * @param rank which
     * @return such as {@code shm}
     */
    public String transportTo(final int rank) {
        if (rank < 0 || rank >= world.size()) {
            throw new IllegalArgumentException("rank is " + rank + ", must be 0 to " + (world.size() - 1));
        }
        engine.enter();
        try {
            return engine.transportTo(world.session(rank));
        } finally {
            engine.exit();
        }
    }

    /**
     * Ends the whole job (MPI_Abort, MPI-3.1 section 8.7).
     *
     * @param code the job's exit code
     * @param reason for people
     */
    public void abort(final int code, final String reason) {
        place.abort(code, Objects.requireNonNullElse(reason, "for no reason told"));
    }

    /**
     * Leaves the job, after everything under way has been sent, or after 30 s. Not collective; an
     * operation with this rank then raises {@link PeerFailedException} elsewhere. A second call
     * does nothing.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        engine.enter();
        closed = true;
        try (place;
                engine) {
            try {
                engine.flush(FLUSH_NANOS);
            } finally {
                engine.exit();
                if (dropped != null) {
                    dropped.leave(place.rank());
                }
                memory.leave(place.rank());
                place.leave(place.wantsMap() ? engine.counters() : "");
            }
        }
    }

    /** Ends without a farewell: the others are to hear of a failure. */
    private void drop() {
        if (!closed) {
            closed = true;
            engine.close();
        }
    }

    /** Loaded only when there is something to say: a logging framework takes its time to start. */
    private static final class Log {
        static final Logger LOGGER = LoggerFactory.getLogger(Parley.class);
    }

    /** Brings news of other ranks to the engine. */
    private record EngineNews(Engine engine) implements Place.News {
        @Override
        public void left(final int rank) {
            engine.peerLeft(rank);
        }

        @Override
        public void died(final int rank, final String cause) {
            engine.peerDied(rank, cause);
        }

        @Override
        public void tick() {
            engine.tick();
        }

        @Override
        public void told(final Ruling ruling) {
            engine.told(ruling);
        }

        @Override
        public LongWait currentWait() {
            return engine.currentWait();
        }

        @Override
        public String counters() {
            return engine.counters();
        }
    }
}
