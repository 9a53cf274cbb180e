package org.parley.transport.shm;

import org.parley.transport.Endpoint;
import org.parley.transport.RecordRing;

/** The sending half towards one peer: its ring, and the slots of what is exposed to it. */
final class ShmEndpoint extends Endpoint {
    /** A sender leaves the copying to look at its rings again after so many bytes. */
    private static final long HELP_BYTES = 4L << 20;

    /** A key: the region's number above the slot's, counted from 1. */
    private static final int SLOT_BITS = 8;

    private final ShmTransport transport;
    private final int rank;
    private final Segment segment;
    private final RecordRing ring;
    private final PeerMemory peer;

    /** Exposed native address per slot; 0: the slot is free. */
    private final long[] exposed = new long[Segment.SLOTS];

    private long seenActivity;
    private int exposedCount;
    private int nextSlot;

    ShmEndpoint(final ShmTransport transport, final int rank, final Segment segment, final PeerMemory peer) {
        this.transport = transport;
        this.rank = rank;
        this.segment = segment;
        this.ring = segment.ring();
        this.peer = peer;
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
        if (exposedCount == Segment.SLOTS || region == 0 && !transport.canCopyAcross()) {
            return 0;
        }
        while (exposed[nextSlot] != 0) {
            nextSlot = (nextSlot + 1) % Segment.SLOTS;
        }
        final int slot = nextSlot;
        nextSlot = (nextSlot + 1) % Segment.SLOTS;
        TransferSlot.prepare(segment.slot(slot));
        exposed[slot] = address;
        if (exposedCount++ == 0) {
            transport.watch(this);
        }
        return (long) region << SLOT_BITS | slot + 1;
    }

    @Override
    public void conceal(final long key) {
        exposed[slotOf(key)] = 0;
        if (--exposedCount == 0) {
            transport.unwatch(this);
        }
    }

    @Override
    public long get(
            final long remoteAddress,
            final long key,
            final long localAddress,
            final int localRegion,
            final long length,
            final long token) {
        return transport.get(rank, remoteAddress, key, localAddress, localRegion, length, token);
    }

    static int slotOf(final long key) {
        return (int) (key & (1 << SLOT_BITS) - 1) - 1;
    }

    static int regionOf(final long key) {
        return (int) (key >>> SLOT_BITS);
    }

    /** Copies from the top of what the peer is fetching from the bottom. */
    int help(final CrossMemory memory) {
        final long activity = segment.activity();
        if (activity == seenActivity) {
            return 0;
        }
        long bytes = 0;
        int work = 0;
        // Oldest first: the receiver completes in order.
        for (int i = 0, slot = nextSlot; i < Segment.SLOTS; i++, slot = (slot + 1) % Segment.SLOTS) {
            final long at = segment.slot(slot);
            if (exposed[slot] == 0 || TransferSlot.target(at) == 0) {
                continue;
            }
            final long mapped = peer.mapped(TransferSlot.region(at), TransferSlot.target(at), TransferSlot.length(at));
            if (mapped == 0 && (memory == null || !TransferSlot.isProven(at))) {
                continue;
            }
            for (long chunk; (chunk = TransferSlot.takeTop(at)) >= 0; ) {
                bytes += copy(memory, mapped, at, exposed[slot], chunk);
                work++;
                if (bytes >= HELP_BYTES) {
                    return work;
                }
            }
        }
        seenActivity = activity;
        return work;
    }

    private long copy(
            final CrossMemory memory, final long mapped, final long slot, final long source, final long number) {
        final long offset = number * TransferSlot.chunk(slot);
        final long length = Math.min(TransferSlot.chunk(slot), TransferSlot.length(slot) - offset);
        final long to = mapped == 0 ? 0 : mapped + offset;
        if (peer.write(memory, to, TransferSlot.target(slot) + offset, source + offset, length)) {
            TransferSlot.copied(slot);
        } else {
            TransferSlot.fail(slot);
        }
        return length;
    }

    @Override
    public void close() {
        segment.close();
    }
}
