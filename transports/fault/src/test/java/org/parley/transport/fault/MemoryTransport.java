package org.parley.transport.fault;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.UnsafeApi;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;

/** The plainest transport that there can be: queues of byte arrays between ranks of one JVM. */
class MemoryTransport implements Transport {
    private static final int MAX_FRAME = 8192;
    private static final int DEPTH = 256;
    private static final Map<String, MemoryTransport> OPEN = new ConcurrentHashMap<>();

    private final ConcurrentLinkedQueue<Arrival> queue = new ConcurrentLinkedQueue<>();
    private final Map<Integer, Integer> peers = new ConcurrentHashMap<>();
    private final Map<Integer, AtomicInteger> underWay = new ConcurrentHashMap<>();
    private FrameHandler handler;
    private TransportContext context;
    private String name;

    private record Arrival(int rank, byte[] bytes) {}

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Availability probe(final TransportContext where) {
        return Availability.YES;
    }

    @Override
    public void open(final TransportContext where, final FrameHandler frames) {
        context = where;
        handler = frames;
        name = where.job() + "/" + where.rank();
        OPEN.put(name, this);
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(MAX_FRAME, 4096, true, 4097, 4097, 4096, 0);
    }

    @Override
    public byte[] address() {
        final byte[] job = context.job().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(4 + job.length)
                .putInt(context.rank())
                .put(job)
                .array();
    }

    @Override
    public Availability reaches(final byte[] address) {
        for (int rank = 0; rank < context.size(); rank++) {
            final byte[] job = context.job().getBytes(StandardCharsets.UTF_8);
            if (Arrays.equals(
                    address,
                    ByteBuffer.allocate(4 + job.length).putInt(rank).put(job).array())) {
                return Availability.YES;
            }
        }
        return Availability.no("no rank of this job");
    }

    @Override
    public Endpoint connect(final int peer, final byte[] address) {
        final int rank = ByteBuffer.wrap(address).getInt();
        peers.putIfAbsent(rank, peer);
        return new QueueEndpoint(OPEN.get(context.job() + "/" + rank));
    }

    @Override
    public int poll(final int limit) {
        int work = 0;
        final int[] handed = new int[context.size()];
        for (Arrival next; (next = queue.peek()) != null && handed[next.rank()] < limit; work++) {
            queue.remove();
            handed[next.rank()]++;
            underWay.get(next.rank()).decrementAndGet();
            final Integer peer = peers.computeIfAbsent(next.rank(), handler::onPeer);
            final long memory = UnsafeApi.allocateMemory(next.bytes().length);
            UnsafeApi.copyMemory(
                    next.bytes(), UnsafeApi.arrayBaseOffset(byte[].class), null, memory, next.bytes().length);
            handler.onFrame(peer, memory, next.bytes().length);
            UnsafeApi.freeMemory(memory);
        }
        return work;
    }

    @Override
    public void close() {
        OPEN.remove(name, this);
    }

    private final class QueueEndpoint extends Endpoint {
        private final MemoryTransport target;
        private final long claimed = UnsafeApi.allocateMemory(MAX_FRAME);
        private int length;

        QueueEndpoint(final MemoryTransport target) {
            this.target = target;
            target.underWay.putIfAbsent(context.rank(), new AtomicInteger());
        }

        @Override
        public long claim(final int bytes) {
            length = bytes;
            return target.underWay.get(context.rank()).get() < DEPTH ? claimed : BACK_PRESSURED;
        }

        @Override
        public void commit() {
            final byte[] bytes = new byte[length];
            UnsafeApi.copyMemory(null, claimed, bytes, UnsafeApi.arrayBaseOffset(byte[].class), length);
            target.underWay.get(context.rank()).incrementAndGet();
            target.queue.add(new Arrival(context.rank(), bytes));
        }

        @Override
        public void abort() {
            length = 0;
        }

        @Override
        public long expose(final long address, final long bytes, final int region) {
            return 1;
        }

        @Override
        public long get(
                final long remoteAddress,
                final long key,
                final long localAddress,
                final int localRegion,
                final long bytes,
                final long token) {
            UnsafeApi.copyMemory(remoteAddress, localAddress, bytes);
            handler.onTransferred(token, null);
            return 0;
        }

        @Override
        public void close() {
            // Small, and the JVM ends soon.
        }
    }
}
