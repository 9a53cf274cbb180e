package org.parley.transport.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * One end of the TCP connection beside a queue pair: messages of known lengths, a deadline until all is said, then silence until one of
 * the two processes ends. The control thread's.
 */
abstract class ControlLink {
    /** So long a stranger may be silent. */
    private static final long STRANGER_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** So long those may be who speak the protocol: their devices may take a second for a queue pair. */
    private static final long PEER_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final SocketChannel channel;
    private final String peer;
    private long since = System.nanoTime();
    private long patience = STRANGER_NANOS;
    private SelectionKey key;
    private ByteBuffer in;
    private ByteBuffer out = ByteBuffer.allocate(0);
    private boolean established;
    private boolean over;
    private boolean lost;
    private boolean closesAfterWrite;

    ControlLink(final SocketChannel channel, final String peer) {
        this.channel = channel;
        this.peer = peer;
    }

    void key(final SelectionKey registered) {
        key = registered;
    }

    String peer() {
        return peer;
    }

    boolean isOver() {
        return over;
    }

    /** The peer is no stranger any more. */
    final void trust() {
        since = System.nanoTime();
        patience = PEER_NANOS;
    }

    /** Waits for the next message. */
    final void expect(final int bytes) {
        in = ByteBuffer.allocate(bytes);
    }

    final void send(final byte[] bytes) {
        out = ByteBuffer.allocate(out.remaining() + bytes.length)
                .put(out)
                .put(bytes)
                .flip();
        write();
    }

    /** Sends a last word. */
    final void sendAndClose(final byte[] bytes) {
        closesAfterWrite = true;
        send(bytes);
    }

    /** All is said. */
    final void established() {
        established = true;
        expect(1);
    }

    boolean isEstablished() {
        return established;
    }

    /** Whether the connection ended by itself, not by what the other end said or did not say. */
    final boolean isLost() {
        return lost;
    }

    /** Something may be done on the channel. */
    final void ready() {
        try {
            if (key.isConnectable() && channel.finishConnect()) {
                key.interestOps(SelectionKey.OP_READ);
                connected();
            }
            if (!over && key.isWritable()) {
                write();
            }
            if (!over && key.isReadable()) {
                read();
            }
        } catch (final IOException e) {
            lost(String.valueOf(e.getMessage()));
        }
    }

    private void write() {
        try {
            channel.write(out);
            if (out.hasRemaining()) {
                key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            } else if (closesAfterWrite) {
                over = true;
                close();
            } else {
                key.interestOps(SelectionKey.OP_READ);
            }
        } catch (final IOException e) {
            lost(String.valueOf(e.getMessage()));
        }
    }

    private void read() throws IOException {
        // Several messages may have come with one.
        while (!over && in != null) {
            final int bytes = channel.read(in);
            if (bytes < 0) {
                lost("closed the connection: end of stream");
                return;
            }
            if (in.hasRemaining()) {
                return;
            }
            final byte[] message = in.array();
            in = null;
            if (established) {
                end("said more than was asked on the control link");
                return;
            }
            arrived(message);
        }
    }

    /** Looks at the clock. */
    final void tick(final long now) {
        if (!over && !established && now - since > patience) {
            end("did not answer within " + TimeUnit.NANOSECONDS.toSeconds(patience) + " s");
        }
    }

    private void lost(final String why) {
        lost |= !over;
        end(why);
    }

    /** Ends it; tells the one who has it, once. */
    final void end(final String why) {
        if (!over) {
            over = true;
            close();
            ended(why);
        }
    }

    /** Ends it without a word. */
    final void close() {
        over = true;
        try {
            channel.close();
        } catch (final IOException e) {
            // Whatever it held is gone all the same.
            return;
        }
    }

    /** Returns the number of the link that it is for. */
    abstract int epoch();

    /** The connection is there. */
    abstract void connected();

    /** A message is complete. */
    abstract void arrived(byte[] message);

    /** Ended, before or after it was established. */
    abstract void ended(String why);
}
