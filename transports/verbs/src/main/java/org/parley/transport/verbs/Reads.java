package org.parley.transport.verbs;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.agrona.UnsafeApi;
import org.agrona.collections.Long2ObjectHashMap;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * RDMA READ of a peer's memory, and memory that the peer reads. Trusted only after a read of the peer's proof has brought that: there are
 * devices that make a SEND of a READ and say that all is well. The holder's of the progress word.
 *
 * <p><b>Links that break.</b> Memory is registered with the device and not with a queue pair, so the keys that peers have stay good, and
 * what was exposed stays exposed until it is concealed. A read goes on over the next link with what the last one has not brought. Who has
 * read twice has done no harm; what a late answer would write at the reader's, its fence forbids.
 */
final class Reads implements AutoCloseable {
    private static final long CHUNK = 1 << 20;
    private static final int MOST_EXPOSED = 512;

    private final Registrations registrations;
    private RcConnection connection;

    /** Null while there is no link. */
    private SendQueue sends;

    private final Long2ObjectHashMap<Registrations.Use> exposed = new Long2ObjectHashMap<>();
    private final ArrayDeque<Read> reads = new ArrayDeque<>();
    private int numbers;
    private long proofSequence = -1;
    private boolean proven;
    private boolean peerReads;

    /** The last work requests that read, as many as may be under way: their numbers, for whom, and from which byte on. */
    private final long[] window = new long[Dimensions.READS];

    private final Read[] whose = new Read[Dimensions.READS];
    private final long[] from = new long[Dimensions.READS];
    private int asked;

    /** A read that has not ended. */
    private static final class Read {
        private final long remote;
        private final int rkey;
        private final long local;
        private final long length;
        private final long token;
        private final Registrations.Use use;
        private long asked;
        private long last = -1;

        private Read(
                final long remote,
                final int rkey,
                final long local,
                final long length,
                final long token,
                final Registrations.Use use) {
            this.remote = remote;
            this.rkey = rkey;
            this.local = local;
            this.length = length;
            this.token = token;
            this.use = use;
        }
    }

    Reads(final Registrations registrations) {
        this.registrations = registrations;
    }

    /** There is a link whose peer receives. */
    void begin(final RcLink link) {
        connection = link.connection();
        sends = link.sends();
        if (proven) {
            sends.tellReads();
        } else if (connection.mayRead()) {
            prove();
        }
    }

    /** The link is fenced: what it has not brought is to be read again. */
    void stop() {
        if (sends == null) {
            return;
        }
        for (int i = Math.max(0, asked - window.length); i < asked; i++) {
            final int place = i % window.length;
            if (!sends.hasCompleted(window[place])) {
                whose[place].asked = Math.min(whose[place].asked, from[place]);
            }
        }
        for (final Read read : reads) {
            // Its work requests belong to the past: what has ended is so before all of the next link's.
            read.last = -1;
        }
        asked = 0;
        proofSequence = -1;
        sends = null;
        connection = null;
    }

    /** What a message of the peer says beside. */
    void heard(final int flags) {
        peerReads |= (flags & SendQueue.READS) != 0;
    }

    /** Asks for the peer's proof; where that makes a SEND of it, the peer knows it for what it is. */
    private void prove() {
        final long target = connection.proof();
        UnsafeApi.putInt(target, 0);
        UnsafeApi.putInt(target + 4, SendQueue.PROOF);
        proofSequence = sends.sequence();
        final long wr = connection.send(proofSequence);
        WorkRequest.element(RcConnection.elements(wr), target, Adapter.PROOF_BYTES, connection.lkey());
        WorkRequest.remote(
                wr, connection.theirs().proofAddress(), connection.theirs().proofKey());
        sends.add(wr, WorkRequest.RDMA_READ, 1, 0, true);
    }

    /** Looks whether the proof has come, and is right; says so once. */
    boolean isJustProven() {
        if (proofSequence < 0 || !sends.hasCompleted(proofSequence)) {
            return false;
        }
        final byte[] read = new byte[Adapter.PROOF_BYTES];
        UnsafeApi.copyMemory(
                null, connection.proof(), read, UnsafeApi.arrayBaseOffset(byte[].class), Adapter.PROOF_BYTES);
        proven = Arrays.equals(read, connection.theirs().proof());
        proofSequence = -1;
        if (proven) {
            sends.tellReads();
        }
        return proven;
    }

    long expose(final long address, final long length, final int region) {
        if (!peerReads || exposed.size() >= MOST_EXPOSED) {
            return 0;
        }
        final Registrations.Use use = registrations.use(address, length, region);
        if (use == null) {
            return 0;
        }
        numbers = numbers == Integer.MAX_VALUE ? 1 : numbers + 1;
        final long key = (long) numbers << 32 | use.region().rkey() & 0xffff_ffffL;
        exposed.put(key, use);
        return key;
    }

    void conceal(final long key) {
        final Registrations.Use use = exposed.remove(key);
        if (use != null) {
            registrations.release(use);
        }
    }

    long get(
            final long remote,
            final long key,
            final long local,
            final int region,
            final long length,
            final long token) {
        if (!proven) {
            return Endpoint.UNREACHABLE;
        }
        final Registrations.Use use = registrations.use(local, length, region);
        if (use == null) {
            return Endpoint.UNREACHABLE;
        }
        reads.add(new Read(remote, (int) key, local, length, token, use));
        moveOn();
        return 0;
    }

    /** Moves reads on; returns how many have ended. */
    int poll(final FrameHandler handler) {
        int ended = 0;
        for (Read read; (read = reads.peek()) != null && isOver(read); ended++) {
            reads.remove();
            registrations.release(read.use);
            handler.onTransferred(read.token, null);
        }
        moveOn();
        return ended;
    }

    /** Asks for more of what is being read. */
    void moveOn() {
        if (!reads.isEmpty() && sends != null) {
            post();
        }
    }

    private boolean isOver(final Read read) {
        return read.asked == read.length && (read.last < 0 || sends.hasCompleted(read.last));
    }

    private void post() {
        for (final Read read : reads) {
            while (read.asked < read.length) {
                if (isWindowFull() || !sends.hasRoom()) {
                    sends.written();
                    return;
                }
                final int bytes = (int) Math.min(CHUNK, read.length - read.asked);
                final long wr = connection.send(sends.sequence());
                WorkRequest.element(
                        RcConnection.elements(wr),
                        read.local + read.asked,
                        bytes,
                        read.use.region().lkey());
                WorkRequest.remote(wr, read.remote + read.asked, read.rkey);
                read.last = sends.sequence();
                final int place = asked++ % window.length;
                window[place] = read.last;
                whose[place] = read;
                from[place] = read.asked;
                read.asked += bytes;
                sends.add(wr, WorkRequest.RDMA_READ, 1, 0, true);
            }
        }
        sends.written();
    }

    private boolean isWindowFull() {
        return asked >= window.length && !sends.hasCompleted(window[asked % window.length]);
    }

    /** Ends all registrations; the device must not use them any more. */
    @Override
    public void close() {
        reads.forEach(read -> registrations.release(read.use));
        reads.clear();
        exposed.values().forEach(registrations::release);
        exposed.clear();
    }
}
