package org.parley.benchmarks;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Brings the code to the JIT's last stage before anything counts: some thousand messages on every
 * path that one may take (short, medium, long), then more until no rank's compiler has had work for
 * a while, for it shares a core with the rank and takes its time.
 */
final class Heat {
    private static final long[] SIZES = {8, 1 << 10, 16 << 10, 256 << 10};
    private static final int[] MESSAGES = {20_000, 10_000, 2_000, 200};

    /** Of the messages above, in one round. */
    private static final int ROUNDS = 100;

    private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(200);

    /** Enough is enough, where a network is slow or cores are shared. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(3);

    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    private final Control control;
    private final Workload workload;
    private final int window;
    private final long start = System.nanoTime();
    private long compiled;
    private long compiledSince = start;

    private Heat(final Control control, final Workload workload, final int window) {
        this.control = control;
        this.workload = workload;
        this.window = window;
    }

    /**
     * Runs without measuring. Collective.
     *
     * @param control the ranks
     * @param workload what to run
     * @param sizes of its messages
     * @param window messages of an iteration
     */
    static void up(final Control control, final Workload workload, final Sizes sizes, final int window) {
        new Heat(control, workload, window).up(sizes);
    }

    private void up(final Sizes sizes) {
        final List<Long> paths = new ArrayList<>();
        for (final long size : SIZES) {
            final long bytes = Math.max(sizes.min(), Math.min(sizes.max(), size));
            if (!paths.contains(bytes)) {
                paths.add(bytes);
            }
        }
        boolean goesOn = true;
        for (int round = 0; goesOn; round++) {
            for (int i = 0; goesOn && i < paths.size(); i++) {
                workload.prepare(paths.get(i));
                workload.run(Math.max(1, MESSAGES[i] / ROUNDS / window), null);
                goesOn = control.max(isDone(round) ? 0 : 1) == 1;
            }
        }
    }

    private boolean isDone(final int round) {
        final long now = System.nanoTime();
        final long total = COMPILER == null ? 0 : COMPILER.getTotalCompilationTime();
        if (total != compiled) {
            compiled = total;
            compiledSince = now;
        }
        return now - start > LONGEST || round >= ROUNDS && now - compiledSince > QUIET;
    }
}
