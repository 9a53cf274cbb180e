package org.parley.transport;

import org.agrona.UnsafeApi;

/**
 * An endpoint whose frames outlive its link: they are claimed in a ring of its own, numbered, and kept
 * until the peer's software acknowledges them; a new link begins where the peer says that it is.
 * Whatever leads to another machine extends this. It knows both directions of a pair of ranks: what
 * arrives carries the acknowledgement of what was sent.
 *
 * <p><b>Acknowledgement.</b> Every frame says which one its sender expects next. Alone that goes only
 * when half a window of the peer waits for it, or after a millisecond in which nothing was sent.
 *
 * <p><b>Order.</b> A frame with the expected number is taken; with a lower one it is a duplicate and
 * dropped; with a higher one, something is lost for good, and the link is at its end.
 *
 * <p>Threads: as {@link Transport} says.
 */
public abstract class RetainingEndpoint extends Endpoint {
    /** Bytes before the body of a frame; a frame that is not retained has nothing else. */
    public static final int HEADER = RetentionRing.HEADER;

    /** Bytes of what each end says first on a link that takes the place of another: see {@link #resume}. */
    public static final int RESUME_BYTES = HEADER + 3 * Long.BYTES;

    private static final int RESUME_EXPECTED = HEADER;
    private static final int RESUME_OLDEST = HEADER + Long.BYTES;
    private static final int RESUME_NEXT = HEADER + 2 * Long.BYTES;

    /** How long an acknowledgement waits for a frame that takes it along. */
    private static final long ACK_DELAY_NANOS = 1_000_000;

    /** Runs longer than this are written in pieces; no link takes more at once. */
    private static final int LONGEST_RUN = 60 * 1024;

    /** A frame is to be taken. */
    protected static final int TAKE = 0;

    /** A frame has been taken before: to be dropped. */
    protected static final int DUPLICATE = 1;

    /** A frame without a body that has done its work. */
    protected static final int DONE = 2;

    /** A frame that cannot be right; {@link #whyBroken} says why. */
    protected static final int BROKEN = 3;

    private final RetentionRing ring;
    private final int longestRun;
    private Link link;

    /** Becomes {@link #link} when both ends have said where they are: this one so far as nothing is left, the other one's number. */
    private Link resuming;

    private int resumeLeft;
    private long peerExpects;

    private boolean closed;
    private boolean ended;
    private int claimedHead;

    /** A frame that is not retained, on its way out. */
    private int controlLeft;

    /** Frames wait for others that may be committed soon. */
    private boolean waits;

    private boolean hasLeft;
    private boolean farewellDue;
    private boolean ackDue;

    /** How far both directions were when the link began. */
    private long movedBefore;

    private long expected;
    private long announced;
    private long owedBytes;
    private long owedSince;
    private boolean peerLeft;
    private String broken;

    private long duplicates;
    private long replayed;
    private long acksAlone;

    /**
     * For subclasses: a session without a link.
     *
     * @param window bytes that are retained at most, a power of two
     */
    protected RetainingEndpoint(final int window) {
        this(window, LONGEST_RUN);
    }

    /**
     * For subclasses whose links take messages of a certain length.
     *
     * @param window bytes that are retained at most, a power of two
     * @param longestRun bytes of several frames that are written at once at most
     */
    protected RetainingEndpoint(final int window, final int longestRun) {
        ring = new RetentionRing(window);
        this.longestRun = longestRun;
    }

    // --- Endpoint --------------------------------------------------------------------------------

    @Override
    public final long claim(final int length) {
        if (closed) {
            return CLOSED;
        }
        return ring.claim(length, length);
    }

    @Override
    public final void commit() {
        commit(0, RetentionRing.FRAME);
    }

    @Override
    public final boolean commitLater() {
        final boolean first = publish(0, RetentionRing.FRAME);
        if (first && link != null) {
            waits = link.waitsForOthers();
            if (!waits) {
                flush();
            }
        }
        return waits;
    }

    @Override
    public final void commit(final long frame, final int head, final long payload, final int length) {
        final boolean first = publish(head, RetentionRing.FRAME);
        long left = 0;
        if (link != null && !link.takesCopies()) {
            UnsafeApi.copyMemory(payload, frame + head, length);
            if (first) {
                flush();
            }
            return;
        }
        if (first && !waits && link != null && controlLeft == 0 && ring.nextRun(longestRun)) {
            // What flies needs no copy; the copy that is kept is made while it does.
            left = link.write(ring.runAddress(), HEADER + head, payload, length);
        }
        UnsafeApi.copyMemory(payload, frame + head, length);
        if (left > 0) {
            ring.left(left);
        }
        if ((left > 0 || waits) && !ring.isSent()) {
            flush();
        }
    }

    @Override
    public final long claimGathered(final int head, final int payload) {
        if (closed) {
            return CLOSED;
        }
        if (ring.isGathering()) {
            return BACK_PRESSURED;
        }
        claimedHead = head;
        return ring.claim(head + payload, (head + 7 & -8) + Long.BYTES);
    }

    @Override
    public final void commitGathered(final long payload) {
        ring.payload(claimedHead, payload);
        commit(claimedHead, RetentionRing.GATHERED);
    }

    private void commit(final int head, final short kind) {
        if (publish(head, kind) && link != null) {
            flush();
        }
    }

    /** Returns whether nothing waits before it for want of room. */
    private boolean publish(final int head, final short kind) {
        announce();
        return ring.commit(head, kind, expected) || waits;
    }

    @Override
    public final void abort() {
        claimedHead = 0;
    }

    @Override
    public final boolean isSent() {
        return ended || ring.isSent() && controlLeft == 0;
    }

    @Override
    public final long unsent() {
        return ended ? 0 : ring.unsent();
    }

    @Override
    public final boolean isAcknowledged() {
        return ended || ring.isAcknowledged();
    }

    @Override
    public final long acknowledged() {
        return ring.ackedNumber();
    }

    // --- the link --------------------------------------------------------------------------------

    /**
     * Begins to send over a link, where the peer is; frames that it has not are sent again.
     *
     * @param newLink the link
     * @param peerExpects number of the frame that the peer expects next: 0 for a first link
     * @throws TransportException if the peer's number cannot be, naming both sides'
     */
    protected final void attach(final Link newLink, final long peerExpects) {
        ring.rewind();
        if (peerExpects < ring.ackedNumber() || peerExpects > ring.nextNumber() || !ring.acknowledged(peerExpects)) {
            throw new TransportException("the peer expects frame " + peerExpects + ", but " + ring.ackedNumber()
                    + " to " + ring.nextNumber() + " are those that can be sent: one side has lost its state");
        }
        replayed += ring.countAgain();
        controlLeft = 0;
        farewellDue = hasLeft;
        movedBefore = moved();
        link = newLink;
        flush();
    }

    private long moved() {
        return expected + ring.ackedNumber();
    }

    /** Whether the link has brought a frame, or the acknowledgement of one. */
    public final boolean hasMoved() {
        return link != null && moved() != movedBefore;
    }

    /** The link is gone; frames are kept, and claimed as long as there is room. */
    protected final void detach() {
        link = null;
        resuming = null;
    }

    /**
     * Begins with a link that takes the place of another one, which is fenced: nothing of it can arrive any more. The first
     * thing that each end says on it is which frame it expects, and which ones it can send; see {@link #resumed}.
     *
     * @param newLink the link
     * @param epoch its number
     */
    protected final void resume(final Link newLink, final int epoch) {
        final long frame = ring.control();
        UnsafeApi.putInt(frame, RESUME_BYTES - HEADER);
        UnsafeApi.putInt(frame + RetentionRing.NUMBER, epoch);
        UnsafeApi.putInt(frame + RetentionRing.ACK, (int) expected);
        UnsafeApi.putInt(frame + RetentionRing.HEAD, RetentionRing.RESUME << 16);
        UnsafeApi.putLong(frame + RESUME_EXPECTED, expected);
        UnsafeApi.putLong(frame + RESUME_OLDEST, ring.ackedNumber());
        UnsafeApi.putLong(frame + RESUME_NEXT, ring.nextNumber());
        announce();
        link = null;
        resuming = newLink;
        resumeLeft = RESUME_BYTES;
        peerExpects = -1;
        flush();
    }

    /**
     * Takes what the other end says first.
     *
     * @param frame native address of {@link #RESUME_BYTES} bytes
     * @param epoch number of the link
     * @return null if all is well, or what cannot be
     */
    protected final String resumed(final long frame, final int epoch) {
        if (UnsafeApi.getShort(frame + RetentionRing.KIND) != RetentionRing.RESUME
                || lengthOf(frame) != RESUME_BYTES - HEADER
                || UnsafeApi.getInt(frame + RetentionRing.NUMBER) != epoch) {
            return "does not say where it is on link " + epoch;
        }
        final long oldest = UnsafeApi.getLong(frame + RESUME_OLDEST);
        final long next = UnsafeApi.getLong(frame + RESUME_NEXT);
        if (expected < oldest || expected > next) {
            return "can send frames " + oldest + " to " + next + ", but " + expected
                    + " is expected: one side has lost its state";
        }
        final long wanted = UnsafeApi.getLong(frame + RESUME_EXPECTED);
        if (wanted < ring.ackedNumber() || wanted > ring.nextNumber()) {
            return "expects frame " + wanted + ", but " + ring.ackedNumber() + " to " + ring.nextNumber()
                    + " are those that can be sent: one side has lost its state";
        }
        peerExpects = wanted;
        flush();
        return null;
    }

    private long writeResume() {
        final long left = resumeLeft == 0 ? 0 : resuming.write(ring.control() + RESUME_BYTES - resumeLeft, resumeLeft);
        resumeLeft -= (int) left;
        if (left > 0) {
            resuming.written();
        }
        if (resumeLeft == 0 && peerExpects >= 0 && resuming != null) {
            final Link ready = resuming;
            resuming = null;
            attach(ready, peerExpects);
        }
        return left;
    }

    /** Begins again with the oldest frame that is not acknowledged, over the same link: it loses what it carries. */
    protected final void sendAgain() {
        ring.rewind();
        controlLeft = 0;
        flush();
    }

    /** Returns the number of the frame that is expected from the peer: what it is told in a new link. */
    protected final long expected() {
        return expected;
    }

    /** Whether there is something to write. */
    protected final boolean hasUnsent() {
        return !ring.isSent() || controlLeft > 0 || ackDue || farewellDue || resuming != null;
    }

    /**
     * Writes as much as the link takes.
     *
     * @return how many bytes were written
     */
    protected final long flush() {
        if (link == null) {
            return resuming == null ? 0 : writeResume();
        }
        waits = false;
        final long all = writeAll();
        if (link != null) {
            link.written();
        }
        return all;
    }

    private long writeAll() {
        long all = 0;
        while (link != null) {
            final long left;
            if (controlLeft > 0) {
                left = link.write(ring.control() + HEADER - controlLeft, controlLeft);
                controlLeft -= (int) left;
            } else if (ring.nextRun(longestRun)) {
                left = ring.payloadLeft() == 0
                        ? link.write(ring.runAddress(), ring.runLength())
                        : link.write(ring.runAddress(), ring.runLength(), ring.payload(), ring.payloadLeft());
                ring.left(left);
            } else if (ackDue || farewellDue) {
                prepareControl();
                continue;
            } else {
                return all;
            }
            if (left == 0) {
                return all;
            }
            all += left;
        }
        return all;
    }

    private void prepareControl() {
        final boolean isFarewell = !ackDue;
        final long frame = ring.control();
        UnsafeApi.putInt(frame, 0);
        UnsafeApi.putInt(frame + RetentionRing.NUMBER, (int) ring.nextNumber());
        UnsafeApi.putInt(frame + RetentionRing.ACK, (int) expected);
        UnsafeApi.putInt(
                frame + RetentionRing.HEAD,
                (isFarewell ? RetentionRing.FAREWELL : RetentionRing.ACKNOWLEDGEMENT) << 16);
        controlLeft = HEADER;
        if (isFarewell) {
            farewellDue = false;
        } else {
            acksAlone++;
        }
        announce();
    }

    /** Says that nothing more will come, behind all that was committed. */
    protected final void sayFarewell() {
        hasLeft = true;
        farewellDue = true;
        flush();
    }

    /** Acknowledges what was taken, alone if nothing takes it along. */
    protected final void acknowledgeNow() {
        ackDue = true;
        flush();
    }

    /** Returns where the memory begins that frames are retained in: a link may have to register it. */
    protected final long retainedAddress() {
        return ring.control();
    }

    /** Returns how many bytes that memory has. */
    protected final long retainedBytes() {
        return ring.base() + ring.capacity() - ring.control();
    }

    /** Whether bytes to be written stay where they are until they are acknowledged; those of an acknowledgement do not. */
    protected final boolean isRetained(final long address) {
        return address >= ring.base() && address < ring.base() + ring.capacity();
    }

    /** Claims are refused from here on; what was committed is still sent while there is a link. */
    protected final void refuseClaims() {
        closed = true;
    }

    /** There will be no link any more: nothing is sent, nothing claimed. */
    protected final void end() {
        closed = true;
        ended = true;
        detach();
    }

    /** Gives the memory back. */
    protected final void free() {
        end();
        ring.free();
    }

    // --- what arrives ----------------------------------------------------------------------------

    /**
     * Looks at the header of a frame that arrives, and takes the acknowledgement in it.
     *
     * @param header native address of {@link #HEADER} bytes
     * @return {@link #TAKE}, {@link #DUPLICATE}, {@link #DONE} or {@link #BROKEN}
     */
    protected final int arrives(final long header) {
        if (!takeAcknowledgement(UnsafeApi.getInt(header + RetentionRing.ACK))) {
            return BROKEN;
        }
        final short kind = UnsafeApi.getShort(header + RetentionRing.KIND);
        if (kind == RetentionRing.ACKNOWLEDGEMENT) {
            return DONE;
        }
        final int ahead = UnsafeApi.getInt(header + RetentionRing.NUMBER) - (int) expected;
        if (ahead > 0) {
            return broken("sends frame " + (expected + ahead) + " where " + expected + " is expected");
        }
        if (kind == RetentionRing.FAREWELL) {
            peerLeft = true;
            ackDue = true;
            flush();
            return DONE;
        }
        if (kind != RetentionRing.FRAME && kind != RetentionRing.GATHERED || lengthOf(header) <= headOf(header)) {
            return broken("sends a malformed frame (kind " + kind + ", " + lengthOf(header) + " bytes, head "
                    + headOf(header) + ")");
        }
        if (ahead < 0) {
            duplicates++;
            return DUPLICATE;
        }
        return TAKE;
    }

    /**
     * Takes an acknowledgement; what is not newer than others does nothing.
     *
     * @param expectedNext number of the frame that the peer expects next, mod 2^32
     * @return false if it cannot be; {@link #whyBroken} says why
     */
    protected final boolean takeAcknowledgement(final int expectedNext) {
        final int fresh = expectedNext - (int) ring.ackedNumber();
        if (fresh > 0 && !ring.acknowledged(ring.ackedNumber() + fresh)) {
            broken("acknowledges frame " + (ring.ackedNumber() + fresh) + " of " + ring.nextNumber()
                    + " that were sent");
            return false;
        }
        return true;
    }

    private int broken(final String why) {
        broken = why;
        return BROKEN;
    }

    /** Returns what {@link #BROKEN} was about: what the peer does that it cannot do. */
    protected final String whyBroken() {
        return broken;
    }

    /** Returns the length of an arrived frame's body; a negative one is broken. */
    protected static int lengthOf(final long header) {
        return UnsafeApi.getInt(header);
    }

    /** Returns a frame's number, mod 2^32; a farewell has that of the frame that will not come. */
    protected static int numberOf(final long header) {
        return UnsafeApi.getInt(header + RetentionRing.NUMBER);
    }

    /** Whether a frame says that nothing more will come. */
    protected static boolean isFarewell(final long header) {
        return UnsafeApi.getShort(header + RetentionRing.KIND) == RetentionRing.FAREWELL;
    }

    /** Returns how many bytes of an arrived frame's body come before its payload, or 0. */
    protected static int headOf(final long header) {
        return UnsafeApi.getShort(header + RetentionRing.HEAD) & 0xffff;
    }

    /** Returns how many bytes an arrived frame takes on the wire. */
    public static long wireLengthOf(final long header) {
        final long length = HEADER + (long) lengthOf(header);
        return headOf(header) == 0 ? length + 7 & -8 : length;
    }

    /** Returns how many bytes an arrived frame occupies in the peer's ring. */
    protected static int retainedOf(final long header) {
        return RetentionRing.span(header);
    }

    /**
     * A frame that was to be taken is all here: from now on it is not expected again.
     *
     * @param retained what {@link #retainedOf} returned for it
     */
    protected final void taken(final int retained) {
        expected++;
        owedBytes += retained;
        if (owedBytes >= ring.capacity() / 2) {
            ackDue = true;
            flush();
        }
    }

    /** What leaves now tells the peer which frame is expected. */
    protected final void announce() {
        announced = expected;
        owedBytes = 0;
        owedSince = 0;
        ackDue = false;
    }

    /** Whether the peer waits for an acknowledgement. */
    protected final boolean owesAcknowledgement() {
        return announced != expected;
    }

    /**
     * Acknowledges alone if that has been due for a while.
     *
     * @param now {@link System#nanoTime}
     */
    protected final void acknowledgeLate(final long now) {
        if (owedSince == 0) {
            owedSince = now;
        } else if (now - owedSince >= ACK_DELAY_NANOS) {
            ackDue = true;
            flush();
        }
    }

    /** Whether the peer has said that nothing more will come. */
    protected final boolean hasPeerLeft() {
        return peerLeft;
    }

    // --- counters --------------------------------------------------------------------------------

    /** Returns how many frames came again and were dropped. */
    public final long duplicatesDropped() {
        return duplicates;
    }

    /** Returns how many frames were sent again over a new link. */
    public final long framesReplayed() {
        return replayed;
    }

    /** Returns how many acknowledgements found no frame that took them along. */
    public final long acknowledgementsAlone() {
        return acksAlone;
    }
}
