package org.parley.transport.verbs;

import org.agrona.UnsafeApi;
import org.parley.transport.FrameHandler;
import org.parley.transport.RetainingEndpoint;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.VerbsContext;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * Both directions of the link with one peer: what arrives. What leaves is {@link SendQueue}'s.
 *
 * <p>A message carries whole frames, or a piece of one that is longer than a message. Each tells how many receives its sender has posted
 * so far, so that nothing is ever sent to a queue pair that has none.
 */
final class RcEndpoint extends RetainingEndpoint {
    private final int rank;
    private final Adapter adapter;
    private final int largest;
    private final FrameHandler handler;
    private final DataPath dataPath;
    private final Registrations registrations;
    private int peer = -1;
    private RcConnection connection;
    private SendQueue sends;
    private Reads reads;
    private VerbsContext.Region retained;
    private boolean down;
    private String failure;
    private String closing;

    /** Messages that have come and are not all handed over, by the addresses of their receives. */
    private long[] arrived;

    private int first;
    private int count;

    /** Bytes of the first message that are handed over. */
    private int offset;

    /** Receives that are free again: a chain, and what of them the peer has not counted. */
    private long freeFirst;

    private long freeLast;
    private int freeCount;
    private int uncounted;

    /** A frame that has come in part: what is missing, where it goes, and what becomes of it. */
    private long rest;

    private long place;
    private int placeRetained;
    private long staging;
    private boolean isStaged;

    RcEndpoint(
            final int rank,
            final int window,
            final int largest,
            final Adapter adapter,
            final Registrations registrations,
            final DataPath dataPath,
            final FrameHandler handler) {
        super(window, Dimensions.MESSAGE);
        this.rank = rank;
        this.adapter = adapter;
        this.largest = largest;
        this.registrations = registrations;
        this.dataPath = dataPath;
        this.handler = handler;
    }

    int rank() {
        return rank;
    }

    /** Returns the handler's index of the peer; -1: unknown. */
    int peer() {
        return peer;
    }

    void peer(final int index) {
        peer = index;
    }

    RcConnection connection() {
        return connection;
    }

    boolean isDown() {
        return down;
    }

    /** The peer may send from now on. */
    void expect(final RcConnection made) {
        connection = made;
        arrived = new long[made.dimensions().receives()];
        staging = UnsafeApi.allocateMemory(HEADER + largest + Long.BYTES);
        sends = new SendQueue(made, dataPath);
        reads = new Reads(made, sends, registrations);
    }

    /** Whether frames of the peer have come. */
    boolean hasTaken() {
        return expected() > 0 || count > 0;
    }

    /** The peer has taken the connection back before it was of use. */
    void withdraw() {
        release(false);
        rest = 0;
        count = 0;
        offset = 0;
        freeCount = 0;
        freeFirst = 0;
        uncounted = 0;
    }

    /** The peer receives from now on. */
    void begin() {
        final long from = retainedAddress() & -VerbsContext.PAGE;
        final long to = retainedAddress() + retainedBytes() + VerbsContext.PAGE - 1 & -VerbsContext.PAGE;
        retained = adapter.context().register(from, to - from, 0);
        sends.begin(this, retained.lkey());
        if (connection.mayRead()) {
            reads.prove();
        }
        attach(sends, connection.theirs().expected());
    }

    /** {@link #isRetained}, for what writes. */
    boolean keeps(final long address) {
        return isRetained(address);
    }

    // --- completions -----------------------------------------------------------------------------

    /** A receive or a send has ended. */
    void completed(final long completion) {
        final long id = WorkRequest.id(completion);
        final int status = WorkRequest.status(completion);
        if (status != WorkRequest.SUCCESS) {
            if (failure == null && status != WorkRequest.FLUSHED) {
                failure = WorkRequest.statusText(status) + " (" + (id < 0 ? "send" : "receive") + ", vendor error "
                        + WorkRequest.vendorError(completion) + "), " + adapter.portState();
            } else if (failure == null) {
                failure = WorkRequest.statusText(status);
            }
        } else if (id < 0) {
            sends.completed(~id);
        } else {
            RcConnection.length(id, WorkRequest.length(completion) - Dimensions.PREFIX);
            sends.granted(RcConnection.granted(id));
            sends.flags(RcConnection.flags(id));
            arrived[(first + count++) % arrived.length] = id;
        }
    }

    /** The control link has ended: the peer's process, or its machine, is no more, or it has left. */
    void controlClosed(final String why) {
        closing = why;
    }

    // --- in --------------------------------------------------------------------------------------

    /**
     * Moves everything on, once.
     *
     * @param limit the most frames to hand over
     * @return how much was done
     */
    int poll(final int limit) {
        askForPeer();
        sends.company().polled();
        int work = hasUnsent() && flush() > 0 ? 1 : 0;
        if (count > 0) {
            work += handOver(limit);
        }
        if (!down) {
            tellCredits();
            work += reads.poll(handler);
        }
        if (!down && failure == null) {
            failure = sends.failure();
        }
        if (failure != null && count == 0 && !down) {
            ended(failure);
            return work + 1;
        }
        return work;
    }

    /** What the keeper does instead: what waits leaves, and nothing is handed over. */
    void keep(final long now) {
        if (!down) {
            flush();
            tellCredits();
            reads.moveOn();
            if (owesAcknowledgement()) {
                acknowledgeLate(now);
            }
        }
    }

    private void askForPeer() {
        if (peer < 0) {
            peer = handler.onPeer(rank);
        }
    }

    private void tellCredits() {
        sends.grant();
        if (reads.isJustProven()) {
            acknowledgeNow();
        }
    }

    private int handOver(final int limit) {
        int handed = 0;
        while (count > 0 && !down) {
            final long message = arrived[first];
            if (offset == 0 && (RcConnection.flags(message) & SendQueue.PROOF) != 0) {
                // An emulated device has made a SEND of the read that was to prove that it reads.
                uncounted++;
                offset = RcConnection.length(message);
            }
            while (offset < RcConnection.length(message) && !down) {
                if (handed >= limit) {
                    return handed;
                }
                handed += rest > 0 ? takePiece(message) : takeFrame(message);
            }
            if (!down) {
                first = (first + 1) % arrived.length;
                count--;
                offset = 0;
                recycle(message);
            }
        }
        return handed;
    }

    private int takePiece(final long message) {
        final int bytes = (int) Math.min(rest, RcConnection.length(message) - offset);
        if (place != 0) {
            UnsafeApi.copyMemory(RcConnection.frames(message) + offset, place, bytes);
            place += bytes;
        }
        offset += bytes;
        rest -= bytes;
        if (rest > 0 || place == 0) {
            return 0;
        }
        if (isStaged) {
            taken(retainedOf(staging));
            handler.onFrame(peer, staging + HEADER, lengthOf(staging));
        } else {
            taken(placeRetained);
            handler.onRest(peer);
        }
        return 1;
    }

    private int takeFrame(final long message) {
        final long header = RcConnection.frames(message) + offset;
        final int available = RcConnection.length(message) - offset;
        if (available < HEADER) {
            down("sends " + available + " bytes where a frame is expected");
            return 0;
        }
        final long all = wireLengthOf(header);
        switch (arrives(header)) {
            case BROKEN -> down(whyBroken());
            case DONE -> offset += HEADER;
            case DUPLICATE -> {
                rest = all;
                place = 0;
            }
            default -> {
                if (available < all) {
                    return begin(header, all, available);
                }
                offset += (int) all;
                taken(retainedOf(header));
                handler.onFrame(peer, header + HEADER, lengthOf(header));
                return 1;
            }
        }
        return 0;
    }

    /** The beginning of a long frame is there. */
    private int begin(final long header, final long all, final int available) {
        final int head = headOf(header);
        offset += available;
        rest = all - available;
        if (head > 0 && HEADER + head <= available) {
            final int payload = lengthOf(header) - head;
            final int here = available - HEADER - head;
            final long given = handler.onHead(peer, header + HEADER, head, payload);
            if (down) {
                return 0;
            }
            if (given != 0) {
                UnsafeApi.copyMemory(header + HEADER + head, given, here);
                place = given + here;
                placeRetained = retainedOf(header);
                isStaged = false;
                return 0;
            }
        }
        if (all > HEADER + largest + Long.BYTES) {
            down("sends a frame of " + lengthOf(header) + " bytes, longer than the longest, " + largest);
            return 0;
        }
        UnsafeApi.copyMemory(header, staging, available);
        place = staging + available;
        isStaged = true;
        return 0;
    }

    /** Receives are posted again some at a time: one call each. */
    private void recycle(final long message) {
        WorkRequest.next(message, 0);
        if (freeCount++ == 0) {
            freeFirst = message;
        } else {
            WorkRequest.next(freeLast, message);
        }
        freeLast = message;
        if (freeCount >= arrived.length / 4) {
            post();
            sends.grant();
        }
    }

    /** What leaves next says so. */
    private void post() {
        final int errno = dataPath.postReceive(connection.handle(), freeFirst);
        if (errno != 0) {
            failure = Verbs.failed("ibv_post_recv on " + adapter.name(), errno).getMessage();
        }
        sends.posted(freeCount - uncounted);
        freeCount = 0;
        uncounted = 0;
    }

    // --- memory that the peer reads, and the peer's --------------------------------------------------

    @Override
    public long expose(final long address, final long length, final int region) {
        return reads == null || down ? 0 : reads.expose(address, length, region);
    }

    @Override
    public void conceal(final long key) {
        if (reads != null) {
            reads.conceal(key);
        }
    }

    @Override
    public long get(
            final long remoteAddress,
            final long key,
            final long localAddress,
            final int localRegion,
            final long length,
            final long token) {
        return reads == null || down
                ? UNREACHABLE
                : reads.get(remoteAddress, key, localAddress, localRegion, length, token);
    }

    // --- the end ---------------------------------------------------------------------------------

    /** Nothing has come for a while since the control link ended: nothing will. */
    void endClosing() {
        ended(closing);
    }

    boolean isClosing() {
        return closing != null && !down && count == 0;
    }

    /** After a farewell an end is no failure. */
    private void ended(final String why) {
        if (hasPeerLeft()) {
            drop();
        } else {
            down(why);
        }
    }

    private void down(final String why) {
        if (!down) {
            final String name = connection.text();
            drop();
            handler.onLinkDown(peer, "lost its link: " + why + " (" + name + ")");
        }
    }

    /** There was no connection. */
    void unreachable(final String why) {
        askForPeer();
        drop();
        handler.onLinkDown(peer, why);
    }

    /** The link ends without a word to the handler: the device touches no memory for it any more. */
    void drop() {
        down = true;
        end();
        if (connection != null) {
            connection.stop();
        }
    }

    /** Says farewell behind all that was committed. */
    void leave() {
        refuseClaims();
        if (sends != null) {
            sends.leave();
        }
        if (!down && (connection != null || !isSent())) {
            sayFarewell();
        }
    }

    /** Whether something is still to be sent, or on its way. Frames that arrive meanwhile are not taken. */
    boolean drain() {
        while (count > 0 && !down) {
            final long message = arrived[first];
            first = (first + 1) % arrived.length;
            count--;
            recycleUnread(message);
        }
        if (down || failure != null || closing != null) {
            return false;
        }
        flush();
        return hasUnsent() || sends != null && !sends.isComplete();
    }

    private void recycleUnread(final long message) {
        offset = 0;
        WorkRequest.next(message, 0);
        if (dataPath.postReceive(connection.handle(), message) == 0) {
            sends.posted(1);
            sends.grant();
        }
    }

    /** Gives everything back. */
    void release(final boolean forGood) {
        if (connection != null) {
            connection.stop();
            reads.close();
            connection.close();
            adapter.context().deregister(retained);
            UnsafeApi.freeMemory(staging);
            connection = null;
            retained = null;
            sends = null;
            reads = null;
        }
        if (forGood) {
            down = true;
            free();
        }
    }

    /** Whether there is a connection on which the peer has not said its last word. */
    boolean mayDeliver() {
        return connection != null && !down && (!hasPeerLeft() || count > 0);
    }

    boolean owes() {
        return !down && owesAcknowledgement();
    }

    void acknowledge(final long now) {
        acknowledgeLate(now);
    }

    /** Whether its connection holds resources that nobody needs any more. */
    boolean isReleasable() {
        return down && connection != null;
    }

    SendQueue sends() {
        return sends;
    }

    @Override
    public void close() {
        refuseClaims();
    }
}
