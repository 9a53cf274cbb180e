package org.parley.transport.verbs;

import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.parley.transport.Link;
import org.parley.transport.RetainingEndpoint;

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
final class UdEndpoint extends RetainingEndpoint implements Link {
    private static final long ACK_NANOS = 1_000_000;
    private static final long SLOWEST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A peer that has left, and whose farewell was lost, is not waited for longer than this. */
    private static final long LAST_WORDS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final UdTransport transport;
    private final UdQueue queue;
    private final UdAddress theirs;
    private final long token;
    private final long peersToken;
    private final long ah;
    private final int capacity;
    private int peer = -1;
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
    private boolean progressed;
    private boolean answered;
    private long since;
    private long lastSent;
    private long patience;

    // In: what has come, the first of which is handed over up to the cursor.
    private final Arrivals arrivals;
    private int cursor;

    /** Bytes of the expected frame that were handed over, those that are missing, and where they go. */
    private int progress;

    private long rest;
    private long place;
    private int placeRetained;
    private long staging;
    private boolean isStaged;

    private int granted = Flight.MOST;
    private int toldNumber;
    private int toldOffset;
    private long owedSince;
    private boolean hasFarewell;
    private int lastNumber;
    private boolean isHeardAgain;
    private long leavingSince;

    UdEndpoint(
            final UdTransport transport, final UdAddress theirs, final long ah, final int window, final int capacity) {
        super(window, capacity);
        this.transport = transport;
        this.queue = transport.queue();
        this.arrivals = new Arrivals(queue, transport.counters());
        this.theirs = theirs;
        this.ah = ah;
        this.capacity = capacity;
        token = transport.mine().token(transport.secret(), theirs);
        peersToken = theirs.token(transport.secret(), transport.mine());
        attach(this, 0);
    }

    /** Returns the handler's index of the peer; -1: unknown. */
    int peer() {
        return peer;
    }

    void peer(final int index) {
        peer = index;
    }

    UdAddress theirs() {
        return theirs;
    }

    /** Returns what the peer's datagrams begin with. */
    long peersToken() {
        return peersToken;
    }

    long ah() {
        return ah;
    }

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
        if (!queue.hasRoom()) {
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
        Datagram.from(datagram, token, transport.mine().rank());
        Datagram.acknowledges(
                datagram,
                (int) expected(),
                progress,
                granted,
                flags | (arrivals.hasGap() ? Datagram.GAP : 0) | (arrivals.isAsked() ? Datagram.ANSWER : 0));
        queue.send(ah, theirs, length);
        announce();
        arrivals.told();
        toldNumber = (int) expected();
        toldOffset = progress;
        owedSince = 0;
    }

    /** Whoever has not been heard may not know this rank yet. */
    private void introduce() {
        if (!heard && !introduced && queue.hasRoom()) {
            introduced = true;
            queue.send(ah, theirs, transport.writeHello(queue.next(), theirs));
        }
    }

    @Override
    public void written() {
        queue.ring();
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
            answered = true;
            transport.counters().answers++;
        }
        isHeardAgain = true;
        takeAck(datagram, (flags & Datagram.GAP) != 0);
        if (UdQueue.length(receive) == Datagram.HEADER || down) {
            queue.recycle(receive);
        } else {
            transport.counters().received++;
            arrivals.add(receive, (flags & Datagram.ASK) != 0);
        }
    }

    private void takeAck(final long datagram, final boolean hasGap) {
        final int ack = Datagram.ack(datagram);
        final int ackOf = Datagram.ackOffset(datagram);
        if (!Flight.isUpTo(ack, ackOf, peerHas, peerHasOf)) {
            peerHas = ack;
            peerHasOf = ackOf;
            progressed = true;
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
        if (peer < 0) {
            peer = transport.handler().onPeer(theirs.rank());
        }
        int work = 0;
        if (!down) {
            moveOn();
            work = handOver(limit);
            answer();
        }
        if (down) {
            releaseAll();
        }
        if (downWhy != null) {
            final String why = downWhy;
            downWhy = null;
            transport.handler().onLinkDown(peer, why);
            work++;
        }
        return work;
    }

    /** What the keeper does instead: nothing is handed over. */
    void keep() {
        if (!down) {
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
        if (!down && (arrivals.isAsked() || 2 * arrivals.untold() >= granted && owes())) {
            writeAlone(false);
        }
    }

    /** Whether the peer does not know what was handed over. */
    private boolean owes() {
        return toldNumber != (int) expected() || toldOffset != progress;
    }

    private int handOver(final int limit) {
        int handed = 0;
        while (handed < limit && arrivals.first() != 0 && !down) {
            handed += Datagram.offset(UdQueue.datagram(arrivals.first())) > 0 ? takePiece() : takeFrame();
            if (!down && Datagram.HEADER + cursor == UdQueue.length(arrivals.first())) {
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
            transport.handler().onFrame(peer, staging + HEADER, lengthOf(staging));
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
                transport.handler().onFrame(peer, header + HEADER, lengthOf(header));
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
            if (down) {
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

    // --- the clock ---------------------------------------------------------------------------------

    /**
     * Looks at the clock: sends what is overdue, and gives up who does not answer.
     *
     * @param now {@link System#nanoTime}
     */
    void tick(final long now) {
        if (down) {
            return;
        }
        if (isAcknowledged()) {
            since = 0;
        } else if (since == 0 || progressed) {
            since = now;
            lastSent = now;
            patience = transport.firstPatience();
        } else if (answered) {
            // It computes.
            since = now;
        } else if (now - since > transport.lastPatience()) {
            down((heard ? "" : "never answered, and ") + "has answered nothing for "
                    + TimeUnit.NANOSECONDS.toMillis(now - since) / 1e3 + " s, in which it was asked again and again");
        } else if (now - lastSent > patience) {
            lastSent = now;
            patience = Math.min(2 * patience, SLOWEST_NANOS);
            introduced = false;
            flight.unanswered();
            resend();
        }
        progressed = false;
        answered = false;
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
        return peer >= 0
                && downWhy == null
                && arrivals.isEmpty()
                && (down || !arrivals.isAsked() && isAcknowledged() && !hasUnsent() && !owes());
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

    /** What has come is not handed over any more. */
    private void releaseAll() {
        arrivals.clear();
        cursor = 0;
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
        if (staging != 0) {
            UnsafeApi.freeMemory(staging);
            staging = 0;
        }
    }

    @Override
    public void close() {
        refuseClaims();
    }
}
