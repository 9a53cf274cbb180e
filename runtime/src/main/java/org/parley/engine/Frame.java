package org.parley.engine;

import org.agrona.UnsafeApi;

/**
 * The layout of frames between two ranks, in the machine's byte order.
 *
 * <pre>
 *   0   type     u8
 *   1   flags    u8    SYNC: the body starts with the sender's operation id; acknowledge the match
 *                      DIRECT, of CTS: the receiver's memory is native, so frames may be long
 *                      HELD, of DATA: the sender holds its memory until it gets FIN
 *                      CHECKED, of EAGER and RTS: with the payload's checksum; the operation is then there, 0 if not SYNC
 *   2   -        u16   zero
 *   4   context  i32   envelope: communicator and purpose
 *   8   source   i32   envelope: sender's rank in that communicator
 *   12  tag      i32   envelope
 *   16  credit   u32   bytes of eager messages that the sender of this frame has consumed, mod 2^32
 *   20  body
 *
 *   EAGER    [operation i64 if SYNC or CHECKED] [checksum i64 if CHECKED] payload
 *   RTS      length i64, key i64 (0: none), address i64, operation i64        ready to send
 *            [checksum i64 if CHECKED]
 *   CTS      sender's operation i64, receiver's operation i64                 clear to send
 *   DATA     receiver's operation i64, offset i64, payload                    after CTS
 *   FIN      sender's operation i64        the receiver has fetched everything
 *   MATCHED  sender's operation i64        a synchronous eager message was matched
 *   CREDIT   -                             only the header's credit counts
 *   REFUSED  sender's operation i64, rank i64    the receiver's communicator is closed: this member has failed, or,
 *                                          less than 0, that of -1 - rank has revoked it; ranks of the world
 * </pre>
 */
final class Frame {
    static final int HEADER = 20;

    static final byte EAGER = 1;
    static final byte RTS = 2;
    static final byte CTS = 3;
    static final byte DATA = 4;
    static final byte FIN = 5;
    static final byte MATCHED = 6;
    static final byte CREDIT = 7;
    static final byte REFUSED = 8;

    static final byte SYNC = 1;
    static final byte DIRECT = 2;
    static final byte HELD = 4;
    static final byte CHECKED = 8;

    static final int RTS_LENGTH = HEADER;
    static final int RTS_KEY = HEADER + 8;
    static final int RTS_ADDRESS = HEADER + 16;
    static final int RTS_OPERATION = HEADER + 24;
    static final int RTS_BYTES = HEADER + 32;
    static final int RTS_CHECKSUM = RTS_BYTES;
    static final int RTS_CHECKED_BYTES = RTS_CHECKSUM + 8;

    static final int EAGER_CHECKSUM = HEADER + 8;
    static final int EAGER_CHECKED_BODY = EAGER_CHECKSUM + 8;

    static final int OPERATION = HEADER;
    static final int PEER_OPERATION = HEADER + 8;
    static final int CTS_BYTES = HEADER + 16;
    static final int ANSWER_BYTES = HEADER + 8;

    static final int DATA_OFFSET = HEADER + 8;
    static final int DATA_HEADER = HEADER + 16;

    private Frame() {}

    /** Writes the header; the flags and the unused field as one word with the type. */
    static void header(
            final long frame,
            final int typeAndFlags,
            final int context,
            final int source,
            final int tag,
            final int credit) {
        UnsafeApi.putInt(frame, typeAndFlags);
        UnsafeApi.putInt(frame + 4, context);
        UnsafeApi.putInt(frame + 8, source);
        UnsafeApi.putInt(frame + 12, tag);
        UnsafeApi.putInt(frame + 16, credit);
    }

    static byte type(final long frame) {
        return UnsafeApi.getByte(frame);
    }

    /** Returns where the payload of an EAGER begins. */
    static int eagerBody(final long frame) {
        final byte flags = UnsafeApi.getByte(frame + 1);
        return flags == 0 ? HEADER : (flags & CHECKED) == 0 ? OPERATION + Long.BYTES : EAGER_CHECKED_BODY;
    }

    /** Returns the operation of an EAGER whose sender waits for the match, or 0. */
    static long eagerOperation(final long frame, final int body) {
        return body == HEADER ? 0 : word(frame, OPERATION);
    }

    /** Returns the checksum of an EAGER or RTS that is CHECKED. */
    static long checksum(final long frame) {
        return word(frame, type(frame) == RTS ? RTS_CHECKSUM : EAGER_CHECKSUM);
    }

    static boolean has(final long frame, final byte flag) {
        return (UnsafeApi.getByte(frame + 1) & flag) != 0;
    }

    static int context(final long frame) {
        return UnsafeApi.getInt(frame + 4);
    }

    static int source(final long frame) {
        return UnsafeApi.getInt(frame + 8);
    }

    static int tag(final long frame) {
        return UnsafeApi.getInt(frame + 12);
    }

    static int credit(final long frame) {
        return UnsafeApi.getInt(frame + 16);
    }

    static long word(final long frame, final int offset) {
        return UnsafeApi.getLong(frame + offset);
    }

    static void word(final long frame, final int offset, final long value) {
        UnsafeApi.putLong(frame + offset, value);
    }
}
