package org.parley;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Debug mode: reports requests that the program let go before they ended, with the place that made
 * them (MPI-3.1 section 3.7.3 asks for each request to be completed).
 */
final class DroppedRequests {
    private static final Logger LOG = LoggerFactory.getLogger(DroppedRequests.class);

    private final Cleaner cleaner = Cleaner.create();
    private final AtomicLong dropped = new AtomicLong();

    /** Follows one request without keeping it reachable. */
    static final class Watch implements Runnable {
        private final DroppedRequests owner;
        private final String what;
        private final Throwable origin = new Throwable("the request was made here");
        private volatile boolean ended;

        Watch(final DroppedRequests owner, final String what) {
            this.owner = owner;
            this.what = what;
        }

        void ended() {
            ended = true;
        }

        @Override
        public void run() {
            if (!ended) {
                owner.dropped.incrementAndGet();
                LOG.warn("a request was dropped before it completed: {}; await or test it", what, origin);
            }
        }
    }

    /**
     * Watches a request that is not started yet.
     *
     * @return what the program gets of it; the request itself is held by what is under way
     */
    Request watch(final ActiveRequest request, final String what) {
        final Watch watch = new Watch(this, what);
        request.watchedBy(watch);
        final WatchedRequest handle = new WatchedRequest(request);
        cleaner.register(handle, watch);
        return handle;
    }

    long count() {
        return dropped.get();
    }
}
