package org.parley.benchmarks;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.parley.JobException;
import org.parley.Parley;
import org.parley.PeerFailedException;
import org.parley.wireup.LaunchedPlace;

/**
 * The program that each rank of {@code parley bench} runs. Started without a launcher, it makes its
 * ranks threads of its own JVM.
 */
public final class BenchRank {
    private static final int FAILURE = 1;
    private static final int USAGE = 2;
    private static final long FIRST_SPEAKS_MILLIS = 10_000;

    private BenchRank() {}

    /**
     * Runs, and exits with 0, with 1 if a payload was wrong or memory is short, with 2 on a usage
     * error.
     *
     * @param arguments as {@code --help} tells
     */
    public static void main(final String[] arguments) {
        System.exit(run(System.out, System.err, arguments));
    }

    static int run(final PrintStream out, final PrintStream err, final String... arguments) {
        final boolean isFirst = "0".equals(System.getenv().getOrDefault("PARLEY_RANK", "0"));
        final int code = run(isFirst, out, err, arguments);
        if (code == USAGE && !isFirst) {
            letFirstSpeak();
        }
        return code;
    }

    /** The launcher stops all ranks when one exits, and only rank 0 tells the user why. */
    private static void letFirstSpeak() {
        try {
            Thread.sleep(FIRST_SPEAKS_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int run(
            final boolean isFirst, final PrintStream out, final PrintStream err, final String... arguments) {
        final BenchOptions options;
        try {
            options = BenchOptions.parse(arguments);
        } catch (final UsageException e) {
            if (isFirst) {
                err.println("parley bench: " + e.getMessage());
            }
            return USAGE;
        }
        if (options.help() != null) {
            if (isFirst) {
                out.print(options.help());
            }
            return 0;
        }
        if (options.transports() != null) {
            System.setProperty("parley.transports", options.transports());
        }
        if (LaunchedPlace.isLaunched()) {
            try (Parley parley = Parley.init()) {
                return run(parley, options, out, err);
            }
        }
        final AtomicInteger code = new AtomicInteger();
        Parley.local(options.ranks(), parley -> code.accumulateAndGet(run(parley, options, out, err), Math::max));
        return code.get();
    }

    private static int run(
            final Parley parley, final BenchOptions options, final PrintStream out, final PrintStream err) {
        try {
            return new Bench(parley, options, out, err, Benchmark::make).run();
        } catch (final UsageException e) {
            if (!e.getMessage().isEmpty()) {
                err.println("parley bench: " + e.getMessage());
            }
            return USAGE;
        } catch (final JobException | PeerFailedException e) {
            // What the user permits leads nowhere, or another rank has failed: of that our stack would say nothing.
            err.println("parley bench: " + e.getMessage());
            return FAILURE;
        } catch (final OutOfMemoryError e) {
            err.println("parley bench: rank " + parley.world().rank() + " has not the memory for these messages: "
                    + e.getMessage());
            return FAILURE;
        }
    }
}
