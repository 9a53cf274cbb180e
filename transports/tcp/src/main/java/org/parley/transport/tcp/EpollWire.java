package org.parley.transport.tcp;

import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import org.agrona.UnsafeApi;

/** A connection read and written through the descriptor of a Netty channel that no loop has any more. */
final class EpollWire implements Wire {
    private static final int IOVEC = 16;

    private final EpollSocketChannel channel;
    private final FileDescriptor descriptor;
    private final String name;
    private final long vector;

    /** @param vector native memory for two iovec, of the transport's */
    EpollWire(final EpollSocketChannel channel, final long vector) {
        this.channel = channel;
        this.descriptor = channel.fd();
        this.name = Sockets.nameOf(channel);
        this.vector = vector;
    }

    @Override
    public int read(final long address, final int length) throws IOException {
        return descriptor.readAddress(address, 0, length);
    }

    @Override
    public int write(final long address, final int length) throws IOException {
        return descriptor.writeAddress(address, 0, length);
    }

    @Override
    public int write(final long address, final int length, final long payload, final int payloadLength)
            throws IOException {
        UnsafeApi.putLong(vector, address);
        UnsafeApi.putLong(vector + Long.BYTES, length);
        UnsafeApi.putLong(vector + IOVEC, payload);
        UnsafeApi.putLong(vector + IOVEC + Long.BYTES, payloadLength);
        return (int) descriptor.writevAddresses(vector, 2);
    }

    @Override
    public int descriptor() {
        return descriptor.intValue();
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
