package org.parley.transport.shm;

import org.agrona.UnsafeApi;

/**
 * One long message that its sender exposed and its receiver fetches, both taking chunks of it: the
 * receiver from the bottom, the sender, while it is inside the library, from the top. Each core
 * then always copies the same half, whose pages stay in its cache.
 *
 * <pre>
 *   0   taken u64    chunks taken from the bottom (low half) and from the top (high half)
 *   8   copied u32   chunks copied, by either side
 *   12  failed u32   not 0: a copy failed
 *   16  target u64   native address in the receiver; 0: not begun
 *   24  length u64   bytes
 *   32  chunk u64    bytes per chunk
 *   40  proven u32   not 0: the receiver has read the sender's nonce, so process ids mean the same to both
 *   44  region u32   the receiver's {@link org.parley.transport.SharedRegion} with the target, or 0
 * </pre>
 */
final class TransferSlot {
    static final int BYTES = 64;

    private static final int TAKEN = 0;
    private static final int COPIED = 8;
    private static final int FAILED = 12;
    private static final int TARGET = 16;
    private static final int LENGTH = 24;
    private static final int CHUNK = 32;
    private static final int PROVEN = 40;
    private static final int REGION = 44;
    private static final long FROM_TOP = 1L << 32;

    private TransferSlot() {}

    /** Sender: makes the slot ready, before the peer hears of it. */
    static void prepare(final long slot) {
        UnsafeApi.putLong(slot + TAKEN, 0);
        // Both copied and failed, which lies behind it.
        UnsafeApi.putLong(slot + COPIED, 0);
        UnsafeApi.putLongRelease(null, slot + TARGET, 0);
    }

    /** Receiver: begins; from here on the sender may help. */
    static void begin(
            final long slot,
            final boolean proven,
            final long target,
            final int region,
            final long length,
            final long chunk) {
        UnsafeApi.putInt(slot + REGION, region);
        UnsafeApi.putLong(slot + LENGTH, length);
        UnsafeApi.putLong(slot + CHUNK, chunk);
        UnsafeApi.putInt(slot + PROVEN, proven ? 1 : 0);
        UnsafeApi.putLongRelease(null, slot + TARGET, target);
    }

    /** Sender: where the receiver wants the data, or 0 while it has not begun. */
    static long target(final long slot) {
        return UnsafeApi.getLongVolatile(null, slot + TARGET);
    }

    static long length(final long slot) {
        return UnsafeApi.getLong(slot + LENGTH);
    }

    static long chunk(final long slot) {
        return UnsafeApi.getLong(slot + CHUNK);
    }

    static int region(final long slot) {
        return UnsafeApi.getInt(slot + REGION);
    }

    static boolean isProven(final long slot) {
        return UnsafeApi.getInt(slot + PROVEN) != 0;
    }

    static long chunks(final long slot) {
        final long chunk = chunk(slot);
        return (length(slot) + chunk - 1) / chunk;
    }

    /** Takes the lowest free chunk: its number, or -1 if all are taken. */
    static long takeBottom(final long slot) {
        final long chunks = chunks(slot);
        for (; ; ) {
            final long taken = UnsafeApi.getLongVolatile(null, slot + TAKEN);
            final long bottom = taken & 0xffff_ffffL;
            if (bottom + (taken >>> 32) >= chunks) {
                return -1;
            }
            if (UnsafeApi.compareAndSetLong(null, slot + TAKEN, taken, taken + 1)) {
                return bottom;
            }
        }
    }

    /** Takes the highest free chunk: its number, or -1 if all are taken. */
    static long takeTop(final long slot) {
        final long chunks = chunks(slot);
        for (; ; ) {
            final long taken = UnsafeApi.getLongVolatile(null, slot + TAKEN);
            final long top = taken >>> 32;
            if ((taken & 0xffff_ffffL) + top >= chunks) {
                return -1;
            }
            if (UnsafeApi.compareAndSetLong(null, slot + TAKEN, taken, taken + FROM_TOP)) {
                return chunks - 1 - top;
            }
        }
    }

    /** Receiver: leaves no chunk to be taken by either side. */
    static void abandon(final long slot) {
        final long chunks = chunks(slot);
        for (; ; ) {
            final long taken = UnsafeApi.getLongVolatile(null, slot + TAKEN);
            final long top = taken >>> 32;
            if (UnsafeApi.compareAndSetLong(null, slot + TAKEN, taken, top << 32 | chunks - top)) {
                return;
            }
        }
    }

    /** Says that a taken chunk is in place. */
    static void copied(final long slot) {
        UnsafeApi.getAndAddInt(null, slot + COPIED, 1);
    }

    /** Says that a taken chunk could not be copied; the receiver then reports the failure. */
    static void fail(final long slot) {
        UnsafeApi.putIntRelease(null, slot + FAILED, 1);
        copied(slot);
    }

    static boolean isCopied(final long slot) {
        return UnsafeApi.getIntVolatile(null, slot + COPIED) == (int) chunks(slot);
    }

    static boolean isFailed(final long slot) {
        return UnsafeApi.getIntVolatile(null, slot + FAILED) != 0;
    }
}
