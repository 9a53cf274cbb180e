package org.parley.transport.verbs;

import org.agrona.UnsafeApi;
import org.parley.transport.Link;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * What leaves over one connection. Work requests are chained and given to the device together; each fourth of the queue one is signalled.
 * The holder's of the progress word.
 *
 * <p><b>Credits.</b> The peer says how many receives it has posted in all; so many messages may be sent. The last one is kept for {@link
 * #grant}: where both ends have run out, what either said last gave the other half a queue of receives.
 */
final class SendQueue implements Link {
    /** Flag of a message that is none: a read that a device has made a SEND of. */
    static final int PROOF = 1;

    /** Flag of a sender whose reads are proven: memory may be exposed to it. */
    static final int READS = 2;

    private final RcLink link;
    private final RcConnection connection;
    private final DataPath dataPath;
    private final int depth;
    private final int signalEvery;
    private int retainedKey;

    /** Work requests are numbered: those before {@link #completed} have ended, those before {@link #sequence} are made. */
    private long sequence;

    private long completed;

    /** Those before it have ended, well or not, as far as they say so. */
    private long ended;

    private long signalled;
    private long chainFirst;
    private long chainLast;

    /** Messages sent, those that the peer takes, and receives of this end that the peer knows of. */
    private int messages;

    private int granted;
    private int posted;
    private int announced;

    private final Company company = new Company();
    private int flags;
    private boolean leaving;
    private long marker = -1;
    private long doorbells;

    SendQueue(final RcLink link, final DataPath dataPath) {
        this.link = link;
        this.connection = link.connection();
        this.dataPath = dataPath;
        depth = connection.dimensions().sends();
        signalEvery = Math.max(1, depth / 4);
        posted = connection.dimensions().receives();
        announced = posted;
    }

    Company company() {
        return company;
    }

    /** The peer receives. It may have sent for a while, and have told of more receives than those it began with. */
    void begin(final int key) {
        retainedKey = key;
        granted(connection.theirs().receives());
    }

    // --- Link ------------------------------------------------------------------------------------

    @Override
    public boolean takesCopies() {
        return false;
    }

    @Override
    public long write(final long address, final int length) {
        final boolean isControl = !link.endpoint().keeps(address);
        if (!hasRoom() || granted - messages <= 1) {
            return 0;
        }
        final int bytes = Math.min(length, Dimensions.MESSAGE);
        final long wr = connection.send(sequence);
        final long prefix = prefix(wr);
        int count = 2;
        if (isControl) {
            // What is not retained is written over before it has left.
            UnsafeApi.copyMemory(address, prefix + Dimensions.PREFIX, bytes);
            WorkRequest.element(RcConnection.elements(wr), prefix, Dimensions.PREFIX + bytes, connection.lkey());
            count = 1;
        } else {
            WorkRequest.element(RcConnection.elements(wr), prefix, Dimensions.PREFIX, connection.lkey());
            WorkRequest.element(RcConnection.elements(wr) + WorkRequest.SGE_BYTES, address, bytes, retainedKey);
        }
        final int inline = Dimensions.PREFIX + bytes <= connection.maxInline() ? WorkRequest.INLINE : 0;
        add(wr, WorkRequest.SEND, count, inline, isControl || leaving);
        messages++;
        return bytes;
    }

    @Override
    public long write(final long address, final int length, final long payload, final long payloadLength) {
        throw new IllegalStateException("this transport's capabilities do not include gathering");
    }

    @Override
    public boolean waitsForOthers() {
        return company.waits();
    }

    @Override
    public void written() {
        if (chainFirst == 0) {
            return;
        }
        doorbells++;
        final int errno = dataPath.postSend(connection.handle(), chainFirst);
        if (errno != 0) {
            link.fail(Verbs.failed("ibv_post_send (" + connection.text() + ")", errno)
                    .getMessage());
        }
        chainFirst = 0;
    }

    // --- work requests ---------------------------------------------------------------------------

    /** Whether the queue takes one more. */
    boolean hasRoom() {
        return sequence - completed < depth && !link.isBroken();
    }

    /** Returns the next work request's number. */
    long sequence() {
        return sequence;
    }

    /** Chains the next work request, whose elements and addresses are written. */
    void add(final long wr, final int opcode, final int elements, final int flags, final boolean signals) {
        final boolean isSignalled = signals || sequence - signalled >= signalEvery - 1;
        WorkRequest.send(
                wr,
                ~sequence,
                RcConnection.elements(wr),
                elements,
                opcode,
                flags | (isSignalled ? WorkRequest.SIGNALED : 0));
        sequence++;
        if (isSignalled) {
            signalled = sequence;
        }
        if (chainFirst == 0) {
            chainFirst = wr;
        } else {
            WorkRequest.next(chainLast, wr);
        }
        chainLast = wr;
    }

    /** A signalled work request has ended well, and all before it. */
    void completed(final long number) {
        completed = number + 1;
        ended = completed;
    }

    /** A work request has ended without having been done, or nobody knows. */
    void flushed(final long number) {
        ended = number + 1;
    }

    /**
     * Of a queue pair that has failed, whether nothing comes of sends any more: behind all of them goes a last one, as soon as there is
     * room, and comes back.
     */
    boolean isDrained() {
        if (marker < 0 && sequence - ended < depth) {
            marker = sequence;
            final long wr = connection.send(marker);
            WorkRequest.element(RcConnection.elements(wr), prefix(wr), Dimensions.PREFIX, connection.lkey());
            add(wr, WorkRequest.SEND, 1, 0, true);
            written();
        }
        return marker >= 0 && ended > marker;
    }

    /** Whether a work request has ended. */
    boolean hasCompleted(final long number) {
        return completed > number;
    }

    /** Whether all have ended, as far as they say so. */
    boolean isComplete() {
        return completed >= signalled;
    }

    /** From here on each says when it has ended. */
    void leave() {
        leaving = true;
    }

    // --- credits ---------------------------------------------------------------------------------

    /** The peer has posted so many receives in all. */
    void granted(final int all) {
        if (all - granted > 0) {
            granted = all;
        }
    }

    /** The peer is to know that this end can read memory of it. */
    void tellReads() {
        flags = READS;
    }

    /** This end has posted some again. */
    void posted(final int receives) {
        posted += receives;
    }

    /** Tells the peer of receives, in a message without frames, if it may run out of those that it knows of. */
    void grant() {
        final boolean isDue = posted - announced >= connection.dimensions().receives() / 2;
        if (isDue && hasRoom() && granted - messages > 0) {
            final long wr = connection.send(sequence);
            WorkRequest.element(RcConnection.elements(wr), prefix(wr), Dimensions.PREFIX, connection.lkey());
            final int inline = connection.maxInline() >= Dimensions.PREFIX ? WorkRequest.INLINE : 0;
            add(wr, WorkRequest.SEND, 1, inline, false);
            messages++;
            written();
        }
    }

    private long prefix(final long wr) {
        final long prefix = RcConnection.prefix(wr);
        UnsafeApi.putInt(prefix, posted);
        UnsafeApi.putInt(prefix + 4, flags);
        announced = posted;
        return prefix;
    }

    long doorbells() {
        return doorbells;
    }

    long workRequests() {
        return sequence;
    }
}
