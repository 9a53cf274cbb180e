package org.parley.benchmarks.perf;

import java.io.PrintStream;
import org.parley.JobException;
import org.parley.Parley;
import org.parley.transport.TransportException;

/** The program that each of the two ranks of {@code parley perf} runs. */
public final class PerfRank {
    private static final int FAILURE = 1;
    private static final int USAGE = 2;
    private static final long FIRST_SPEAKS_MILLIS = 10_000;

    /** Until the JIT has compiled the loops: perftest, in C, has nothing to wait for. */
    private static final int WARM_RUNS = 20;

    private static final int WARM_ITERATIONS = 1000;
    private static final int WARM_SIZE = 64;

    private PerfRank() {}

    /**
     * Runs, and exits with 0, with 1 if that cannot be on this machine, with 2 on a usage error.
     *
     * @param arguments as {@code --help} tells
     */
    public static void main(final String[] arguments) {
        final boolean isFirst = "0".equals(System.getenv().getOrDefault("PARLEY_RANK", "0"));
        final int code = run(isFirst, arguments);
        if (code == USAGE && !isFirst) {
            letFirstSpeak();
        }
        System.exit(code);
    }

    /** The launcher stops all ranks when one exits, and only rank 0 tells the user why. */
    private static void letFirstSpeak() {
        try {
            Thread.sleep(FIRST_SPEAKS_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int run(final boolean isFirst, final String... arguments) {
        final PerfOptions options;
        try {
            options = PerfOptions.parse(arguments);
        } catch (final IllegalArgumentException e) {
            return complain(isFirst, e, USAGE);
        }
        if (options.help() != null) {
            if (isFirst) {
                System.out.print(options.help());
            }
            return 0;
        }
        try (Parley parley = Parley.init()) {
            if (parley.world().size() != 2) {
                throw new IllegalArgumentException(
                        "it needs two ranks, and has " + parley.world().size() + ": start it by parley perf");
            }
            return run(parley, options);
        } catch (final IllegalArgumentException e) {
            return complain(isFirst, e, USAGE);
        } catch (final TransportException | JobException e) {
            return complain(true, e, FAILURE);
        }
    }

    private static int complain(final boolean aloud, final Exception e, final int code) {
        if (aloud) {
            System.err.println("parley perf: " + e.getMessage());
        }
        return code;
    }

    private static int run(final Parley parley, final PerfOptions options) {
        final PrintStream out = System.out;
        try (PerfPort port = PerfPort.open(parley.options(), options.device())) {
            final long last = options.lastSize(port.maxMessage(options.isDatagram()));
            try (VerbsEnd end = new VerbsEnd(parley, port, options, (int) last)) {
                final PerfTest test = new PerfTest(options, end, (int) last);
                final int warmIterations = Math.min(WARM_ITERATIONS, options.iterations());
                for (int i = 0; i < WARM_RUNS; i++) {
                    test.run((int) Math.min(WARM_SIZE, options.firstSize()), warmIterations);
                }
                if (end.isFirst()) {
                    System.err.println(
                            "parley perf: " + options.name() + ", " + options.connection() + ", " + port.text()
                                    + ", queue of " + options.depth() + ", inline to " + end.maxInline() + " bytes");
                    out.println(options.isBandwidth() ? PerfTable.BANDWIDTH : PerfTable.LATENCY);
                }
                for (long size = options.firstSize(); size <= last; size *= 2) {
                    final String row = test.run((int) size, options.iterations());
                    if (end.isFirst()) {
                        out.println(row);
                        System.err.println("parley perf: " + test.counts(size, options.iterations()));
                    }
                }
                end.meet();
            }
        }
        return 0;
    }
}
