package org.parley.transport.verbs;

import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.parley.transport.Link;

/**
 * Both directions of the way to one peer over datagrams, which may be lost, come twice, or overtake each other.
 *
 * <p><b>Out.</b> Frames leave in datagrams of some whole ones, or as pieces of a long one. Each datagram says which frame it begins with, and acknowledges what came.
 * Where the peer tells of a gap, or nothing is acknowledged for a while, all is sent again from the first byte that the peer does not have.
 *
 * <p><b>In.</b> A datagram is taken when it is the turn of its first byte, held if it came too soon, dropped if all in it has been there. The peer is told with
 * the next datagram, or alone: after half of what it may send, a gap, or something that it sent in vain, at once; else after a millisecond.
 *
 * <p>The holder's of the progress word.
 */
final class UdEndpoint extends UdInbox implements Link {
    private static final long ACK_NANOS = 1_000_000;

    /** A peer that has left, and whose farewell was lost, is not waited for longer than this. */
    private static final long LAST_WORDS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final UdTransport transport;
    private final int capacity;

    /** Where the peer is, and the queue and the way that lead there; without these nothing is sent or comes. */
    private UdAddress theirs;

    private UdQueue queue;
    private UdPath path;
    private boolean down;
    private String downWhy;
    private boolean active;

    // Out.
    private final Flight flight = new Flight();

    /** The run that is being cut into datagrams: its first frame, the bytes of it that are cut, those that are not, and the frame behind it. */
    private int number;

    private int offset;
    private long left;
    private int behind;

    /** Where the peer is, and up to where this end has ever been. */
    private int peerHas;

    private int peerHasOf;
    private int farthest;
    private int farthestOf;
    private int gapAt = -1;
    private int gapAtOf;
    private boolean heard;
    private boolean introduced;

    /** For how long there was no way, until the handler is told. */
    private long away;

    private final Patience patience;
    private final Company company = new Company();

    // In, beside what the inbox has.
    private int granted = Flight.MOST;
    private int toldNumber;
    private int toldOffset;
    private long owedSince;
    private boolean hasFarewell;
    private int lastNumber;
    private boolean isHeardAgain;
    private long leavingSince;

    UdEndpoint(final UdTransport transport, final UdAddress theirs, final int window, final int capacity) {
        super(transport, window, capacity);
        this.transport = transport;
        this.theirs = theirs;
        this.capacity = capacity;
        patience = transport.newPatience();
    }

    /**
     * Begins, or goes on, over a way to where the peer is.
     *
     * @param through this rank's queue
     * @param way the way
     */
    void begins(final UdQueue through, final UdPath way) {
        if (down) {
            return;
        }
        if (128 << way.theirs().port().mtu() < capacity + Datagram.HEADER
                || 128 << transport.mine().port().mtu() < capacity + Datagram.HEADER) {
            down("has moved to where datagrams are shorter than the " + (capacity + Datagram.HEADER)
                    + " bytes of before");
            return;
        }
        theirs = way.theirs();
        path = way;
        if (queue != through) {
            queue = through;
            receives(through);
        }
        left = 0;
        gapAt = -1;
        flight.begins();
        patience.begins();
        final long before = framesReplayed();
        attach(this, acknowledged());
        transport.counters().replayed += framesReplayed() - before;
    }

    /** There is no way for a while; what came by it and was not handed over will be sent again. Returns the way, to be closed, or null. */
    UdPath ends() {
        final UdPath gone = path;
        detach();
        receives(null);
        queue = null;
        path = null;
        return gone;
    }

    /** The peer is told where this end is, also where there is nothing to send. */
    void greet() {
        heard = false;
        introduced = false;
        arrivals().ask();
        activate();
    }

    UdAddress theirs() {
        return theirs;
    }

    /** The handler is told at the next poll. */
    void wasAway(final long nanos) {
        away = nanos;
    }

    /** The peer has moved while there is no way. */
    void knows(final UdAddress address) {
        theirs = address;
    }

    UdPath path() {
        return path;
    }

    @Override
    boolean isDown() {
        return down;
    }

    // --- out: Link ---------------------------------------------------------------------------------

    @Override
    public long write(final long address, final int length) {
        return write(address, length, 0, 0);
    }

    @Override
    public long write(final long address, final int length, final long payload, final long payloadLength) {
        activate();
        if (!isRetained(address)) {
            return writeAlone(isFarewell(address)) ? length : 0;
        }
        introduce();
        final long all = length + payloadLength;
        if (left == 0) {
            begin(address, all);
        }
        if (!path.isOpen()) {
            return 0;
        }
        long done = 0;
        while (done < all) {
            final int bytes = (int) Math.min(left, capacity);
            final int endNumber = bytes == left ? behind : number;
            final int endOffset = bytes == left ? 0 : offset + bytes;
            // What the peer has is not sent again.
            if (!Flight.isUpTo(endNumber, endOffset, peerHas, peerHasOf)) {
                if (!flight.hasRoom() || !queue.hasRoom()) {
                    break;
                }
                final long datagram = queue.next();
                Datagram.position(datagram, number, offset);
                copy(datagram + Datagram.HEADER, address, length, payload, done, bytes);
                flight.add(endNumber, endOffset);
                send(datagram, Datagram.HEADER + bytes, flight.hasRoom() ? 0 : Datagram.ASK);
                count(endNumber, endOffset);
            }
            offset += bytes;
            left -= bytes;
            done += bytes;
        }
        return done;
    }

    /** A run begins, which is some whole frames or one long one. */
    private void begin(final long address, final long all) {
        number = numberOf(address);
        offset = 0;
        left = all;
        behind = number + 1;
        for (long at = wireLengthOf(address); at < all; at += wireLengthOf(address + at)) {
            behind++;
        }
    }

    private static void copy(
            final long to, final long address, final int length, final long payload, final long from, final int bytes) {
        final int ofFirst = (int) Math.max(0, Math.min(bytes, length - from));
        UnsafeApi.copyMemory(address + from, to, ofFirst);
        if (ofFirst < bytes) {
            UnsafeApi.copyMemory(payload + from + ofFirst - length, to + ofFirst, bytes - ofFirst);
        }
    }

    private void count(final int endNumber, final int endOffset) {
        if (Flight.isUpTo(endNumber, endOffset, farthest, farthestOf)) {
            transport.counters().retransmits++;
        } else {
            farthest = endNumber;
            farthestOf = endOffset;
        }
    }

    private boolean writeAlone(final boolean isFarewell) {
        if (path == null || !queue.hasRoom() || !path.isOpen()) {
            return false;
        }
        introduce();
        if (queue.hasRoom()) {
            final long datagram = queue.next();
            Datagram.position(datagram, farthest, farthestOf);
            send(datagram, Datagram.HEADER, isFarewell ? Datagram.FAREWELL : 0);
        }
        return true;
    }

    private void send(final long datagram, final int length, final int flags) {
        granted = transport.share();
        Datagram.from(datagram, path.token(), transport.mine().rank());
        Datagram.acknowledges(
                datagram,
                (int) expected(),
                progress(),
                granted,
                flags | (arrivals().hasGap() ? Datagram.GAP : 0) | (arrivals().isAsked() ? Datagram.ANSWER : 0));
        queue.send(path.ah(), theirs, length);
        announce();
        arrivals().told();
        toldNumber = (int) expected();
        toldOffset = progress();
        owedSince = 0;
    }

    /** Whoever has not been heard may not know this rank yet. */
    private void introduce() {
        if (!heard && !introduced && queue.hasRoom() && path.isOpen()) {
            introduced = true;
            final byte[] hello = Hello.of(transport.mine(), theirs, transport.secret());
            queue.send(
                    path.ah(),
                    theirs,
                    Hello.write(hello, queue.next(), transport.mine().rank()));
        }
    }

    @Override
    public void written() {
        queue.ring();
    }

    /** The first after a poll leaves at once; see {@link Company}. */
    @Override
    public boolean waitsForOthers() {
        activate();
        return company.waits();
    }

    private void resend() {
        left = 0;
        sendAgain();
    }

    // --- in: what each datagram says beside its frames ---------------------------------------------

    /** A datagram of the peer has come. */
    void arrived(final long receive) {
        final long datagram = UdQueue.datagram(receive);
        heard = true;
        activate();
        flight.peerTakes(Datagram.window(datagram));
        final int flags = Datagram.flags(datagram);
        if ((flags & Datagram.FAREWELL) != 0) {
            hasFarewell = true;
            lastNumber = Datagram.number(datagram);
        }
        if ((flags & Datagram.ANSWER) != 0) {
            patience.answered();
            transport.counters().answers++;
        }
        isHeardAgain = true;
        takeAck(datagram, (flags & Datagram.GAP) != 0);
        if (UdQueue.length(receive) == Datagram.HEADER || down) {
            queue.recycle(receive);
        } else {
            transport.counters().received++;
            arrivals().add(receive, (flags & Datagram.ASK) != 0);
        }
    }

    private void takeAck(final long datagram, final boolean hasGap) {
        final int ack = Datagram.ack(datagram);
        final int ackOf = Datagram.ackOffset(datagram);
        if (!Flight.isUpTo(ack, ackOf, peerHas, peerHasOf)) {
            peerHas = ack;
            peerHasOf = ackOf;
            patience.progressed();
            flight.acknowledged(ack, ackOf);
            if (!takeAcknowledgement(ack)) {
                down(whyBroken());
            }
        }
        final boolean isNew = gapAt != ack || gapAtOf != ackOf;
        if (hasGap && isNew && ack == peerHas && ackOf == peerHasOf && !flight.isEmpty()) {
            gapAt = ack;
            gapAtOf = ackOf;
            flight.lost();
            resend();
        }
    }

    // --- in: frames --------------------------------------------------------------------------------

    /**
     * Moves everything on, once.
     *
     * @param limit the most frames to hand over
     * @return how many were handed over, or 1 if the handler was told that the link is gone
     */
    int poll(final int limit) {
        if (peer() < 0) {
            peer(transport.handler().onPeer(theirs.rank()));
        }
        int work = 0;
        company.polled();
        if (!down && path != null) {
            moveOn();
            work = handOver(limit);
            answer();
        }
        if (away > 0 && !down) {
            transport.handler().onLinkBack(peer(), away);
            away = 0;
        }
        if (down && path != null) {
            releaseAll();
        }
        if (downWhy != null) {
            final String why = downWhy;
            downWhy = null;
            transport.handler().onLinkDown(peer(), why);
            work++;
        }
        return work;
    }

    /** What the keeper does instead: nothing is handed over. */
    void keep() {
        if (!down && path != null) {
            moveOn();
            answer();
        }
    }

    private void moveOn() {
        if (!takeAcknowledgement(peerHas)) {
            down(whyBroken());
        } else if (hasUnsent()) {
            flush();
        }
    }

    private void answer() {
        if (!down && (arrivals().isAsked() || 2 * arrivals().untold() >= granted && owes())) {
            writeAlone(false);
        }
    }

    /** Whether the peer does not know what was handed over. */
    private boolean owes() {
        return toldNumber != (int) expected() || toldOffset != progress();
    }

    // --- the clock ---------------------------------------------------------------------------------

    /**
     * Looks at the clock: sends what is overdue, and gives up who does not answer.
     *
     * @param now {@link System#nanoTime}
     */
    void tick(final long now) {
        if (down || path == null) {
            return;
        }
        switch (patience.look(now, isAcknowledged())) {
            case GIVE_UP -> {
                down(path.lack() + (acknowledged() + expected() > 0 ? "" : "never answered, and ")
                        + "has answered nothing for " + patience.seconds(now)
                        + " s, in which it was asked again and again");
                return;
            }
            case AGAIN -> {
                introduced = false;
                path.retry();
                flight.unanswered();
                if (!heard || patience.isLong()) {
                    transport.knock(theirs);
                }
                resend();
            }
            default -> {
                // All is well, or it is not time yet.
            }
        }
        if (!owes()) {
            owedSince = 0;
        } else if (owedSince == 0) {
            owedSince = now;
        } else if (now - owedSince >= ACK_NANOS && writeAlone(false)) {
            transport.counters().acksAlone++;
        }
    }

    /** Whether there is nothing that a poll or a tick would do. */
    boolean isIdle() {
        return peer() >= 0
                && downWhy == null
                && arrivals().isEmpty()
                && (down || path == null || !arrivals().isAsked() && isAcknowledged() && !hasUnsent() && !owes());
    }

    /** Polls look at it from now on. */
    private void activate() {
        if (!active) {
            active = true;
            transport.activated(this);
        }
    }

    /** Polls pass it over from now on. */
    void rest() {
        active = false;
    }

    // --- the end -----------------------------------------------------------------------------------

    /** The link ends, and the handler is told at the next poll. */
    @Override
    void down(final String why) {
        if (!down) {
            drop();
            downWhy = transport.describe(why, theirs);
        }
    }

    /** The link ends without a word to the handler. */
    void drop() {
        down = true;
        end();
        activate();
    }

    /** Says farewell behind all that was committed. */
    void leave() {
        refuseClaims();
        if (!down && (heard || introduced || hasUnsent())) {
            sayFarewell();
        }
    }

    /** Says it again: the first word may have been lost. */
    void leaveAgain() {
        if (!down && isAcknowledged() && (heard || introduced)) {
            sayFarewell();
        }
    }

    /**
     * Goes on sending; frames that arrive meanwhile are not taken.
     *
     * @return whether something is still to be sent, or not acknowledged
     */
    boolean drain(final long now) {
        if (path == null) {
            return false;
        }
        releaseAll();
        if (down) {
            return false;
        }
        if (!takeAcknowledgement(peerHas)) {
            down(whyBroken());
            return false;
        }
        flush();
        tick(now);
        return hasUnsent() || !isAcknowledged();
    }

    /** Whether the peer, of which others say that it has left, may still send something. */
    boolean mayDeliver() {
        if (down || !heard || hasFarewell && lastNumber == (int) expected()) {
            return false;
        }
        final long now = System.nanoTime();
        if (leavingSince == 0 || isHeardAgain) {
            leavingSince = now;
            isHeardAgain = false;
        }
        return now - leavingSince < LAST_WORDS_NANOS;
    }

    /** Gives the memory back. */
    void release() {
        down = true;
        free();
        freeStaging();
    }

    @Override
    public void close() {
        refuseClaims();
    }
}
