package org.parley.transport.verbs;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

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
     * @param name the thread's
     * @param turns whose turn it is
     * @param work what there is to do
     */
    Keeper(final String name, final Turns turns, final Runnable work) {
        thread = new Thread(() -> run(turns, work), name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run(final Turns turns, final Runnable work) {
        long seen = -1;
        while (!closed) {
            LockSupport.parkNanos(PERIOD_NANOS);
            final long now = turns.polls();
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
