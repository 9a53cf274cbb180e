package org.parley.transport.tck;

import java.util.Arrays;
import org.agrona.UnsafeApi;

/** Bytes that follow from a seed: written on one side, expected on the other. */
public final class Pattern {
    private Pattern() {}

    /**
     * Returns one byte.
     *
     * @param seed which pattern
     * @param index place in it
     */
    public static byte at(final long seed, final long index) {
        return (byte) (word(seed, index >>> 3) >>> ((index & 7) << 3));
    }

    private static long word(final long seed, final long index) {
        long z = seed * 0x9E3779B97F4A7C15L + index * 0xD1B54A32D192ED03L;
        z = (z ^ z >>> 32) * 0xBF58476D1CE4E5B9L;
        return z ^ z >>> 29;
    }

    /**
     * Writes native memory.
     *
     * @param seed which pattern
     * @param address where
     * @param length bytes
     */
    public static void fill(final long seed, final long address, final long length) {
        long i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            UnsafeApi.putLong(address + i, word(seed, i >>> 3));
        }
        for (; i < length; i++) {
            UnsafeApi.putByte(address + i, at(seed, i));
        }
    }

    /**
     * Compares native memory.
     *
     * @param seed which pattern
     * @param address where
     * @param length bytes
     * @return the index of the first byte that differs, or -1
     */
    public static long mismatch(final long seed, final long address, final long length) {
        long i = 0;
        while (i + Long.BYTES <= length && UnsafeApi.getLong(address + i) == word(seed, i >>> 3)) {
            i += Long.BYTES;
        }
        for (; i < length; i++) {
            if (UnsafeApi.getByte(address + i) != at(seed, i)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Makes bytes.
     *
     * @param seed which pattern
     * @param length how many
     */
    public static byte[] bytes(final long seed, final int length) {
        final byte[] result = new byte[length];
        for (int i = 0; i < length; i++) {
            result[i] = at(seed, i);
        }
        return result;
    }

    /**
     * Makes a frame that begins with its number.
     *
     * @param number seed of the bytes behind it, too
     * @param length bytes, at least 4
     */
    static byte[] numbered(final int number, final int length) {
        final byte[] frame = bytes(number, length);
        for (int i = 0; i < 4; i++) {
            frame[i] = (byte) (number >>> 8 * i);
        }
        return frame;
    }

    /**
     * Reads a frame's number, and compares all that follows.
     *
     * @param frame what {@link #numbered} has made
     */
    static int number(final byte[] frame) {
        int number = 0;
        for (int i = 0; i < 4; i++) {
            number |= (frame[i] & 0xff) << 8 * i;
        }
        final byte[] expected = numbered(number, frame.length);
        if (!Arrays.equals(frame, expected)) {
            throw new AssertionError("frame " + number + " of " + frame.length + " bytes has byte "
                    + Arrays.mismatch(frame, expected) + " wrong");
        }
        return number;
    }
}
