package org.parley.transport.self;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.UnsafeApi;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.RecordRing;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;

/** Messages of a rank to itself: a ring in its own memory, and plain copies of exposed memory. */
public final class SelfTransport implements Transport {
    private static final int CAPACITY = 256 * 1024;
    private static final int LINE = 64;
    private static final int EAGER_LIMIT = 8 * 1024;
    private static final int FRAGMENT = 8 * 1024;

    private final Capabilities capabilities = new Capabilities(
            RecordRing.maxFrame(CAPACITY), EAGER_LIMIT, true, EAGER_LIMIT + 1, EAGER_LIMIT + 1, FRAGMENT, 0);
    private FrameHandler handler;
    private long memory;
    private RecordRing reader;
    private Loop endpoint;
    private byte[] address;
    private int self;

    /** For the service loader. */
    public SelfTransport() {}

    @Override
    public String name() {
        return "self";
    }

    @Override
    public Availability probe(final TransportContext context) {
        return Availability.YES;
    }

    @Override
    public void open(final TransportContext context, final FrameHandler frames) {
        final byte[] job = context.job().getBytes(StandardCharsets.UTF_8);
        address = ByteBuffer.allocate(4 + job.length)
                .putInt(context.rank())
                .put(job)
                .array();
        handler = frames;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public byte[] address() {
        return address.clone();
    }

    @Override
    public Availability reaches(final byte[] peerAddress) {
        return Arrays.equals(peerAddress, address) ? Availability.YES : Availability.no("another rank");
    }

    @Override
    public Endpoint connect(final int peer, final byte[] peerAddress) {
        final int bytes = CAPACITY + LINE;
        memory = UnsafeApi.allocateMemory(bytes);
        UnsafeApi.setMemory(memory, bytes, (byte) 0);
        final long base = (memory + LINE - 1) & -LINE;
        reader = new RecordRing(base, CAPACITY, 0);
        endpoint = new Loop(new RecordRing(base, CAPACITY, 0));
        self = peer;
        return endpoint;
    }

    @Override
    public int poll(final int limit) {
        if (reader == null) {
            return 0;
        }
        int work = 0;
        for (long frame; work < limit && (frame = reader.next()) != 0; work++) {
            handler.onFrame(self, frame, reader.length());
            reader.advance();
        }
        reader.release();
        return work;
    }

    @Override
    public void close() {
        reader = null;
        if (memory != 0) {
            UnsafeApi.freeMemory(memory);
            memory = 0;
        }
    }

    /** The way out is the way in. */
    private final class Loop extends Endpoint {
        private final RecordRing ring;

        Loop(final RecordRing ring) {
            this.ring = ring;
        }

        @Override
        public long claim(final int length) {
            return ring.claim(length);
        }

        @Override
        public void commit() {
            ring.commit();
        }

        @Override
        public void abort() {
            ring.abort();
        }

        @Override
        public long expose(final long address, final long length, final int region) {
            return 1;
        }

        @Override
        public long get(
                final long remoteAddress,
                final long key,
                final long localAddress,
                final int localRegion,
                final long length,
                final long token) {
            UnsafeApi.copyMemory(remoteAddress, localAddress, length);
            handler.onTransferred(token, null);
            return 0;
        }

        @Override
        public void close() {
            // The transport owns the memory.
        }
    }
}
