package org.parley.engine;

import java.util.concurrent.ConcurrentLinkedQueue;

/** What any thread tells the holder of the progress word, who acts on it at its next look. */
final class News {
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean hasAny;

    void tell(final Runnable what) {
        queue.add(what);
        hasAny = true;
    }

    /** Acts on all there is; one load if there is none. */
    void take() {
        if (hasAny) {
            hasAny = false;
            for (Runnable item; (item = queue.poll()) != null; ) {
                item.run();
            }
        }
    }
}
