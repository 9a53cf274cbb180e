package org.parley.wireup;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The launcher's end of one connection: puts frames together and holds what the peer does not take
 * at once. Used by the rendezvous' thread only.
 */
final class Link {
    /** Who says nothing is none of ours. */
    private static final long HELLO_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A first proof takes seconds on an emulated processor, or on a machine with much else to do. */
    private static final long PROOF_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** How far a connection has come. */
    enum State {
        /** Nothing is known of the peer; its hello is to come. */
        NEW,
        /** It has said who it wants to be and has been asked to prove it. */
        CHALLENGED,
        /** It is a rank of this job. */
        MEMBER,
        /** It has been told why not, and ends when it has taken that. */
        REFUSED,
        /** Closed. */
        GONE
    }

    State state = State.NEW;

    /** What the hello claims; believed from {@link State#MEMBER} on. */
    int rank;

    int size;
    long pid;
    String build;
    byte[] hello;
    byte[] challenge;

    /** When it connected, then when it was last heard of. */
    long heard;

    boolean suspected;
    boolean hasLeft;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final String remote;
    private final ByteBuffer header = ByteBuffer.allocate(ControlFrame.HEADER);
    private ByteBuffer body;
    private boolean isDeaf;
    private final ArrayDeque<ByteBuffer> unsent = new ArrayDeque<>();

    Link(final SocketChannel channel, final SelectionKey key, final long now) {
        this.channel = channel;
        this.key = key;
        this.heard = now;
        this.remote = remote(channel);
    }

    private static String remote(final SocketChannel channel) {
        try {
            return channel.getRemoteAddress() instanceof InetSocketAddress address
                    ? address.getAddress().getHostAddress()
                    : null;
        } catch (final IOException e) {
            // It has gone already.
            return null;
        }
    }

    /** Returns who it says it is, and from where. */
    String claim() {
        return "a program " + where()
                + (build == null ? "of another version" : "that calls itself rank " + rank + " (pid " + pid + ")");
    }

    /** Returns where it calls from, a blank behind it; empty on this machine. */
    String where() {
        return remote == null ? "" : "at " + remote + " ";
    }

    /** Whether a stranger has had its time. */
    boolean isTooSlow(final long now) {
        return now - heard > (state == State.CHALLENGED ? PROOF_NANOS : HELLO_NANOS);
    }

    /**
     * Returns the next whole frame, or null if there is none yet.
     *
     * @throws IOException if the link has ended or a length exceeds what is allowed at this point
     */
    ControlFrame next() throws IOException {
        if (body == null) {
            if (!fill(header)) {
                return null;
            }
            final int length = header.getInt(0);
            final int limit = state == State.MEMBER ? ControlFrame.LIMIT : ControlFrame.HANDSHAKE_LIMIT;
            if (length < 1 || length > limit) {
                throw new IOException("a frame claims " + length + " bytes, allowed are " + limit);
            }
            body = ByteBuffer.allocate(length - 1);
        }
        if (!fill(body)) {
            return null;
        }
        final ControlFrame frame = ControlFrame.arrived(header.get(4), body.flip());
        header.clear();
        body = null;
        return frame;
    }

    private boolean fill(final ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            final int count = channel.read(buffer);
            if (count < 0) {
                throw new EOFException("the link has ended");
            }
            if (count == 0) {
                return false;
            }
        }
        return true;
    }

    /** Sends a frame, or what of it the peer takes now. */
    void send(final ByteBuffer frame) {
        if (!isDeaf) {
            unsent.add(frame.duplicate());
            flush();
        }
    }

    boolean hasUnsent() {
        return !unsent.isEmpty();
    }

    void flush() {
        try {
            while (!unsent.isEmpty()) {
                channel.write(unsent.peek());
                if (unsent.peek().hasRemaining()) {
                    key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                    return;
                }
                unsent.remove();
            }
        } catch (final IOException e) {
            // The peer takes no more, but what it said before it went is still to be read.
            isDeaf = true;
            unsent.clear();
        }
        if (state == State.REFUSED) {
            close();
        } else if (key.isValid()) {
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    void close() {
        state = State.GONE;
        key.cancel();
        try {
            channel.close();
        } catch (final IOException e) {
            // It is closed as far as this side is concerned.
            return;
        }
    }
}
