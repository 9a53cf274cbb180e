package org.parley.benchmarks;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Brings the code to the JIT's last stage before anything counts, which takes thousands of calls on
 * every path that a message may take: short, medium, long.
 */
final class Heat {
    private static final long[] SIZES = {8, 1 << 10, 16 << 10, 256 << 10};
    private static final int[] MESSAGES = {20_000, 10_000, 2_000, 200};
    private static final int CHUNK = 100;

    /** Enough is enough, where a network is slow or cores are shared. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(2);

    private Heat() {}

    /**
     * Runs without measuring. Collective.
     *
     * @param control the ranks
     * @param workload what to run
     * @param sizes of its messages
     * @param window messages of an iteration
     */
    static void up(
            final Control control, final Workload workload, final Sizes sizes, final int window) {
        final long start = System.nanoTime();
        final Set<Long> done = new HashSet<>();
        for (int i = 0; i < SIZES.length; i++) {
            final long bytes = Math.max(sizes.min(), Math.min(sizes.max(), SIZES[i]));
            final int chunk = Math.max(1, CHUNK / window);
            if (done.add(bytes)) {
                workload.prepare(bytes);
                for (int left = MESSAGES[i] / window; left > 0; left -= chunk) {
                    workload.run(chunk, null);
                    if (control.agree(System.nanoTime() - start > LONGEST ? 1 : 0) == 1) {
                        return;
                    }
                }
            }
        }
    }
}
