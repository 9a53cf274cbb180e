package org.parley.transport.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.parley.transport.Availability;
import org.parley.transport.Counter;
import org.parley.transport.JobSecret;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;

/** Several ranks in this JVM that have transports and nothing above them. */
public final class TestJob implements AutoCloseable {
    /** More on an emulated machine. */
    private static final long PATIENCE_SECONDS = Long.getLong("parley.test.patience", 120);

    private final Path folder;
    private final String name;
    private final JobSecret secret = JobSecret.create();
    private final List<TestRank> ranks = new ArrayList<>();

    /**
     * Makes a job in a new folder of shared memory.
     *
     * @param size ranks
     * @param transports makes a transport, once per rank
     * @param options options that are not to have their standard values
     */
    public TestJob(final int size, final Supplier<? extends Transport> transports, final Map<String, String> options) {
        this(size, transports, options, newFolder());
    }

    /**
     * Makes a job.
     *
     * @param size ranks
     * @param transports makes a transport, once per rank
     * @param options options that are not to have their standard values
     * @param folder the job's folder, which exists
     */
    public TestJob(
            final int size,
            final Supplier<? extends Transport> transports,
            final Map<String, String> options,
            final Path folder) {
        this.folder = folder;
        this.name = folder.getFileName().toString();
        for (int rank = 0; rank < size; rank++) {
            final Transport transport = transports.get();
            final TransportContext context = new TransportContext(
                    name, rank, size, size, folder, secret, new StandardOptions(transport, options));
            final Availability availability = transport.probe(context);
            if (!availability.available()) {
                if (Files.isDirectory(folder)) {
                    close();
                }
                throw new AssertionError(transport.name() + " is not available: " + availability.reason());
            }
            final TestRank made = new TestRank(this, rank, transport);
            ranks.add(made);
            try {
                transport.open(context, made.handler());
            } catch (final RuntimeException e) {
                close();
                throw e;
            }
        }
    }

    /** Makes a folder for a job, in shared memory where there is some. */
    public static Path newFolder() {
        final Path shared = Path.of("/dev/shm");
        final Path root = Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
        try {
            return Files.createTempDirectory(root, "parley-test-");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the job's folder. */
    public Path folder() {
        return folder;
    }

    /** Returns what only the job's ranks know. */
    public JobSecret secret() {
        return secret;
    }

    /** Returns the number of ranks. */
    public int size() {
        return ranks.size();
    }

    /**
     * Returns a rank.
     *
     * @param rank which
     */
    public TestRank rank(final int rank) {
        return ranks.get(rank);
    }

    /**
     * Polls all ranks by turns until something is so.
     *
     * @param what for people
     * @param condition what is waited for
     */
    public void await(final String what, final BooleanSupplier condition) {
        await(what, condition, () -> ranks.forEach(TestRank::poll));
    }

    /**
     * Does something again and again until something is so.
     *
     * @param what for people
     * @param condition what is waited for
     * @param turn what is done
     */
    public static void await(final String what, final BooleanSupplier condition, final Runnable turn) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("interrupted while waiting for " + what);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited " + PATIENCE_SECONDS + " s in vain for " + what);
            }
            turn.run();
        }
    }

    /**
     * Sends a frame, polling all ranks while the wire has no room.
     *
     * @param from sender's rank
     * @param to receiver's rank
     * @param frame its bytes
     */
    public void send(final int from, final int to, final byte[] frame) {
        await("room for " + frame.length + " bytes", () -> rank(from).send(to, frame));
    }

    /**
     * Takes the next frame out, polling all ranks until there is one.
     *
     * @param at receiver's rank
     * @param from sender's rank
     */
    public byte[] take(final int at, final int from) {
        await("a frame from " + from + " at " + at, () -> !rank(at).from(from).isEmpty());
        return rank(at).from(from).remove();
    }

    /** A counter that nothing explains helps nobody. */
    void assertThatCountersAreDeclared() {
        for (final TestRank rank : ranks) {
            final Transport transport = rank.transport();
            assertThat(transport.counted().stream().map(Counter::name).toList())
                    .as("declared counters of %s", transport.name())
                    .containsAll(transport.statistics().keySet());
        }
    }

    /** Closes all transports, and removes the folder with all in it. */
    @Override
    public void close() {
        ranks.forEach(TestRank::close);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (final Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
