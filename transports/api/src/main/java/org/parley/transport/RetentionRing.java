package org.parley.transport;

import org.agrona.UnsafeApi;

/**
 * Frames of one sender, numbered, from their claim until the peer has acknowledged them: they outlive
 * links. The bytes on the wire are those in the ring, so many short frames go with one write, and
 * nothing is copied again.
 *
 * <pre>
 *   0   length   u32   of the body, a payload that lies elsewhere included
 *   4   number   u32   the frame's, counted from 0, mod 2^32
 *   8   ack      u32   number of the frame that the sender of this one expects next
 *   12  head     u16   bytes of the body before its payload; 0: the frame is handed over whole
 *   14  kind     u16
 *   16  body           padded to 8 bytes, on the wire too, unless the frame has a head
 *
 *   In the ring only: of a GATHERED frame the head, padded to 8 bytes, and the address of its payload,
 *   which stays with its owner; and a length of -1, where the next frame did not fit before the end.
 * </pre>
 *
 * <p>Positions count bytes and are never wrapped. Everything between {@link #acked} and the tail is
 * retained; what lies behind {@link #sent} has not left yet.
 */
final class RetentionRing {
    static final int HEADER = 16;
    static final int NUMBER = 4;
    static final int ACK = 8;
    static final int HEAD = 12;
    static final int KIND = 14;

    static final short FRAME = 0;
    static final short GATHERED = 1;
    static final short ACKNOWLEDGEMENT = 2;
    static final short FAREWELL = 3;
    static final short RESUME = 4;

    private static final int SKIP = -1;
    private static final int CONTROL = 64;

    private final long memory;
    private final long base;
    private final int capacity;

    private long acked;
    private long tail;
    private long ackedNumber;
    private long nextNumber;

    private long claimed;
    private int claimedSpan;
    private int claimedLength;

    /** What is on its way out: a run of the ring, then perhaps a payload, then a run from elsewhere on. */
    private long sent;

    private long runEnd;
    private long runNext;
    private long payload;
    private long payloadLeft;

    /** Up to where links before this one have carried everything. */
    private long everSent;

    /** Behind the last gathered frame. */
    private long gatheredEnd;

    RetentionRing(final int capacity) {
        if (Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException("the ring has " + capacity + " bytes, must have a power of two");
        }
        this.capacity = capacity;
        memory = UnsafeApi.allocateMemory(this.capacity + 2L * CONTROL);
        base = (memory + CONTROL - 1 & -CONTROL) + CONTROL;
    }

    /** Returns {@link #CONTROL} bytes in front of the ring, for frames that are not retained. */
    long control() {
        return base - CONTROL;
    }

    /** Returns where frames begin. */
    long base() {
        return base;
    }

    int capacity() {
        return capacity;
    }

    /** Claims room for a body, of which {@code inRing} bytes lie here; returns the body's address. */
    long claim(final int length, final int inRing) {
        final int span = HEADER + inRing + 7 & -8;
        final int toEnd = capacity - (int) (tail & capacity - 1);
        final long start = span <= toEnd ? tail : tail + toEnd;
        if (start + span - acked > capacity) {
            return Endpoint.BACK_PRESSURED;
        }
        claimed = start;
        claimedSpan = span;
        claimedLength = length;
        return at(start) + HEADER;
    }

    /** Whether a gathered frame has not left yet. */
    boolean isGathering() {
        return gatheredEnd > sent || payloadLeft > 0;
    }

    /** Publishes the claimed frame; returns whether nothing waits before it. */
    boolean commit(final int head, final short kind, final long ack) {
        final boolean first = sent == tail && payloadLeft == 0;
        if (claimed != tail) {
            UnsafeApi.putInt(at(tail), SKIP);
        }
        final long frame = at(claimed);
        UnsafeApi.putInt(frame, claimedLength);
        UnsafeApi.putInt(frame + NUMBER, (int) nextNumber++);
        UnsafeApi.putInt(frame + ACK, (int) ack);
        UnsafeApi.putInt(frame + HEAD, head & 0xffff | kind << 16);
        tail = claimed + claimedSpan;
        if (kind == GATHERED) {
            gatheredEnd = tail;
        }
        if (first) {
            sent = claimed;
            runEnd = claimed;
            runNext = claimed;
        }
        return first;
    }

    /** The claimed frame's payload lies elsewhere, until the frame is acknowledged and longer. */
    void payload(final int head, final long address) {
        UnsafeApi.putLong(at(claimed) + HEADER + (head + 7 & -8), address);
    }

    // --- what leaves -----------------------------------------------------------------------------

    boolean isSent() {
        return sent == tail && payloadLeft == 0;
    }

    /** Returns how many bytes have not left, heads of frames included. */
    long unsent() {
        return tail - sent + payloadLeft;
    }

    /** Whether what has left ends with a whole frame. */
    boolean isBetweenFrames() {
        return sent == runEnd && payloadLeft == 0;
    }

    /**
     * Finds what is to be written next.
     *
     * @param most bytes that a run of several frames has at most
     * @return false if there is nothing
     */
    boolean nextRun(final int most) {
        if (sent != runEnd || payloadLeft > 0) {
            return true;
        }
        sent = runNext;
        if (sent == tail) {
            runEnd = tail;
            return false;
        }
        if (UnsafeApi.getInt(at(sent)) == SKIP) {
            sent += capacity - (sent & capacity - 1);
        }
        long position = sent;
        while (position < tail) {
            final long frame = at(position);
            final int length = UnsafeApi.getInt(frame);
            if (length == SKIP) {
                break;
            }
            final int head = UnsafeApi.getShort(frame + HEAD) & 0xffff;
            final boolean isFull = position - sent + HEADER + Math.max(head, length) > most;
            if (position > sent && (isFull || (position & capacity - 1) == 0)) {
                break;
            }
            if (head == 0) {
                position += span(frame);
                continue;
            }
            runNext = position + span(frame);
            if (UnsafeApi.getShort(frame + KIND) == GATHERED) {
                runEnd = position + HEADER + head;
                payload = UnsafeApi.getLong(frame + HEADER + (head + 7 & -8));
                payloadLeft = length - head;
            } else {
                runEnd = position + HEADER + length;
            }
            return true;
        }
        runEnd = position;
        runNext = position;
        return true;
    }

    long runAddress() {
        return at(sent);
    }

    int runLength() {
        return (int) (runEnd - sent);
    }

    long payload() {
        return payload;
    }

    long payloadLeft() {
        return payloadLeft;
    }

    /** So many bytes have left: first of the run, then of the payload. */
    void left(final long bytes) {
        final long ofRun = Math.min(bytes, runEnd - sent);
        sent += ofRun;
        payload += bytes - ofRun;
        payloadLeft -= bytes - ofRun;
        if (sent == runEnd && payloadLeft == 0) {
            sent = runNext;
            runEnd = runNext;
        }
    }

    // --- what may be forgotten -------------------------------------------------------------------

    boolean isAcknowledged() {
        return acked == tail;
    }

    long ackedNumber() {
        return ackedNumber;
    }

    long nextNumber() {
        return nextNumber;
    }

    /**
     * The peer has all frames before a number.
     *
     * @return false if that cannot be: not so many have been sent
     */
    boolean acknowledged(final long number) {
        while (ackedNumber < number) {
            final long next = acked == tail ? Long.MAX_VALUE : behind(acked);
            if (next > Math.max(sent, everSent)) {
                return false;
            }
            if (next > sent && !isBetweenFrames()) {
                // Half of it is on its way again; later frames acknowledge it, too.
                return true;
            }
            if (next > sent) {
                sent = next;
                runEnd = next;
                runNext = next;
            }
            acked = next;
            ackedNumber++;
        }
        if (acked == tail && isSent()) {
            // Begins again at the front, whose memory is in the cache.
            acked = 0;
            tail = 0;
            sent = 0;
            runEnd = 0;
            runNext = 0;
            gatheredEnd = 0;
            everSent = 0;
        }
        return true;
    }

    /** A new link begins with the oldest retained frame. */
    void rewind() {
        everSent = Math.max(everSent, sent);
        sent = acked;
        runEnd = acked;
        runNext = acked;
        payloadLeft = 0;
    }

    /** Returns how many frames are to be sent that have been sent before, at least in part. */
    long countAgain() {
        long again = 0;
        for (long position = acked; position < everSent; again++) {
            position = behind(position);
        }
        return again;
    }

    private long behind(final long position) {
        final long frame = at(position);
        if (UnsafeApi.getInt(frame) == SKIP) {
            final long front = position + capacity - (position & capacity - 1);
            return front + span(at(front));
        }
        return position + span(frame);
    }

    static int span(final long frame) {
        final boolean gathered = UnsafeApi.getShort(frame + KIND) == GATHERED;
        final int inRing =
                gathered ? (UnsafeApi.getShort(frame + HEAD) + 7 & -8) + Long.BYTES : UnsafeApi.getInt(frame);
        return HEADER + inRing + 7 & -8;
    }

    private long at(final long position) {
        return base + (position & capacity - 1);
    }

    void free() {
        UnsafeApi.freeMemory(memory);
    }
}
