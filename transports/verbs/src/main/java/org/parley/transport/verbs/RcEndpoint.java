package org.parley.transport.verbs;

import java.net.InetSocketAddress;
import java.util.List;
import org.agrona.UnsafeApi;
import org.parley.transport.Drill;
import org.parley.transport.FrameHandler;
import org.parley.transport.Outage;
import org.parley.transport.RetainingEndpoint;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.VerbsContext;

/**
 * Both directions of the link with one peer: what arrives, and how one link follows another. What ends with a queue pair is {@link
 * RcLink}'s, what leaves {@link SendQueue}'s.
 *
 * <p>A message carries whole frames, or a piece of one that is longer than a message. Each tells how many receives its sender has posted
 * so far, so that nothing is ever sent to a queue pair that has none.
 *
 * <p><b>Links that break.</b> Who sees it fences the link ({@link RcLink}), hands over what has come before, and calls again ({@link
 * RcTransport}). The next link begins where both ends say that they are, which each says only after its fence: {@link RetainingEndpoint}.
 */
final class RcEndpoint extends RetainingEndpoint implements Drill.Breakable {
    private final int rank;
    private final Adapter adapter;
    private final int largest;
    private final long reconnectNanos;
    private final FrameHandler handler;
    private final DataPath dataPath;
    private final Reads reads;
    private final Outage outage = new Outage();
    private int peer = -1;
    private List<InetSocketAddress> addresses;
    private RcLink link;

    /** Takes the link's place when that is fenced; null: there is none. */
    private RcLink next;

    /** Number of the last link that there was, or was to be. */
    private int epoch;

    /** Whether the peer has yet to say where it is, before anything else. */
    private boolean begins;

    /** How long the last outage was; 0: there was none of which the handler has not been told. */
    private long back;

    private VerbsContext.Region retained;
    private boolean down;

    /** Bytes of the first message that are handed over. */
    private int offset;

    /** A frame that has come in part: what is missing, where it goes, and what becomes of it. */
    private long rest;

    private long place;
    private int placeRetained;
    private long staging;
    private boolean isStaged;

    /** Where the payload of a frame goes from its beginning on, of which not all has come, and what its header was; 0: none. */
    private long begun;

    private int begunHead;
    private int begunLength;

    /** @param reconnectNanos for how long a link that broke is tried to be made again; 0: not at all */
    RcEndpoint(
            final int rank,
            final int window,
            final int largest,
            final long reconnectNanos,
            final Adapter adapter,
            final Registrations registrations,
            final DataPath dataPath,
            final FrameHandler handler) {
        super(window, Dimensions.MESSAGE);
        this.rank = rank;
        this.adapter = adapter;
        this.largest = largest;
        this.reconnectNanos = reconnectNanos;
        this.dataPath = dataPath;
        this.handler = handler;
        this.reads = new Reads(registrations);
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

    /** Returns where the peer listens; null: nobody has said it yet. */
    List<InetSocketAddress> addresses() {
        return addresses;
    }

    void addresses(final List<InetSocketAddress> sockets) {
        addresses = sockets;
    }

    /** Returns the link that there is, though it may be broken; null: there is none. */
    RcLink link() {
        return link;
    }

    /** Returns the link that takes the place of this one when it is fenced; null: there is none yet. */
    RcLink next() {
        return next;
    }

    /** Returns the link of a number, if it is this one's or is to be. */
    RcLink link(final int number) {
        return link != null && link.epoch() == number ? link : next != null && next.epoch() == number ? next : null;
    }

    int epoch() {
        return epoch;
    }

    boolean isDown() {
        return down;
    }

    Outage outage() {
        return outage;
    }

    // --- one link after another --------------------------------------------------------------------

    /** The peer may send, over the pair's first link, or one that takes the place of the last. Returns it. */
    RcLink expect(final RcConnection connection, final int number) {
        final RcLink made = new RcLink(this, number, connection, adapter, dataPath, reads);
        epoch = number;
        if (link == null) {
            adopt(made);
        } else {
            link.fail("the peer has made another link");
            next = made;
        }
        return made;
    }

    private void adopt(final RcLink made) {
        if (staging == 0) {
            staging = UnsafeApi.allocateMemory(HEADER + largest + Long.BYTES);
        }
        link = made;
        offset = 0;
        rest = 0;
        begins = made.epoch() > 1;
        if (begins) {
            outage.connects();
        }
        if (made.isReady() && !made.isBroken()) {
            begin();
        }
    }

    /** The peer receives from now on. */
    void ready(final RcLink made) {
        made.ready();
        if (made == link && !made.isBroken()) {
            begin();
        }
    }

    private void begin() {
        if (retained == null) {
            final long from = retainedAddress() & -VerbsContext.PAGE;
            final long to = retainedAddress() + retainedBytes() + VerbsContext.PAGE - 1 & -VerbsContext.PAGE;
            retained = adapter.context().register(from, to - from, 0);
        }
        link.sends().begin(retained.lkey());
        reads.begin(link);
        if (begins) {
            resume(link.sends(), link.epoch());
        } else {
            attach(link.sends(), 0);
        }
    }

    /** Both ends say where they are, before anything else. */
    private void takeResume() {
        if (!link.isReady() || link.isBroken()) {
            return;
        }
        // Of a device that makes a SEND of the read that is to prove that it reads.
        if ((RcConnection.flags(link.message()) & SendQueue.PROOF) != 0) {
            link.uncount();
            link.recycle();
            return;
        }
        if (RcConnection.length(link.message()) < RESUME_BYTES) {
            link.failForGood("says nothing where it should say where it is on link " + link.epoch());
            return;
        }
        begins = false;
        offset = RESUME_BYTES;
        final String objection = resumed(RcConnection.frames(link.message()), link.epoch());
        if (objection == null) {
            back = outage.ends();
        } else {
            link.failForGood(objection);
        }
    }

    /** Whether the link is of no use any more, or may soon be. */
    boolean isOff() {
        return down || link.isBroken() || link.isClosing();
    }

    /**
     * Takes a broken link out of use.
     *
     * @return whether it was in use until now
     */
    boolean stop(final long now) {
        if (link.isStopped()) {
            return false;
        }
        if (!hasMoved() && !isAcknowledged()) {
            outage.goesOn(reconnectNanos);
        }
        outage.breaks(link.failure(), link.connection().text());
        detach();
        link.stop(now);
        return true;
    }

    /** Whether something has come that is not handed over. */
    boolean hasArrivals() {
        return link.count() > 0 && !begins;
    }

    /** Whether a broken link is the end, of which the handler is to be told unless the peer has left. */
    boolean isAtItsEnd() {
        return hasPeerLeft() || link.isForGood() || reconnectNanos == 0 || outage.nanos() >= reconnectNanos;
    }

    /** The broken link is given back, and its successor, if there is one, takes its place. */
    void succeed() {
        reads.stop();
        link.release();
        link = null;
        if (next != null) {
            final RcLink successor = next;
            next = null;
            adopt(successor);
        }
    }

    /** A link was to be there, and broke before it was. */
    void lost(final int number, final String why) {
        epoch = number;
        if (link == null) {
            outage.breaks(why, adapter.name());
        } else {
            link.fail(why);
        }
    }

    @Override
    public void cut(final String why) {
        link.fail(why);
    }

    /** {@link #isRetained}, for what writes. */
    boolean keeps(final long address) {
        return isRetained(address);
    }

    // --- in --------------------------------------------------------------------------------------

    /**
     * Moves everything on, once.
     *
     * @param limit the most frames to hand over
     * @return how much was done
     */
    int poll(final int limit) {
        link.sends().company().polled();
        int work = hasUnsent() && flush() > 0 ? 1 : 0;
        if (link.count() > 0) {
            work += handOver(limit);
        }
        if (!down) {
            tellCredits();
            work += reads.poll(handler);
        }
        return work;
    }

    /** What the keeper does instead: what waits leaves, and nothing is handed over. */
    void keep(final long now) {
        if (!down) {
            if (begins && link.count() > 0) {
                takeResume();
            }
            flush();
            tellCredits();
            reads.moveOn();
            acknowledge(now);
        }
    }

    void acknowledge(final long now) {
        if (owes()) {
            acknowledgeLate(now);
        }
    }

    /** Finds out who a peer is that has called. */
    void askForPeer() {
        if (peer < 0) {
            peer = handler.onPeer(rank);
        }
    }

    private void tellCredits() {
        link.sends().grant();
        if (reads.isJustProven()) {
            acknowledgeNow();
        }
    }

    private int handOver(final int limit) {
        int handed = 0;
        while (link.count() > 0 && !down) {
            if (begins) {
                takeResume();
                if (begins || link.isBroken()) {
                    return handed;
                }
            }
            if (back != 0) {
                handler.onLinkBack(peer, back);
                back = 0;
            }
            final long message = link.message();
            if (offset == 0 && (RcConnection.flags(message) & SendQueue.PROOF) != 0) {
                // An emulated device has made a SEND of the read that was to prove that it reads.
                link.uncount();
                offset = RcConnection.length(message);
            }
            while (offset < RcConnection.length(message) && !down) {
                if (handed >= limit) {
                    return handed;
                }
                handed += rest > 0 ? takePiece(message) : takeFrame(message);
            }
            if (!down) {
                offset = 0;
                link.recycle();
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
            begun = 0;
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
            final boolean hasPlace = hasPlace(header, head, payload);
            if (down) {
                return 0;
            }
            if (hasPlace) {
                UnsafeApi.copyMemory(header + HEADER + head, begun, here);
                place = begun + here;
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

    /** A frame that comes again over another link has its place already. */
    private boolean hasPlace(final long header, final int head, final int payload) {
        if (begun == 0) {
            begun = handler.onHead(peer, header + HEADER, head, payload);
            begunHead = head;
            begunLength = lengthOf(header);
        } else if (head != begunHead || lengthOf(header) != begunLength) {
            down("sends a frame of " + lengthOf(header) + " bytes, head " + head + ", again that had " + begunLength
                    + ", head " + begunHead);
        }
        return begun != 0;
    }

    // --- memory that the peer reads, and the peer's --------------------------------------------------

    @Override
    public long expose(final long address, final long length, final int region) {
        return down ? 0 : reads.expose(address, length, region);
    }

    @Override
    public void conceal(final long key) {
        reads.conceal(key);
    }

    @Override
    public long get(
            final long remoteAddress,
            final long key,
            final long localAddress,
            final int localRegion,
            final long length,
            final long token) {
        return down ? UNREACHABLE : reads.get(remoteAddress, key, localAddress, localRegion, length, token);
    }

    // --- the end ---------------------------------------------------------------------------------

    /** The broken link was the last one. After a farewell an end is no failure. */
    void ended() {
        if (hasPeerLeft()) {
            drop();
        } else {
            down(link.failure());
        }
    }

    private void down(final String why) {
        if (!down) {
            final String name = link.connection().text();
            final String first = outage.cause();
            drop();
            handler.onLinkDown(
                    peer,
                    first == null || first.equals(why)
                            ? "lost its link: " + why + " (" + name + ")"
                            : outage.text("could not be made again: " + why));
        }
    }

    /** There is no link, and will be none. */
    void unreachable(final String why) {
        if (!down) {
            askForPeer();
            drop();
            handler.onLinkDown(peer, outage.text(why));
        }
    }

    /** The link ends without a word to the handler: the device touches no memory for it any more. */
    void drop() {
        down = true;
        end();
        if (link != null) {
            link.fence();
        }
        if (next != null) {
            next.fence();
        }
    }

    /** Says farewell behind all that was committed. */
    void leave() {
        refuseClaims();
        if (link != null) {
            link.sends().leave();
        }
        if (!down && (link != null || outage.isBroken() || !isSent())) {
            sayFarewell();
        }
    }

    /** Whether something is still to be sent, or on its way. Frames that arrive meanwhile are not taken. */
    boolean drain() {
        if (down || hasPeerLeft() && (link == null || link.hasClosed())) {
            return false;
        }
        if (link == null) {
            return hasUnsent() || outage.isBroken() && !isAcknowledged();
        }
        if (begins && link.count() > 0) {
            takeResume();
        }
        while (!begins && link.count() > 0) {
            offset = 0;
            link.recycle();
        }
        link.sends().grant();
        flush();
        return hasUnsent() || !link.sends().isComplete() || begins && !isAcknowledged();
    }

    /** Gives everything back. */
    void release(final boolean forGood) {
        down |= forGood;
        if (link != null) {
            link.release();
            link = null;
        }
        if (next != null) {
            next.release();
            next = null;
        }
        reads.close();
        if (retained != null) {
            adapter.context().deregister(retained);
            retained = null;
        }
        if (staging != 0) {
            UnsafeApi.freeMemory(staging);
            staging = 0;
        }
        if (forGood) {
            free();
        }
    }

    /** Whether there is a link on which the peer has not said its last word, or there may be another one. */
    boolean mayDeliver() {
        return !down && (link != null ? !hasPeerLeft() || link.count() > 0 : outage.isBroken());
    }

    boolean owes() {
        return !down && owesAcknowledgement();
    }

    @Override
    public void close() {
        refuseClaims();
    }
}
