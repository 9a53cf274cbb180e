package org.parley;

import java.nio.ByteBuffer;
import org.parley.transport.tck.Pattern;

/** Contents of test messages. */
final class Sample {
    /** Around the limits of the standard transport: nothing, eager, several fragments, chunks. */
    static final int[] SIZES = {
        0, 1, 7, 8, 9, 60, 61, 1000, 8171, 8172, 8192, 16_383, 16_384, 16_385, 16_404, 24_576, 65_537, 262_145,
        1_000_003
    };

    private Sample() {}

    static byte[] bytes(final long seed, final int length) {
        return Pattern.bytes(seed, length);
    }

    static ByteBuffer direct(final long seed, final int length) {
        return ByteBuffer.allocateDirect(length).put(bytes(seed, length)).clear();
    }

    /** Fails if the first bytes are not those of a seed, or those behind were changed from 0. */
    static void check(final long seed, final int length, final byte[] actual) {
        final byte[] expected = bytes(seed, length);
        for (int i = 0; i < actual.length; i++) {
            if (actual[i] != (i < length ? expected[i] : 0)) {
                throw new AssertionError("byte " + i + " of a message of " + length + " bytes is " + actual[i]);
            }
        }
    }

    static void check(final long seed, final int length, final ByteBuffer actual) {
        final byte[] bytes = new byte[actual.capacity()];
        actual.get(0, bytes);
        check(seed, length, bytes);
    }
}
