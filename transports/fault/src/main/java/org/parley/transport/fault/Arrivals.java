package org.parley.transport.fault;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.UnsafeApi;
import org.agrona.collections.Int2ObjectHashMap;
import org.parley.transport.FrameHandler;
import org.parley.transport.fault.FaultCounters.Fault;

/**
 * Stands between the inner transport and the real handler, and does to what arrives what the plan
 * says. What is kept back keeps back all that comes behind it from the same peer.
 */
final class Arrivals implements FrameHandler {
    private static final int LONGEST_HOLD = 20;

    /** With so many frames kept back, no more are taken in. */
    private static final int MOST_HELD = 1000;

    private static final long BYTES = UnsafeApi.arrayBaseOffset(byte[].class);

    private final FrameHandler handler;
    private final FaultPlan plan;
    private final FaultCounters counters;
    private final Random random;
    private final Int2ObjectHashMap<Link> links = new Int2ObjectHashMap<>();

    /** The same links: the handler may cause a connection, so a new one, at any time. */
    private final List<Link> inOrder = new ArrayList<>();

    /** Whose memory is fetched, by token. */
    private final Map<Long, Integer> fetched = new HashMap<>();

    private final ArrayDeque<Ended> ended = new ArrayDeque<>();
    private int limit;
    private int held;
    private int endedPolls;

    private static final class Link {
        private final int peer;

        /** Kept back, for so many polls more. */
        private final ArrayDeque<byte[]> frames = new ArrayDeque<>();

        private int polls;

        /** To come after the next frame, or, if there is none, after so many polls. */
        private byte[] late;

        private int latePolls;

        /** In this poll. */
        private int handed;

        private boolean down;

        Link(final int peer) {
            this.peer = peer;
        }
    }

    private record Ended(int peer, long token, String failure) {}

    Arrivals(final FrameHandler handler, final FaultPlan plan, final FaultCounters counters, final Random random) {
        this.handler = handler;
        this.plan = plan;
        this.counters = counters;
        this.random = random;
    }

    /** A poll begins: hands over what was kept back long enough. */
    int begin(final int pollLimit) {
        limit = pollLimit;
        int work = 0;
        for (int i = 0; i < inOrder.size(); i++) {
            work += handOverHeld(inOrder.get(i));
        }
        if (endedPolls > 0) {
            endedPolls--;
        }
        while (endedPolls == 0 && !ended.isEmpty()) {
            final Ended one = ended.remove();
            handler.onTransferred(one.token(), one.failure());
            work++;
        }
        return work;
    }

    private int handOverHeld(final Link link) {
        link.handed = 0;
        if (link.polls > 0) {
            link.polls--;
        }
        int work = 0;
        while (link.polls == 0 && link.handed < limit && !link.frames.isEmpty()) {
            held--;
            handOver(link, link.frames.remove());
            work++;
        }
        if (link.late != null && link.latePolls-- == 0 && link.handed < limit) {
            deliverLate(link);
            work++;
        }
        return work;
    }

    /** Whether something is kept back. */
    boolean isHolding() {
        return held > 0 || !ended.isEmpty();
    }

    boolean isFull() {
        return held > MOST_HELD;
    }

    /** Cuts the link of a peer; nothing of it is handed over any more. */
    void cut(final int peer, final String cause) {
        final Link link = link(peer);
        if (!link.down) {
            counters.count(Fault.CUT);
            link.down = true;
            held -= link.frames.size();
            link.frames.clear();
            link.late = null;
            handler.onLinkDown(peer, cause);
        }
    }

    /** A fetch begins. */
    void fetches(final int peer, final long token) {
        fetched.put(token, peer);
    }

    /** It has not begun. */
    void doesNotFetch(final long token) {
        fetched.remove(token);
    }

    /** Nothing more is told of a peer's memory. */
    void drop(final int peer) {
        fetched.values().removeIf(of -> of == peer);
        ended.removeIf(one -> one.peer() == peer);
    }

    boolean isDown(final int peer) {
        return link(peer).down;
    }

    @Override
    public int onPeer(final int rank) {
        final int peer = handler.onPeer(rank);
        link(peer);
        return peer;
    }

    @Override
    public byte[] addressOf(final int rank, final String transport) {
        return handler.addressOf(rank, transport);
    }

    Link link(final int peer) {
        Link link = links.get(peer);
        if (link == null) {
            link = new Link(peer);
            links.put(peer, link);
            inOrder.add(link);
        }
        return link;
    }

    @Override
    public void onFrame(final int peer, final long address, final int length) {
        final Link link = link(peer);
        if (link.down) {
            return;
        }
        if (by(plan.cut())) {
            cut(peer, "cut by the plan of faults");
            return;
        }
        if (link.frames.isEmpty() && by(plan.hold())) {
            counters.count(Fault.HELD);
            link.polls = 1 + random.nextInt(LONGEST_HOLD);
        }
        final boolean now = link.frames.isEmpty() && link.polls == 0 && link.handed < limit;
        if (now && plan.isLegal()) {
            link.handed++;
            counters.count(Fault.DELIVERED);
            handler.onFrame(peer, address, length);
            return;
        }
        final byte[] copy = new byte[length];
        UnsafeApi.copyMemory(null, address, copy, BYTES, length);
        if (now) {
            handOver(link, copy);
        } else {
            link.frames.add(copy);
            held++;
        }
    }

    private void handOver(final Link link, final byte[] frame) {
        if (by(plan.drop())) {
            counters.count(Fault.DROPPED);
            return;
        }
        if (by(plan.corrupt())) {
            counters.count(Fault.CORRUPTED);
            frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
        }
        if (link.late == null && by(plan.reorder())) {
            counters.count(Fault.REORDERED);
            link.late = frame;
            link.latePolls = LONGEST_HOLD;
            return;
        }
        deliver(link, frame);
        if (by(plan.duplicate())) {
            counters.count(Fault.DUPLICATED);
            deliver(link, frame);
        }
        if (link.late != null) {
            deliverLate(link);
        }
    }

    private void deliverLate(final Link link) {
        final byte[] late = link.late;
        link.late = null;
        deliver(link, late);
    }

    private void deliver(final Link link, final byte[] frame) {
        link.handed++;
        counters.count(Fault.DELIVERED);
        final long memory = UnsafeApi.allocateMemory(frame.length);
        try {
            UnsafeApi.copyMemory(frame, BYTES, null, memory, frame.length);
            handler.onFrame(link.peer, memory, frame.length);
        } finally {
            UnsafeApi.freeMemory(memory);
        }
    }

    @Override
    public void onTransferred(final long token, final String cause) {
        final boolean isSpoiled = cause == null && by(plan.spoil());
        if (isSpoiled) {
            counters.count(Fault.SPOILED);
        }
        final Integer peer = fetched.remove(token);
        final String failure = isSpoiled ? "spoiled by the fault plan" : cause;
        if (ended.isEmpty() && by(plan.hold())) {
            counters.count(Fault.HELD);
            endedPolls = 1 + random.nextInt(LONGEST_HOLD);
        }
        if (ended.isEmpty() && endedPolls == 0) {
            handler.onTransferred(token, failure);
        } else {
            ended.add(new Ended(peer == null ? -1 : peer, token, failure));
        }
    }

    @Override
    public void onLinkBack(final int peer, final long nanos) {
        handler.onLinkBack(peer, nanos);
    }

    @Override
    public void onLinkDown(final int peer, final String cause) {
        final Link link = link(peer);
        if (link.down) {
            return;
        }
        // What arrived before is handed over before.
        while (!link.frames.isEmpty()) {
            held--;
            deliver(link, link.frames.remove());
        }
        if (link.late != null) {
            deliverLate(link);
        }
        link.down = true;
        handler.onLinkDown(peer, cause);
    }

    private boolean by(final int thousandths) {
        return thousandths > 0 && random.nextInt(1000) < thousandths;
    }
}
