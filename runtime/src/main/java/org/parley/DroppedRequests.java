package org.parley;

import java.lang.ref.Cleaner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Debug mode: reports requests that the program let go before they ended, with the place that made
 * them (MPI-3.1 section 3.7.3 asks for each request to be completed).
 */
final class DroppedRequests {
    private static final Logger LOG = LoggerFactory.getLogger(DroppedRequests.class);

    /** How many requests that are left at the end are told of one by one. */
    private static final int TOLD = 10;

    private final Cleaner cleaner = Cleaner.create();
    private final AtomicLong dropped = new AtomicLong();

    /** Those that have not ended. */
    private final Set<Watch> open = ConcurrentHashMap.newKeySet();

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
            owner.open.remove(this);
        }

        @Override
        public void run() {
            if (owner.open.remove(this) && !ended) {
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
        open.add(watch);
        final WatchedRequest handle = new WatchedRequest(request);
        cleaner.register(handle, watch);
        return handle;
    }

    /** The rank leaves: tells of the requests that have not ended, with the places that made them. */
    void leave(final int rank) {
        if (!open.isEmpty()) {
            LOG.warn(
                    "rank {} leaves before {} of its requests have completed; await, or cancel and await, each",
                    rank,
                    open.size());
            open.stream().limit(TOLD).forEach(each -> LOG.warn("not completed: {}", each.what, each.origin));
            open.clear();
        }
    }

    long count() {
        return dropped.get();
    }
}
