package org.parley.benchmarks;

/**
 * How often a size is measured: falls with the size, as in the OSU Micro-Benchmarks, but ten times as
 * often: 10 000 small messages take 4 ms, in which one turn of the scheduler is half.
 *
 * @param small iterations up to {@link #LARGE} bytes
 * @param smallWarmup iterations before them that do not count
 * @param large iterations above
 * @param largeWarmup iterations before them that do not count
 */
record Repetition(int small, int smallWarmup, int large, int largeWarmup) {
    /** The largest of the small sizes, as OSU's {@code LARGE_MESSAGE_SIZE}. */
    static final long LARGE = 8192;

    static final Repetition LATENCY = new Repetition(100_000, 2_000, 10_000, 200);
    static final Repetition BANDWIDTH = new Repetition(10_000, 200, 1_000, 20);
    static final Repetition COLLECTIVE = new Repetition(100_000, 2_000, 5_000, 100);

    int iterations(final long bytes) {
        return bytes > LARGE ? large : small;
    }

    int warmup(final long bytes) {
        return bytes > LARGE ? largeWarmup : smallWarmup;
    }
}
