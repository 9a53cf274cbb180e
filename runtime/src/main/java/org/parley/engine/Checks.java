package org.parley.engine;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.BufferUtil;
import org.parley.ParleyException;

/**
 * Checked mode: what a message contains when it is sent, when it has come, and what is in buffers that belong to the
 * library meanwhile, by CRC-32C. Belongs to the holder of the progress word.
 */
final class Checks {
    private static final int PART = 1 << 16;

    /** Tells the checksum 0 from none; a frame has it in 8 bytes. */
    private static final long IS_THERE = 1L << 32;

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer part = ByteBuffer.allocateDirect(PART);
    private final long address = BufferUtil.address(part);

    private long sum(final Payload payload, final long bytes) {
        crc.reset();
        for (long done = 0; done < bytes; ) {
            final int length = (int) Math.min(PART, bytes - done);
            payload.copyOut(done, address, length);
            crc.update(part.clear().limit(length));
            done += length;
        }
        return crc.getValue() | IS_THERE;
    }

    /** A send begins: from now on the buffer stays as it is. */
    void begins(final SendOperation op) {
        op.checksum = sum(op.payload, op.payload.bytes());
    }

    /** A send ends. */
    void ends(final SendOperation op) {
        if (op.failure == null && sum(op.payload, op.payload.bytes()) != op.checksum) {
            op.failure = new ParleyException("the buffer of the " + op.describe()
                    + " was changed before the send had ended; the receiver may have got a mixture");
        }
    }

    /** A receive waits for its message: from now on nobody else writes to the buffer. */
    void begins(final ReceiveOperation op) {
        op.checksum = sum(op.payload, op.payload.bytes());
    }

    /**
     * A receive that has waited has found its message.
     *
     * @return why it must fail, or null
     */
    ParleyException matches(final ReceiveOperation op) {
        return sum(op.payload, op.payload.bytes()) == op.checksum
                ? null
                : new ParleyException("the buffer of the " + op.describe()
                        + " was changed before its message had come: by the program, or by another receive");
    }

    /** A receive has its message, whose checksum it has been given. */
    void ends(final ReceiveOperation op) {
        if (op.failure == null && sum(op.payload, op.bytes) != op.checksum) {
            op.failure = new ParleyException("the message of " + op.bytes + " B from " + op.matchedSource + ", tag "
                    + op.matchedTag + op.where() + ", is not what was sent: it was damaged on its way,"
                    + " or a buffer was changed while it was under way");
        }
    }
}
