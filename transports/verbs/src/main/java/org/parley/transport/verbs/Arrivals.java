package org.parley.transport.verbs;

import org.parley.transport.RetainingEndpoint;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * Datagrams of one peer that are not handed over: those that follow each other without a gap, in a chain of their receives, and those that came
 * too soon, held in order. One in which all has been here before is dropped. A position is a frame's number and an offset in it.
 */
final class Arrivals {
    /** Datagrams that came too soon are held up to this, unless receives are short. */
    private static final int MOST_HELD = Flight.MOST / 2;

    private static final int FRAME_HEADER = RetainingEndpoint.HEADER;

    private UdQueue queue;
    private final UdCounters counters;
    private long first;
    private long last;
    private long held;
    private int heldCount;

    /** What follows the last one: a position, and how many bytes are missing of the frame there. */
    private int nextNumber;

    private int nextOffset;
    private long nextLeft;

    private int untold;
    private boolean isAsked;

    Arrivals(final UdCounters counters) {
        this.counters = counters;
    }

    /** Returns the receive that is to be handed over next, or 0. */
    long first() {
        return first;
    }

    /** The first is handed over. */
    void removeFirst() {
        final long done = first;
        first = WorkRequest.following(done);
        queue.recycle(done);
    }

    /** Whether something is missing that was sent before what is held. */
    boolean hasGap() {
        return held != 0;
    }

    boolean isEmpty() {
        return first == 0 && held == 0;
    }

    /** Returns how many have come since the peer was told. */
    int untold() {
        return untold;
    }

    /** Whether the peer wants to know: it has asked, or something has come in vain or too soon. */
    boolean isAsked() {
        return isAsked;
    }

    /** The peer is told. */
    void told() {
        untold = 0;
        isAsked = false;
    }

    /**
     * Begins with another queue, or none, where the first byte is that was not handed over. What came by the one before is gone with it.
     *
     * @param number of the frame
     * @param offset bytes of it that were handed over
     * @param left bytes of it that are missing
     */
    void begins(final UdQueue other, final int number, final int offset, final long left) {
        queue = other;
        first = 0;
        held = 0;
        heldCount = 0;
        nextNumber = number;
        nextOffset = offset;
        nextLeft = left;
        untold = 0;
    }

    /** The peer is to be told. */
    void ask() {
        isAsked = true;
    }

    /** Gives all back. */
    void clear() {
        first = release(first);
        held = release(held);
        heldCount = 0;
    }

    private long release(final long chain) {
        for (long receive = chain; receive != 0; ) {
            final long following = WorkRequest.following(receive);
            queue.recycle(receive);
            receive = following;
        }
        return 0;
    }

    /**
     * Finds out whether a datagram's turn has come, or is over.
     *
     * @param receive the receive that has it
     * @param asks whether its sender waits to be told
     */
    void add(final long receive, final boolean asks) {
        isAsked |= asks;
        final int ahead = ahead(receive);
        if (ahead > 0) {
            hold(receive);
            return;
        }
        append(receive, ahead);
        while (held != 0 && ahead(held) <= 0) {
            final long next = held;
            held = WorkRequest.following(held);
            heldCount--;
            append(next, ahead(next));
        }
    }

    /** Compares where a datagram begins with where the last one has ended. */
    private int ahead(final long receive) {
        final long datagram = UdQueue.datagram(receive);
        final int frames = Datagram.number(datagram) - nextNumber;
        return frames != 0 ? frames : Datagram.offset(datagram) - nextOffset;
    }

    private void append(final long receive, final int ahead) {
        final boolean isNew =
                Datagram.offset(UdQueue.datagram(receive)) > 0 ? ahead == 0 && passPiece(receive) : passFrames(receive);
        if (!isNew) {
            // Sent in vain: the peer does not know what is here.
            counters.duplicates++;
            isAsked = true;
            queue.recycle(receive);
            return;
        }
        WorkRequest.next(receive, 0);
        if (first == 0) {
            first = receive;
        } else {
            WorkRequest.next(last, receive);
        }
        last = receive;
        untold++;
    }

    private boolean passPiece(final long receive) {
        final int bytes = UdQueue.length(receive) - Datagram.HEADER;
        nextOffset += bytes;
        nextLeft -= bytes;
        if (nextLeft <= 0) {
            nextNumber++;
            nextOffset = 0;
        }
        return true;
    }

    /** Whether there is a frame, or the beginning of one, that was not here. */
    private boolean passFrames(final long receive) {
        final long frames = UdQueue.datagram(receive) + Datagram.HEADER;
        final int bytes = UdQueue.length(receive) - Datagram.HEADER;
        int number = Datagram.number(UdQueue.datagram(receive));
        for (long at = 0; at < bytes; number++) {
            // What is malformed is found when it is handed over.
            final long all = at + FRAME_HEADER > bytes
                    ? bytes
                    : Math.max(FRAME_HEADER, RetainingEndpoint.wireLengthOf(frames + at));
            if (at + all > bytes) {
                if (number != nextNumber || nextOffset > 0) {
                    return false;
                }
                nextOffset = (int) (bytes - at);
                nextLeft = at + all - bytes;
                return true;
            }
            at += all;
        }
        if (number - nextNumber <= 0) {
            return false;
        }
        nextNumber = number;
        return true;
    }

    /** Keeps, in order, what came before its turn. */
    private void hold(final long receive) {
        isAsked = true;
        long before = 0;
        long after = held;
        while (after != 0 && compare(after, receive) < 0) {
            before = after;
            after = WorkRequest.following(after);
        }
        if (heldCount == MOST_HELD || queue.isShort() || after != 0 && compare(after, receive) == 0) {
            counters.tooSoon++;
            queue.recycle(receive);
            return;
        }
        WorkRequest.next(receive, after);
        if (before == 0) {
            held = receive;
        } else {
            WorkRequest.next(before, receive);
        }
        heldCount++;
        counters.held++;
    }

    private static int compare(final long one, final long other) {
        final long a = UdQueue.datagram(one);
        final long b = UdQueue.datagram(other);
        final int frames = Datagram.number(a) - Datagram.number(b);
        return frames != 0 ? frames : Integer.compare(Datagram.offset(a), Datagram.offset(b));
    }
}
