package org.parley.transport.verbs;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The thread that does what a kernel or an adapter does for other wires while the rank computes: what was lost is sent again, what waited leaves, and
 * who asks is answered. Where the rank polls, it does nothing.
 */
final class Keeper implements AutoCloseable {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long CLOSE_MILLIS = 2000;

    private final Thread thread;
    private volatile boolean closed;

    /**
     * Makes it, and starts it.
     *
     * @param rank whose
     * @param polls a number that grows while the rank polls
     * @param turns whose turn it is
     * @param work what there is to do
     */
    Keeper(final int rank, final LongSupplier polls, final Turns turns, final Runnable work) {
        thread = new Thread(() -> run(polls, turns, work), "parley-ud-" + rank);
        thread.setDaemon(true);
        thread.start();
    }

    private void run(final LongSupplier polls, final Turns turns, final Runnable work) {
        long seen = -1;
        while (!closed) {
            LockSupport.parkNanos(PERIOD_NANOS);
            final long now = polls.getAsLong();
            if (now == seen && turns.tryKeep()) {
                try {
                    work.run();
                } finally {
                    turns.kept();
                }
            }
            seen = now;
        }
    }

    /** Ends it, and waits until it has. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(CLOSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
