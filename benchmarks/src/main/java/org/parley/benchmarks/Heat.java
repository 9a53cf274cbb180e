package org.parley.benchmarks;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings the code to the JIT's last stage before anything counts: rounds of all sizes, for each may
 * take a branch of its own that a compiler which has not seen it leaves out, and rounds go on until
 * no rank's compiler has had work for a while, for it shares a core with the rank and takes its time.
 */
final class Heat {
    /** The fewest. */
    private static final int ROUNDS = 100;

    /** Messages of a size in a round: in the first so many, in each next twice as many, for a network may be slow; */
    private static final int FIRST_MESSAGES = 8;

    /** from the eighth on so many, */
    private static final int MESSAGES = 640;

    /** but together no more than so many bytes, unless one has more. */
    private static final long BYTES = 64 << 10;

    /** Above so many bytes only in each tenth round, */
    private static final long OFTEN = 64 << 10;

    /** and above so many only in the first. */
    private static final long SELDOM = 1 << 20;

    /** After so many rounds the compiler gets the core that a rank would spin on. */
    private static final int REST_EACH = 5;

    private static final long REST = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(100);

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
     * @return seconds it took
     */
    static double up(final Control control, final Workload workload, final Sizes sizes, final int window) {
        final Heat heat = new Heat(control, workload, window);
        heat.up(sizes);
        return (System.nanoTime() - heat.start) / 1e9;
    }

    private void up(final Sizes sizes) {
        boolean goesOn = true;
        int most = FIRST_MESSAGES;
        for (int round = 0; goesOn; round++) {
            for (final long bytes : sizes.all()) {
                if (isInRound(bytes, round)) {
                    final long messages = Math.min(most, BYTES / Math.max(1, bytes));
                    workload.prepare(bytes);
                    workload.run((int) Math.max(1, messages / window), null);
                }
            }
            most = Math.min(MESSAGES, 2 * most);
            if (round % REST_EACH == REST_EACH - 1) {
                LockSupport.parkNanos(REST);
            }
            // What is said between the sizes must be no news to the compiler either.
            control.gather("");
            goesOn = control.max(isDone(round) ? 0 : 1) == 1;
        }
    }

    private static boolean isInRound(final long bytes, final int round) {
        return bytes <= OFTEN || bytes <= SELDOM && round % 10 == 0 || round == 0;
    }

    /** Returns how long the compiler has worked since the start of the JVM, to the millisecond. */
    static long compiledNanos() {
        return COMPILER == null ? 0 : TimeUnit.MILLISECONDS.toNanos(COMPILER.getTotalCompilationTime());
    }

    private boolean isDone(final int round) {
        final long now = System.nanoTime();
        final long total = compiledNanos();
        if (total != compiled) {
            compiled = total;
            compiledSince = now;
        }
        return now - start > LONGEST || round >= ROUNDS && now - compiledSince > QUIET;
    }
}
