package org.parley.transport.verbs;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.parley.transport.JobSecret;
import org.parley.transport.Outage;
import org.parley.transport.RankAddress;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a rank is on the fabric: its adapter, its queue pair, and the address that follows from them. When the queue pair, the port or the
 * whole device fails, all of it is made anew, from the opening of the device on: then it does not matter what has failed, and what may be
 * another port, GID or device now is looked up again. What has another address has moved, and peers are told.
 *
 * <p>The holder's of the progress word.
 */
final class UdPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UdPort.class);
    private static final int LARGEST_QKEY = Integer.MAX_VALUE;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final TransportContext context;
    private final LongConsumer arrived;
    private final RankAddress door;
    private final byte[] nonce;
    private final Outage outage = new Outage();
    private final long reconnectNanos;
    private Adapter adapter;
    private UdQueue queue;
    private volatile UdAddress mine;
    private String name;
    private int moves;

    /** The last reason why it could not be made anew, when that is tried again, and after which pause. */
    private String lack;

    private long nextTry;
    private long pause;
    private boolean isGivenUp;
    private long away;

    /** Ways that lead to where peers were, with the number of the send behind those that refer to them. */
    private final ArrayDeque<Retired> retired = new ArrayDeque<>();

    private volatile Totals before = new Totals(0, 0, 0, 0);

    private record Retired(UdPath path, long sent) {}

    /** What queues have counted: datagrams, doorbells, looks, empty ones. */
    private record Totals(long sent, long doorbells, long looks, long emptyLooks) {
        Totals and(final UdQueue queue) {
            return queue == null
                    ? this
                    : new Totals(
                            sent + queue.sent(),
                            doorbells + queue.doorbells(),
                            looks + queue.looks(),
                            emptyLooks + queue.emptyLooks());
        }
    }

    /**
     * Opens it.
     *
     * @param arrived takes each receive that has a datagram
     * @throws TransportException if there is no port, or a resource cannot be had
     */
    UdPort(final TransportContext context, final RankAddress door, final byte[] nonce, final LongConsumer arrived) {
        this.context = context;
        this.door = door;
        this.nonce = nonce;
        this.arrived = arrived;
        reconnectNanos = context.options().number(Outage.TIMEOUT.key());
        open();
    }

    static UdQueue newQueue(
            final TransportContext where, final Adapter on, final int qkey, final LongConsumer arrived) {
        return new UdQueue(
                on, qkey, VerbsOptions.depth(where.options()), VerbsOptions.skips(where.options(), on), arrived);
    }

    private void open() {
        final Adapter opened = Adapter.open(context.options());
        try {
            final int qkey = Arrays.hashCode(JobSecret.random(Long.BYTES)) & LARGEST_QKEY;
            queue = newQueue(context, opened, qkey, arrived);
            adapter = opened;
            name = opened.name();
            mine = new UdAddress(door, opened.onFabric(), queue.number(), qkey, moves, nonce);
        } catch (final TransportException e) {
            end(opened::close);
            throw e;
        }
    }

    boolean isUp() {
        return queue != null;
    }

    Adapter adapter() {
        return adapter;
    }

    /** Returns the queue in force, or null: there is none now. */
    UdQueue queue() {
        return queue;
    }

    /** Returns where this rank is, or was last; any thread. */
    UdAddress mine() {
        return mine;
    }

    String name() {
        return name;
    }

    /** Adds what all queues have counted; any thread, so it may lag behind. */
    void count(final Map<String, Long> all) {
        final Totals totals = before.and(queue);
        all.put("ud.datagrams.sent", totals.sent());
        all.put("ud.doorbells", totals.doorbells());
        all.put("ud.looks", totals.looks());
        all.put("ud.looks.empty", totals.emptyLooks());
        all.put("ud.reconnects", outage.count());
        all.put("ud.stall.longest.ms", outage.longestMillis());
    }

    // --- failure -----------------------------------------------------------------------------------

    /** Returns why this must be made anew, or null: all is well. */
    String failure() {
        return queue == null ? null : queue.failure();
    }

    /** Whether the port has lost the GID that its packets have, or another one is to be taken now. */
    boolean hasLostAddress() {
        try {
            return queue != null && adapter.hasLostAddress();
        } catch (final TransportException e) {
            return true;
        }
    }

    /** The queue pair is no use any more: ends it, before {@link #ended}. Nothing that it has brought may be touched behind this. */
    void breaks(final String why) {
        LOG.debug("ud: rank {} has lost its queue pair on {}: {}", context.rank(), name, why);
        outage.breaks(why, name + ", " + mine.text());
        before = before.and(queue);
        end(queue::close);
        queue = null;
        pause = FIRST_PAUSE_NANOS;
        nextTry = System.nanoTime();
    }

    /** No way of a peer leads from here any more. */
    void ended() {
        reapAll();
        end(adapter::close);
        adapter = null;
    }

    /** Whether it is not tried any more. */
    boolean isGivenUp() {
        return isGivenUp;
    }

    /** Returns why there is nothing. */
    String text() {
        return outage.text("could not be made again within " + TimeUnit.NANOSECONDS.toMillis(reconnectNanos) / 1e3
                + " s" + (lack == null ? "" : ": " + lack));
    }

    /** Makes it anew if it is time; returns whether it is there again. */
    boolean comesBack() {
        final long now = System.nanoTime();
        if (isGivenUp || now - nextTry < 0) {
            return false;
        }
        if (outage.nanos() > reconnectNanos || reconnectNanos == 0) {
            isGivenUp = true;
            return false;
        }
        moves++;
        try {
            open();
        } catch (final TransportException e) {
            lack = e.getMessage();
            nextTry = System.nanoTime() + pause;
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            return false;
        }
        lack = null;
        outage.connects();
        away = outage.ends();
        LOG.debug("ud: rank {} is back, {}, {}", context.rank(), adapter.text(), mine.text());
        return true;
    }

    /** Returns for how many nanoseconds there was no queue pair, the last time. */
    long away() {
        return away;
    }

    /** Does what may fail where a device is gone: then the system ends it with the device's file. */
    static void end(final Runnable what) {
        try {
            what.run();
        } catch (final TransportException e) {
            LOG.debug("ud: {}", e.getMessage());
        }
    }

    // --- ways --------------------------------------------------------------------------------------

    /** A way that is not used any more goes when nothing that was sent refers to it. */
    void retire(final UdPath path) {
        if (queue == null) {
            end(path::close);
        } else {
            retired.add(new Retired(path, queue.sent()));
        }
    }

    /** Takes away what is not referred to. */
    void reap() {
        while (!retired.isEmpty() && retired.peek().sent() <= queue.completed()) {
            end(retired.poll().path()::close);
        }
    }

    private void reapAll() {
        for (Retired old; (old = retired.poll()) != null; ) {
            end(old.path()::close);
        }
    }

    @Override
    public void close() {
        if (queue != null) {
            before = before.and(queue);
            end(queue::close);
            queue = null;
        }
        if (adapter != null) {
            ended();
        }
    }
}
