package org.parley;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checked mode: memory from {@link Parley#allocate} that the program has not closed, with the place that made it. Of one rank;
 * watches from the time it has joined until it leaves. Any thread.
 */
final class OpenMemory {
    /** How many are told of one by one. */
    private static final int TOLD = 10;

    private static final Runnable NOBODY = () -> {};

    /** One piece of memory. */
    private record Watch(long bytes, Throwable origin) {}

    private final Set<Watch> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isWatching;

    void watch() {
        isWatching = true;
    }

    /**
     * Notes memory that is being made.
     *
     * @param bytes its size
     * @return to be run when it is freed
     */
    Runnable made(final long bytes) {
        if (!isWatching) {
            return NOBODY;
        }
        final Watch watch = new Watch(bytes, new Throwable("the memory was made here"));
        open.add(watch);
        return () -> open.remove(watch);
    }

    /** The rank leaves: tells of what it has not closed. */
    void leave(final int rank) {
        isWatching = false;
        if (!open.isEmpty()) {
            Log.LOGGER.warn(
                    "rank {} leaves and has not closed {} of its pieces of memory from Parley.allocate, {} bytes; close"
                            + " each, best by try",
                    rank,
                    open.size(),
                    open.stream().mapToLong(Watch::bytes).sum());
            open.stream().limit(TOLD).forEach(each -> Log.LOGGER.warn("not closed: {} bytes", each.bytes, each.origin));
            open.clear();
        }
    }

    /** Loaded only when there is something to say: a logging framework takes its time to start. */
    private static final class Log {
        static final Logger LOGGER = LoggerFactory.getLogger(OpenMemory.class);
    }
}
