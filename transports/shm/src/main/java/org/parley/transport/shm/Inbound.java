package org.parley.transport.shm;

import org.parley.transport.FrameHandler;
import org.parley.transport.RecordRing;

/** The receiving half of the link from one peer. */
final class Inbound implements AutoCloseable {
    private final int peer;
    private final int rank;
    private final Segment segment;
    private final RecordRing ring;

    private boolean dropped;

    /** Whether the sender's memory can be read from here: unknown until first tried. */
    private Boolean readable;

    Inbound(final int peer, final int rank, final Segment segment) {
        this.peer = peer;
        this.rank = rank;
        this.segment = segment;
        this.ring = segment.ring();
    }

    int rank() {
        return rank;
    }

    int peer() {
        return peer;
    }

    /** Hands nothing more over; may be called by the handler. */
    void drop() {
        dropped = true;
    }

    Segment segment() {
        return segment;
    }

    int drain(final FrameHandler handler, final int limit) {
        int work = 0;
        while (work < limit && !dropped) {
            final long frame = ring.next();
            if (frame == 0) {
                ring.release();
                break;
            }
            handler.onFrame(peer, frame, ring.length());
            ring.advance();
            work++;
        }
        return work;
    }

    /** Reads the nonce at the place the sender named: proves process id, permission and address. */
    boolean isReadable(final CrossMemory memory, final ProofWord scratch) {
        if (readable == null) {
            readable = memory.read(segment.senderPid(), segment.proofAddress(), scratch.address(), 8)
                    && scratch.value() == segment.nonce();
        }
        return readable;
    }

    @Override
    public void close() {
        segment.close();
    }
}
