package org.parley.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * How often a size is measured: what the user said, else what its size gives, but no more than
 * takes half a second, for a slow network shall not take minutes.
 *
 * @param iterations that count
 * @param warmup iterations before them
 */
record Pace(int iterations, int warmup) {
    private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(500);

    /** The main job has some sixty sizes for each transport, and a minute. */
    private static final long LONGEST_IN_MAIN_JOB = TimeUnit.MILLISECONDS.toNanos(300);

    private static final int FEWEST = 3;

    /** The iterations that are timed to estimate the others move no more than this. */
    private static final double PROBE_BYTES = 4 << 20;

    /**
     * Chooses, the same on all ranks, and does the warm-up. Collective.
     *
     * @param control the ranks
     * @param benchmark what is measured
     * @param options what the user said
     * @param load what an iteration moves
     * @param run runs iterations
     */
    static Pace choose(
            final Control control,
            final Benchmark benchmark,
            final BenchOptions options,
            final Metric.Load load,
            final IntConsumer run) {
        final long bytes = load.bytes();
        final int warmup = options.warmup() != null
                ? options.warmup()
                : benchmark.repetition().warmup(bytes);
        if (options.iterations() != null) {
            run.accept(warmup);
            return new Pace(options.iterations(), warmup);
        }
        final long longest = longest(options);
        final double fit = PROBE_BYTES / Math.max(1, bytes * load.messages());
        final int probe = (int) Math.max(1, Math.min(warmup, fit));
        final long start = System.nanoTime();
        run.accept(probe);
        final long each = control.agree((System.nanoTime() - start) / probe);
        final int rest = options.warmup() != null
                ? Math.max(0, warmup - probe)
                : (int) Math.min(Math.max(0, warmup - probe), longest / 5 / (each + 1));
        run.accept(rest);
        final int wanted = benchmark.repetition().iterations(bytes);
        final long most = Math.max(FEWEST, longest / (each + 1));
        return new Pace((int) Math.min(wanted, most), probe + rest);
    }

    /** Returns the nanoseconds that a size should not exceed. */
    static long longest(final BenchOptions options) {
        return options.isMainJob() ? LONGEST_IN_MAIN_JOB : LONGEST;
    }
}
