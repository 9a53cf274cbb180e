package org.parley.benchmarks;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Brings the code to the JIT's last stage before anything counts, which takes thousands of calls on
 * every path that a message may take: short, medium, long.
 */
final class Heat {
    private static final long[] SIZES = {8, 1 << 10, 16 << 10, 256 << 10};
    private static final int[] ITERATIONS = {20_000, 10_000, 2_000, 200};
    private static final int CHUNK = 100;

    private Heat() {}

    /**
     * Runs without measuring.
     *
     * @param workload what to run
     * @param sizes of its messages
     * @param window messages of an iteration
     */
    static void up(final Workload workload, final Sizes sizes, final int window) {
        final Set<Long> done = new LinkedHashSet<>();
        for (int i = 0; i < SIZES.length; i++) {
            final long bytes = Math.max(sizes.min(), Math.min(sizes.max(), SIZES[i]));
            if (done.add(bytes)) {
                workload.prepare(bytes);
                for (int left = ITERATIONS[i] / window; left > 0; left -= CHUNK) {
                    workload.run(Math.min(left, CHUNK), null);
                }
            }
        }
    }
}
