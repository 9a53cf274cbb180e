package org.parley.transport;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What the thread that makes connections tells the one that polls: a look costs the latter one load.
 *
 * @param <N> a piece of news
 */
public final class NewsQueue<N> {
    private final ConcurrentLinkedQueue<N> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean hasNews;

    /** Makes an empty one. */
    public NewsQueue() {}

    /**
     * Tells something; any thread.
     *
     * @param news what
     */
    public void tell(final N news) {
        queue.add(news);
        hasNews = true;
    }

    /** Returns the next thing that was told, or null; one thread. */
    public N next() {
        if (!hasNews) {
            return null;
        }
        // Before the look: what is added after it raises the flag again.
        hasNews = false;
        final N next = queue.poll();
        hasNews |= next != null;
        return next;
    }
}
