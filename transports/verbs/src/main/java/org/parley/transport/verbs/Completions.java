package org.parley.transport.verbs;

import java.util.function.LongConsumer;
import org.agrona.UnsafeApi;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * Looks into completion queues, and, where an empty look is dear, the more seldom the longer there was nothing. The holder's of the
 * progress word; counters may be read by other threads, which may lag behind.
 */
final class Completions implements AutoCloseable {
    private static final int AT_ONCE = 32;
    private static final int MOST_SKIPPED = 64;

    /** A rank that waits long polls seldom: what is skipped is counted in polls only while they follow each other closely. */
    static final long LONGEST_PAUSE = 50_000;

    private final DataPath dataPath;
    private final String device;
    private final boolean skips;
    private final long memory = UnsafeApi.allocateMemory((long) AT_ONCE * WorkRequest.COMPLETION_BYTES);
    private int skipping;
    private int skipped;
    private long last;
    private long looks;
    private long emptyLooks;

    /**
     * Nothing was looked for yet.
     *
     * @param device its name
     * @param skips whether empty looks are dear
     */
    Completions(final DataPath dataPath, final String device, final boolean skips) {
        this.dataPath = dataPath;
        this.device = device;
        this.skips = skips;
    }

    /** Whether to look now, in each queue that there is; then {@link #looked}. */
    boolean isTime() {
        return !skips || isTime(System.nanoTime());
    }

    /**
     * The same where empty looks are dear.
     *
     * @param now {@link System#nanoTime()}
     */
    boolean isTime(final long now) {
        if (skipped < skipping && now - last < LONGEST_PAUSE) {
            skipped++;
            return false;
        }
        last = now;
        return true;
    }

    /**
     * Takes what is in a queue.
     *
     * @param queue its handle
     * @param most after so many no further look is made
     * @param taker is given the address of each, which is good until it returns
     * @return how many there were
     * @throws TransportException if the device has failed
     */
    int take(final long queue, final int most, final LongConsumer taker) {
        int all = 0;
        int found;
        do {
            found = dataPath.poll(queue, AT_ONCE, memory);
            looks++;
            if (found < 0) {
                throw new TransportException(
                        "ibv_poll_cq on " + device + " failed (" + found + "): the device has lost a queue pair");
            }
            for (int i = 0; i < found; i++) {
                taker.accept(memory + (long) i * WorkRequest.COMPLETION_BYTES);
            }
            all += found;
        } while (found == AT_ONCE && all < most);
        return all;
    }

    /**
     * All queues were looked into.
     *
     * @param found how many completions there were in all
     */
    void looked(final int found) {
        skipped = 0;
        if (found > 0) {
            skipping = 0;
        } else {
            emptyLooks++;
            skipping = Math.min(MOST_SKIPPED, 2 * skipping + 1);
        }
    }

    long looks() {
        return looks;
    }

    long emptyLooks() {
        return emptyLooks;
    }

    @Override
    public void close() {
        UnsafeApi.freeMemory(memory);
    }
}
