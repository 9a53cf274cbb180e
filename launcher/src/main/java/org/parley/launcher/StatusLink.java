package org.parley.launcher;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.parley.wireup.ControlFrame;

/** The end of {@code parley top} of what {@link StatusServer} tells. One thread. */
final class StatusLink implements AutoCloseable {
    /** A launcher that says nothing for so long is stopped, or its machine is. */
    private static final long PATIENCE_SECONDS = 30;

    private final SocketChannel channel;
    private final Selector selector;

    /**
     * Connects.
     *
     * @param socket of the job
     */
    StatusLink(final Path socket) throws IOException {
        channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        channel.configureBlocking(false);
        selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Waits for the next state.
     *
     * @return null at the end of the job
     * @throws IOException if none comes, or what comes is none
     */
    JobStatus next() throws IOException {
        final ByteBuffer head = fill(Integer.BYTES);
        if (head == null) {
            return null;
        }
        final int length = head.getInt();
        if (length < 1 || length > ControlFrame.LIMIT) {
            throw new IOException("a frame claims " + length + " bytes, allowed are " + ControlFrame.LIMIT);
        }
        final ByteBuffer body = fill(length);
        return body == null ? null : JobStatus.read(ControlFrame.arrived(body.get(), body.slice()));
    }

    /** Returns null where the launcher has ended, perhaps in the middle of it. */
    private ByteBuffer fill(final int bytes) throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining()) {
            final int count = channel.read(buffer);
            if (count < 0) {
                return null;
            }
            if (count == 0) {
                if (selector.select(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS)) == 0) {
                    throw new IOException(
                            "its launcher has said nothing for " + PATIENCE_SECONDS + " s: is it stopped?");
                }
                selector.selectedKeys().clear();
            }
        }
        return buffer.flip();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
