package org.parley.engine;

import java.util.concurrent.locks.LockSupport;

/**
 * How a waiting thread spends its turns: it spins while an answer may be a microsecond away, then
 * yields its core, and sleeps only when nothing has come for about a millisecond, so that a long
 * wait costs little. Where ranks share cores it hardly spins: the peer needs the core to answer.
 */
final class Idle {
    private static final int SPINS = 2000;
    private static final int SPINS_SHARED = 5;
    private static final long YIELD_NANOS = 1_000_000;
    private static final long SHORT_SLEEP = 20_000;
    private static final long LONG_SLEEP = 500_000;

    /** A wait becomes longer by a sleep by a hundredth at most, however long it is already, and by no more than this. */
    private static final long LONGEST_SLEEP = 10_000_000;

    private static final int SHARE = 100;

    private final int spins;
    private int turns;
    private long since;
    private long sleep;

    Idle(final boolean sharedCores) {
        spins = sharedCores ? SPINS_SHARED : SPINS;
    }

    /** Something was done: the next idle turn is a short one. */
    void reset() {
        turns = 0;
    }

    /**
     * Spends one turn.
     *
     * @return true once per wait, when it has become a long one
     */
    boolean turn() {
        if (turns < spins) {
            turns++;
            Thread.onSpinWait();
            return false;
        }
        final long now = System.nanoTime();
        if (turns == spins) {
            turns++;
            since = now;
            sleep = SHORT_SLEEP;
        }
        if (now - since < YIELD_NANOS) {
            Thread.yield();
            return false;
        }
        final boolean first = turns == spins + 1;
        turns = spins + 2;
        LockSupport.parkNanos(sleep);
        final long limit = Math.max(LONG_SLEEP, Math.min(LONGEST_SLEEP, (now - since) / SHARE));
        sleep = Math.min(limit, sleep + sleep / 8);
        return first;
    }
}
