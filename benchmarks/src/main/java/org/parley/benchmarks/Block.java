package org.parley.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.parley.Memory;
import org.parley.Parley;

/**
 * Memory that messages travel from or to: native and page-aligned, or an array. All its pages exist
 * once it is made. Filled with, and checked against, a pattern that follows from a seed.
 */
final class Block {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Memory memory;
    private final byte[] array;

    /**
     * Makes one.
     *
     * @param kind where it lies
     * @param bytes size
     */
    Block(final BufferKind kind, final long bytes) {
        final long size = Math.max(1, bytes);
        memory = kind == BufferKind.DIRECT ? Parley.allocate(size) : null;
        array = kind == BufferKind.DIRECT ? null : new byte[(int) size];
        fill(0, size, 1);
    }

    /** Returns what send and receive take. */
    Object buffer() {
        return memory == null ? array : memory;
    }

    void close() {
        if (memory != null) {
            memory.close();
        }
    }

    void fill(final long offset, final long bytes, final long seed) {
        final long whole = bytes & -Long.BYTES;
        for (long at = 0; at < whole; at += Long.BYTES) {
            putLong(offset + at, word(seed, at));
        }
        for (long at = whole; at < bytes; at++) {
            putByte(offset + at, (byte) (word(seed, whole) >>> 8 * (at - whole)));
        }
    }

    /** Returns the first byte that is not the pattern's, counted from the offset; -1 if all are. */
    long mismatch(final long offset, final long bytes, final long seed) {
        final long whole = bytes & -Long.BYTES;
        for (long at = 0; at < whole; at += Long.BYTES) {
            final long wrong = getLong(offset + at) ^ word(seed, at);
            if (wrong != 0) {
                return at + Long.numberOfTrailingZeros(wrong) / Byte.SIZE;
            }
        }
        for (long at = whole; at < bytes; at++) {
            if (getByte(offset + at) != (byte) (word(seed, whole) >>> 8 * (at - whole))) {
                return at;
            }
        }
        return -1;
    }

    /** Changes a byte: for tests. */
    void flip(final long offset) {
        putByte(offset, (byte) ~getByte(offset));
    }

    private static long word(final long seed, final long at) {
        return (seed + at) * 0x9E3779B97F4A7C15L;
    }

    private long getLong(final long at) {
        return memory == null ? (long) LONGS.get(array, (int) at) : memory.getLong(at);
    }

    private void putLong(final long at, final long value) {
        if (memory == null) {
            LONGS.set(array, (int) at, value);
        } else {
            memory.putLong(at, value);
        }
    }

    private byte getByte(final long at) {
        return memory == null ? array[(int) at] : memory.getByte(at);
    }

    private void putByte(final long at, final byte value) {
        if (memory == null) {
            array[(int) at] = value;
        } else {
            memory.putByte(at, value);
        }
    }
}
