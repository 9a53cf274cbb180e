package org.parley.transport.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.agrona.UnsafeApi;
import org.parley.transport.Drill;
import org.parley.transport.FrameHandler;
import org.parley.transport.Link;
import org.parley.transport.Outage;
import org.parley.transport.RetainingEndpoint;

/** Both directions of the link with one peer. */
final class TcpEndpoint extends RetainingEndpoint implements Link, Drill.Breakable {
    /** Above this the kernel's loopback falls off a cliff: 64 KiB a write take four times as long. */
    private static final int LARGEST_WRITE = 60 * 1024;

    private static final String END = "closed the connection: end of stream";

    private final int rank;
    private final int staging;
    private final int largest;
    private final FrameHandler handler;
    private final boolean comesBack;
    private int peer = -1;
    private Wire wire;

    /** Number of the link that there is, or was last. */
    private int epoch;

    private boolean down;

    /** Whether the peer has yet to say where it is, before anything else. */
    private boolean begins;

    private boolean isCut;

    private final Outage outage = new Outage();
    private List<InetSocketAddress> addresses;

    /** What was read and not handed over yet: from {@link #start} to {@link #end}. */
    private long memory;

    private int start;
    private int end;

    /** Whether the handler has no place for the payload of the frame at {@link #start}. */
    private boolean noPlace;

    /** Payload to come: where it goes (0: nowhere), and how much. */
    private long place;

    private long placeLeft;
    private int placeRetained;

    /** Where the payload of a frame goes from its beginning on, of which not all has come, and what its header was; 0: none. */
    private long begun;

    private int begunHead;
    private int begunLength;

    private String writeFailure;
    private boolean watched;
    private boolean readable;

    private long bytesSent;
    private long bytesReceived;
    private long stalls;

    /**
     * Makes one without a connection.
     *
     * @param comesBack whether a link that breaks is made again
     * @param staging bytes that are read at once
     * @param largest the longest frame that is handed over whole
     */
    TcpEndpoint(
            final int rank,
            final boolean comesBack,
            final int window,
            final int staging,
            final int largest,
            final FrameHandler handler) {
        super(window);
        this.rank = rank;
        this.comesBack = comesBack;
        this.staging = staging;
        this.largest = largest;
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

    Wire wire() {
        return wire;
    }

    boolean isDown() {
        return down;
    }

    int epoch() {
        return epoch;
    }

    /** Whether the connection is to be taken away: for good, or until there is another one. */
    boolean isOff() {
        return down || outage.isBroken();
    }

    Outage outage() {
        return outage;
    }

    /** Returns where the peer listens; null: nobody has said it yet. */
    List<InetSocketAddress> addresses() {
        return addresses;
    }

    void addresses(final List<InetSocketAddress> sockets) {
        addresses = sockets;
    }

    /** There is a connection: the pair's first, or one in the place of another, which has been closed. */
    void connected(final Wire established, final int number) {
        if (memory == 0) {
            memory = UnsafeApi.allocateMemory(capacity());
        }
        fence();
        wire = established;
        epoch = number;
        if (number == 1) {
            attach(this, 0);
            return;
        }
        outage.connects();
        begins = true;
        resume(this, number);
    }

    /**
     * Nothing more comes of the old connection. What is staged of it comes again: it was not taken. A place that was given to a payload
     * stays its place.
     */
    private void fence() {
        detach();
        wire = null;
        start = 0;
        end = 0;
        place = 0;
        placeLeft = 0;
        begins = false;
        writeFailure = null;
        readable = false;
    }

    /** A link was to be there, and broke before it was. */
    void lost(final int number, final String why) {
        epoch = number;
        breakOff(why, "");
    }

    /** Closes the connection; what was committed stays where there is to be another one. */
    void takeOff() {
        final Wire old = wire;
        final boolean aborts = isCut;
        fence();
        isCut = false;
        if (aborts) {
            old.abort();
        } else {
            old.close(false);
        }
    }

    /** A frame that is not handed over yet, and one read. */
    private int capacity() {
        return HEADER + largest + Long.BYTES + staging;
    }

    // --- out -------------------------------------------------------------------------------------

    @Override
    public long write(final long address, final int length) {
        try {
            return sent(wire.write(address, Math.min(length, LARGEST_WRITE)));
        } catch (final IOException e) {
            writeFailed(e);
            return 0;
        }
    }

    @Override
    public long write(final long address, final int length, final long payload, final long payloadLength) {
        try {
            final int room = LARGEST_WRITE - length;
            return sent(
                    room > 0 && length > 0
                            ? wire.write(address, length, payload, (int) Math.min(payloadLength, room))
                            : length > 0
                                    ? wire.write(address, LARGEST_WRITE)
                                    : wire.write(payload, (int) Math.min(payloadLength, LARGEST_WRITE)));
        } catch (final IOException e) {
            writeFailed(e);
            return 0;
        }
    }

    private int sent(final int bytes) {
        bytesSent += bytes;
        stalls += bytes == 0 ? 1 : 0;
        return bytes;
    }

    /** What the peer sent before is still read; that ends the link. */
    private void writeFailed(final IOException e) {
        writeFailure = String.valueOf(e.getMessage());
        detach();
    }

    // --- in --------------------------------------------------------------------------------------

    /** Whether {@link #readable} is called when there is something to read. */
    void isWatched(final boolean is) {
        watched = is;
    }

    /** There is something to read. */
    void readable() {
        readable = true;
    }

    /** Whether a poll would find something to do. */
    boolean isWorthAPoll() {
        return readable || !watched || end > start || hasUnsent() || writeFailure != null;
    }

    /**
     * Moves everything on, once.
     *
     * @param limit the most frames to hand over
     * @return how much was done
     */
    int poll(final int limit) {
        readable = false;
        if (begins) {
            return pollResume();
        }
        final int written = hasUnsent() && flush() > 0 ? 1 : 0;
        final int handed = end > start ? handOver(limit) : 0;
        return written + handed + (handed < limit && !down ? read(limit - handed) : 0);
    }

    /** Both ends say where they are, before anything else. */
    private int pollResume() {
        final int written = flush() > 0 ? 1 : 0;
        final int bytes;
        try {
            bytes = readStaged();
        } catch (final IOException e) {
            ended(String.valueOf(e.getMessage()));
            return 1;
        }
        if (bytes < 0) {
            ended(END);
            return 1;
        }
        if (end >= RESUME_BYTES) {
            begins = false;
            final String objection = resumed(memory, epoch);
            start = RESUME_BYTES;
            compact();
            if (objection == null) {
                handler.onLinkBack(peer, outage.ends());
            } else {
                down(objection);
            }
            return 1;
        }
        if (writeFailure != null) {
            ended(writeFailure);
        }
        return written + bytes;
    }

    private int read(final int limit) {
        final int bytes;
        try {
            bytes = placeLeft > 0 && place != 0 ? readPayload() : readStaged();
        } catch (final IOException e) {
            ended(String.valueOf(e.getMessage()));
            return 1;
        }
        if (bytes > 0) {
            bytesReceived += bytes;
            return end > start ? Math.max(1, handOver(limit)) : 1;
        }
        if (bytes < 0) {
            ended(END);
            return 1;
        }
        if (writeFailure != null) {
            ended(writeFailure);
        }
        return 0;
    }

    private int readPayload() throws IOException {
        final int bytes = wire.read(place, (int) Math.min(placeLeft, Integer.MAX_VALUE));
        if (bytes > 0) {
            place += bytes;
            placeLeft -= bytes;
            if (placeLeft == 0) {
                placed();
            }
        }
        return bytes;
    }

    /** All of a payload is where it belongs. */
    private void placed() {
        begun = 0;
        taken(placeRetained);
        handler.onRest(peer);
    }

    private int readStaged() throws IOException {
        final int bytes = wire.read(memory + end, Math.min(staging, capacity() - end));
        if (bytes > 0) {
            end += bytes;
            if (placeLeft > 0) {
                skip();
            }
        }
        return bytes;
    }

    /** Drops what is staged of a duplicate. */
    private void skip() {
        final int bytes = (int) Math.min(placeLeft, end - start);
        start += bytes;
        placeLeft -= bytes;
    }

    /** Hands over what is staged: whole frames, and the beginning of a long one. */
    private int handOver(final int limit) {
        int handed = 0;
        while (handed < limit && !down && placeLeft == 0 && end - start >= HEADER) {
            final long header = memory + start;
            final long all = wireLengthOf(header);
            if (end - start < all && !isNews(header)) {
                break;
            }
            final int verdict = arrives(header);
            if (verdict == BROKEN) {
                down(whyBroken());
            } else if (verdict == DONE) {
                start += HEADER;
            } else if (verdict == DUPLICATE) {
                place = 0;
                placeLeft = all;
                skip();
            } else if (begun == 0 && end - start >= all) {
                start += (int) all;
                noPlace = false;
                taken(retainedOf(header));
                handler.onFrame(peer, header + HEADER, lengthOf(header));
                handed++;
            } else if (!begin(header, all)) {
                break;
            }
        }
        compact();
        return handed;
    }

    /** Whether a frame that has not all come is to be looked at now. */
    private boolean isNews(final long header) {
        return !noPlace && end - start >= HEADER + headOf(header);
    }

    /** The beginning of a frame is there; false: the rest has to come first. */
    private boolean begin(final long header, final long all) {
        final int head = headOf(header);
        if (head > 0 && !noPlace && hasPlace(header, head)) {
            final int payload = lengthOf(header) - head;
            final int staged = Math.min(payload, end - start - HEADER - head);
            UnsafeApi.copyMemory(header + HEADER + head, begun, staged);
            place = begun + staged;
            placeLeft = payload - staged;
            placeRetained = retainedOf(header);
            start += HEADER + head + staged;
            if (placeLeft == 0) {
                placed();
            }
            return true;
        }
        if (down) {
            return false;
        }
        noPlace = true;
        if (all > capacity() - staging) {
            down("sends a frame of " + lengthOf(header) + " bytes, longer than the longest, " + largest);
        }
        return false;
    }

    /** A frame that comes again over another link has its place already. */
    private boolean hasPlace(final long header, final int head) {
        final int length = lengthOf(header);
        if (begun == 0) {
            begun = handler.onHead(peer, header + HEADER, head, length - head);
            begunHead = head;
            begunLength = length;
        } else if (head != begunHead || length != begunLength) {
            down("sends a frame of " + length + " bytes, head " + head + ", again that had " + begunLength + ", head "
                    + begunHead);
        }
        return begun != 0 && !down;
    }

    private void compact() {
        if (start == end) {
            start = 0;
            end = 0;
        } else if (start > 0 && capacity() - end < staging) {
            UnsafeApi.copyMemory(memory + start, memory, end - start);
            end -= start;
            start = 0;
        }
    }

    // --- the end ---------------------------------------------------------------------------------

    /** After a farewell an end is no failure, nor a reset: the peer closed with bytes unread. */
    private void ended(final String why) {
        if (hasPeerLeft()) {
            drop();
        } else if (comesBack) {
            breakOff(why, wire.name());
        } else {
            down(why);
        }
    }

    private void breakOff(final String why, final String name) {
        detach();
        outage.breaks(why, name);
    }

    @Override
    public void cut(final String why) {
        isCut = true;
        breakOff(why, wire.name());
    }

    private void down(final String why) {
        if (!down) {
            drop();
            handler.onLinkDown(peer, "lost its link: " + why + " (" + wire.name() + ")");
        }
    }

    /** There is no connection, and will be none. */
    void unreachable(final String why) {
        if (!down) {
            drop();
            handler.onLinkDown(peer, outage.text(why));
        }
    }

    /** The link ends without a word to the handler. */
    void drop() {
        down = true;
        end();
    }

    /** Says farewell behind all that was committed. */
    void leave() {
        refuseClaims();
        if (!down && (wire != null || outage.isBroken() || !isSent())) {
            sayFarewell();
        }
    }

    /** Writes what is left, without taking frames; returns whether there is more. */
    boolean drain() {
        if (begins) {
            pollResume();
            return !isOff();
        }
        flush();
        return writeFailure == null && !down && (hasUnsent() || holdsBack());
    }

    private boolean holdsBack() {
        try {
            return wire != null && !wire.flush();
        } catch (final IOException e) {
            writeFailed(e);
            return false;
        }
    }

    /** Ends the connection; frees all memory. */
    void release() {
        if (wire != null) {
            if (!down) {
                discard();
            }
            wire.close(true);
        }
        if (memory != 0) {
            UnsafeApi.freeMemory(memory);
            memory = 0;
        }
        down = true;
        free();
    }

    /** A close with bytes unread would be a reset, and lose what is still on its way to the peer. */
    private void discard() {
        try {
            while (wire.read(memory, staging) > 0) {
                Thread.onSpinWait();
            }
        } catch (final IOException e) {
            // The peer was faster.
            return;
        }
    }

    /** Whether there is a connection on which the peer has not said its last word. */
    boolean mayDeliver() {
        return (wire != null || outage.isBroken()) && !down && (!hasPeerLeft() || end > start);
    }

    boolean owes() {
        return owesAcknowledgement();
    }

    void acknowledge(final long now) {
        acknowledgeLate(now);
    }

    long bytesSent() {
        return bytesSent;
    }

    long bytesReceived() {
        return bytesReceived;
    }

    /** Returns how often the kernel took nothing. */
    long stalls() {
        return stalls;
    }

    @Override
    public void close() {
        refuseClaims();
    }
}
