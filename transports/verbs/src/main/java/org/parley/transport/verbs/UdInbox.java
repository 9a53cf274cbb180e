package org.parley.transport.verbs;

import org.agrona.UnsafeApi;
import org.parley.transport.RetainingEndpoint;

/**
 * The receiving half of an endpoint over datagrams: hands frames over out of those that have arrived, the short ones where they lie, the long ones
 * when their last piece is there.
 *
 * <p>The holder's of the progress word.
 */
abstract class UdInbox extends RetainingEndpoint {
    private final UdTransport transport;

    /** What has come, the first of which is handed over up to the cursor. */
    private final Arrivals arrivals;

    private int cursor;
    private int peer = -1;

    /** Bytes of the expected frame that were handed over, those that are missing, and where they go. */
    private int progress;

    private long rest;
    private long place;
    private int placeRetained;
    private long staging;
    private boolean isStaged;

    UdInbox(final UdTransport transport, final int window, final int capacity) {
        super(window, capacity);
        this.transport = transport;
        arrivals = new Arrivals(transport.counters());
    }

    /** Returns the handler's index of the peer; -1: unknown. */
    final int peer() {
        return peer;
    }

    final void peer(final int index) {
        peer = index;
    }

    final Arrivals arrivals() {
        return arrivals;
    }

    /** Returns how many bytes of the expected frame were handed over. */
    final int progress() {
        return progress;
    }

    abstract boolean isDown();

    /** The link ends. */
    abstract void down(String why);

    /** Takes what comes by a queue from now on; null: nothing. What came by the one before and was not handed over will come again. */
    final void receives(final UdQueue queue) {
        cursor = 0;
        arrivals.begins(queue, (int) expected(), progress, rest);
    }

    /** What has come is not handed over any more. */
    final void releaseAll() {
        arrivals.clear();
        cursor = 0;
    }

    final void freeStaging() {
        if (staging != 0) {
            UnsafeApi.freeMemory(staging);
            staging = 0;
        }
    }

    final int handOver(final int limit) {
        int handed = 0;
        while (handed < limit && arrivals.first() != 0 && !isDown()) {
            handed += Datagram.offset(UdQueue.datagram(arrivals.first())) > 0 ? takePiece() : takeFrame();
            if (!isDown() && Datagram.HEADER + cursor == UdQueue.length(arrivals.first())) {
                arrivals.removeFirst();
                cursor = 0;
            }
        }
        return handed;
    }

    private int takePiece() {
        final int bytes = UdQueue.length(arrivals.first()) - Datagram.HEADER;
        if (bytes > rest) {
            down("sends " + bytes + " bytes where " + rest + " are missing of a frame");
            return 0;
        }
        UnsafeApi.copyMemory(UdQueue.datagram(arrivals.first()) + Datagram.HEADER, place, bytes);
        place += bytes;
        progress += bytes;
        cursor = bytes;
        rest -= bytes;
        if (rest > 0) {
            return 0;
        }
        progress = 0;
        // What is told to the handler may end the link, or send.
        if (isStaged) {
            taken(retainedOf(staging));
            transport.handler().onFrame(peer(), staging + HEADER, lengthOf(staging));
        } else {
            taken(placeRetained);
            transport.handler().onRest(peer);
        }
        return 1;
    }

    private int takeFrame() {
        final long header = UdQueue.datagram(arrivals.first()) + Datagram.HEADER + cursor;
        final int available = UdQueue.length(arrivals.first()) - Datagram.HEADER - cursor;
        if (available < HEADER) {
            down("sends " + available + " bytes where a frame is expected");
            return 0;
        }
        final long all = wireLengthOf(header);
        switch (arrives(header)) {
            case TAKE -> {
                if (available < all) {
                    return begin(header, all, available);
                }
                cursor += (int) all;
                taken(retainedOf(header));
                transport.handler().onFrame(peer(), header + HEADER, lengthOf(header));
                return 1;
            }
            case DUPLICATE -> cursor += (int) Math.min(all, available);
            case BROKEN -> down(whyBroken());
            default -> down("sends an acknowledgement as a frame");
        }
        return 0;
    }

    /** The first piece of a long frame is there. */
    private int begin(final long header, final long all, final int available) {
        final int head = headOf(header);
        if (head > 0 && HEADER + head <= available) {
            final int here = available - HEADER - head;
            final long given = transport.handler().onHead(peer, header + HEADER, head, lengthOf(header) - head);
            if (isDown()) {
                return 0;
            }
            if (given != 0) {
                UnsafeApi.copyMemory(header + HEADER + head, given, here);
                begun(all, available, given + here, false);
                placeRetained = retainedOf(header);
                return 0;
            }
        }
        final long most = HEADER + transport.capabilities().maxFrame() + Long.BYTES;
        if (all > most) {
            down("sends a frame of " + lengthOf(header) + " bytes, longer than the longest, "
                    + transport.capabilities().maxFrame());
            return 0;
        }
        if (staging == 0) {
            staging = UnsafeApi.allocateMemory(most);
        }
        UnsafeApi.copyMemory(header, staging, available);
        begun(all, available, staging + available, true);
        return 0;
    }

    private void begun(final long all, final int available, final long to, final boolean inStaging) {
        cursor += available;
        progress = available;
        rest = all - available;
        place = to;
        isStaged = inStaging;
    }
}
