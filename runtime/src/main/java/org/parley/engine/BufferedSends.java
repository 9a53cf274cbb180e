package org.parley.engine;

import org.parley.ParleyException;
import org.parley.config.Options;

/** The copies of buffered sends, and how much memory they take. Belongs to the holder of the progress word. */
final class BufferedSends {
    private final BlockPool blocks;
    private final long limit;
    private long used;

    BufferedSends(final BlockPool blocks, final long limit) {
        this.blocks = blocks;
        this.limit = limit;
    }

    /**
     * Replaces a send's payload by a copy.
     *
     * @param limited whether the limit holds
     * @throws ParleyException if there is no room
     */
    void copy(final SendOperation op, final boolean limited) {
        final long bytes = op.payload.bytes();
        if (limited && bytes > limit - used) {
            throw new ParleyException(("a buffered send of %d bytes does not fit: %d of %d bytes are in use;"
                            + " receive sooner, or raise it with --set %s=SIZE")
                    .formatted(bytes, used, limit, Options.BUFFERED_LIMIT));
        }
        used += bytes;
        op.block = blocks.take(Math.max(1, bytes));
        op.payload.copyOut(0, op.block, bytes);
        op.payload.nativeMemory(op.block, bytes);
    }

    /** Gives a send's copy back. */
    void release(final SendOperation op) {
        used -= op.payload.bytes();
        blocks.give(op.block);
        op.block = 0;
    }
}
