package org.parley.transport;

import org.agrona.UnsafeApi;

/**
 * What each end says first on a link that takes the place of another: which frame it expects, and which ones it can send.
 *
 * <pre>
 *   0              24         32       40     48
 *  +--------------+----------+--------+------+
 *  | header, RESUME | expected | oldest | next |
 *  +--------------+----------+--------+------+
 * </pre>
 */
final class ResumeFrame {
    static final int BYTES = RetentionRing.HEADER + 3 * Long.BYTES;

    private static final int EXPECTED = RetentionRing.HEADER;
    private static final int OLDEST = EXPECTED + Long.BYTES;
    private static final int NEXT = OLDEST + Long.BYTES;

    private ResumeFrame() {}

    static void write(final long frame, final int epoch, final long expected, final RetentionRing ring) {
        UnsafeApi.putInt(frame, BYTES - RetentionRing.HEADER);
        UnsafeApi.putInt(frame + RetentionRing.NUMBER, epoch);
        UnsafeApi.putInt(frame + RetentionRing.ACK, (int) expected);
        UnsafeApi.putInt(frame + RetentionRing.HEAD, RetentionRing.RESUME << 16);
        UnsafeApi.putLong(frame + EXPECTED, expected);
        UnsafeApi.putLong(frame + OLDEST, ring.ackedNumber());
        UnsafeApi.putLong(frame + NEXT, ring.nextNumber());
    }

    /** Returns number of the frame that the other end expects. */
    static long expected(final long frame) {
        return UnsafeApi.getLong(frame + EXPECTED);
    }

    /** Returns what cannot be of what the other end says, or null. */
    static String wrong(final long frame, final int epoch, final long expected, final RetentionRing ring) {
        if (UnsafeApi.getShort(frame + RetentionRing.KIND) != RetentionRing.RESUME
                || UnsafeApi.getInt(frame) != BYTES - RetentionRing.HEADER
                || UnsafeApi.getInt(frame + RetentionRing.NUMBER) != epoch) {
            return "does not say where it is on link " + epoch;
        }
        final long oldest = UnsafeApi.getLong(frame + OLDEST);
        final long next = UnsafeApi.getLong(frame + NEXT);
        if (expected < oldest || expected > next) {
            return "can send frames " + oldest + " to " + next + ", but " + expected
                    + " is expected: one side has lost its state";
        }
        final long wanted = expected(frame);
        if (wanted < ring.ackedNumber() || wanted > ring.nextNumber()) {
            return "expects frame " + wanted + ", but " + ring.ackedNumber() + " to " + ring.nextNumber()
                    + " are those that can be sent: one side has lost its state";
        }
        return null;
    }
}
