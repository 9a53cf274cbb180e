package org.parley.transport.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * A connection read and written through the JDK's channel, where Netty's native library does not load.
 * The JDK takes no native addresses, so all bytes pass through a buffer of its own.
 */
final class NioWire implements Wire {
    private final Sockets.OpenChannel channel;
    private final String name;
    private final ByteBuffer buffer;
    private final long memory;

    /** @param buffer a direct buffer of the transport's, shared by its wires */
    NioWire(final Sockets.OpenChannel channel, final ByteBuffer buffer) {
        this.channel = channel;
        this.name = Sockets.nameOf(channel);
        this.buffer = buffer;
        this.memory = BufferUtil.address(buffer);
    }

    @Override
    public int read(final long address, final int length) throws IOException {
        buffer.clear().limit(Math.min(length, buffer.capacity()));
        final int bytes = channel.socket().read(buffer);
        if (bytes > 0) {
            UnsafeApi.copyMemory(memory, address, bytes);
        }
        return bytes;
    }

    @Override
    public int write(final long address, final int length) throws IOException {
        return write(address, length, 0, 0);
    }

    @Override
    public int write(final long address, final int length, final long payload, final int payloadLength)
            throws IOException {
        final int first = Math.min(length, buffer.capacity());
        final int second = Math.min(payloadLength, buffer.capacity() - first);
        UnsafeApi.copyMemory(address, memory, first);
        UnsafeApi.copyMemory(payload, memory + first, second);
        buffer.clear().limit(first + second);
        return channel.socket().write(buffer);
    }

    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void abort() {
        Sockets.abort(channel);
    }

    @Override
    public void close(final boolean wait) {
        Sockets.close(channel, wait);
    }
}
