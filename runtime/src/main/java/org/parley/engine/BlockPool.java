package org.parley.engine;

import java.util.Arrays;
import org.agrona.UnsafeApi;

/**
 * Native memory in blocks of powers of two, kept for reuse: copies of unexpected messages, of
 * buffered sends, and working memory of collectives. Each block's size stands in the 8 bytes before
 * it. Belongs to the holder of the progress word.
 */
final class BlockPool implements AutoCloseable {
    private static final int SMALLEST = 6;
    private static final int LARGEST_KEPT = 26;
    private static final int PREFIX = 64;

    /** Most bytes kept idle per size. */
    private static final long KEPT_BYTES = 64L << 20;

    private final long[][] free = new long[LARGEST_KEPT + 1][];
    private final int[] count = new int[LARGEST_KEPT + 1];

    /** Returns the address of a block of at least that many bytes, on a cache line. */
    long take(final long bytes) {
        final int order = order(bytes);
        if (order <= LARGEST_KEPT && count[order] > 0) {
            return free[order][--count[order]];
        }
        final long raw = UnsafeApi.allocateMemory((1L << order) + 2 * PREFIX);
        final long block = (raw + PREFIX - 1 & -PREFIX) + PREFIX;
        UnsafeApi.putLong(block - 8, order);
        UnsafeApi.putLong(block - 16, raw);
        return block;
    }

    /** Takes a block back. */
    void give(final long block) {
        final int order = (int) UnsafeApi.getLong(block - 8);
        if (order > LARGEST_KEPT || count[order] >= Math.max(4, KEPT_BYTES >> order)) {
            UnsafeApi.freeMemory(UnsafeApi.getLong(block - 16));
            return;
        }
        if (free[order] == null) {
            free[order] = new long[4];
        } else if (count[order] == free[order].length) {
            free[order] = Arrays.copyOf(free[order], count[order] * 2);
        }
        free[order][count[order]++] = block;
    }

    private static int order(final long bytes) {
        return Math.max(SMALLEST, 64 - Long.numberOfLeadingZeros(bytes - 1));
    }

    @Override
    public void close() {
        for (int order = 0; order <= LARGEST_KEPT; order++) {
            while (count[order] > 0) {
                UnsafeApi.freeMemory(UnsafeApi.getLong(free[order][--count[order]] - 16));
            }
        }
    }
}
