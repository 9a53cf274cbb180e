package org.parley.launcher;

import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Brings what happens on many threads, and what is due at some time, to the one thread that calls
 * {@link #step}. Any thread may call {@link #post}, only that one {@link #after}.
 */
final class EventLoop {
    private record Timer(long at, Runnable what) {}

    private final LinkedBlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>((a, b) -> Long.compare(a.at - b.at, 0));

    /** Has something done on the loop's thread, after all that was posted before. */
    void post(final Runnable event) {
        events.add(event);
    }

    /** Has something done after a while. */
    void after(final long nanos, final Runnable what) {
        timers.add(new Timer(System.nanoTime() + nanos, what));
    }

    /** Whether something is posted that is still to be done, such as the news of why an output was lost. */
    boolean hasEvents() {
        return !events.isEmpty();
    }

    /** Does the next thing, when there is one. */
    void step() throws InterruptedException {
        final Timer next = timers.peek();
        final Runnable event =
                next == null ? events.take() : events.poll(next.at - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (event != null) {
            event.run();
        } else if (next != null) {
            timers.remove(next);
            next.what.run();
        }
    }
}
