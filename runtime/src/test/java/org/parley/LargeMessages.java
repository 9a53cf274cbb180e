package org.parley;

import java.util.function.IntToLongFunction;

/** Messages of more than 2 GiB from each kind of memory that can hold one; needs 6.5 GiB. */
final class LargeMessages {
    /** In longs: 2 GiB and a little. */
    private static final int LONGS = (1 << 28) + 37;

    private static final long BYTES = 8L * LONGS;

    private LargeMessages() {}

    public static void main(final String[] args) {
        Parley.local(2, parley -> {
            if (parley.world().rank() == 0) {
                first(parley.world());
            } else {
                second(parley.world());
            }
        });
    }

    private static void first(final Communicator world) {
        try (Memory memory = Parley.allocate(BYTES + 8)) {
            for (int i = 0; i < LONGS; i++) {
                memory.putLong(8 + 8L * i, content(i));
            }
            // Native memory: copied by both sides; then as fragments, because an array wants it.
            world.send(memory, 8, BYTES, 1, 1);
            world.send(memory, 8, BYTES, 1, 2);
            // Only a part, that begins behind 2 GiB.
            world.send(memory, BYTES - 80, 88, 1, 3);
            check(world.receive(memory, 0, BYTES, 1, 4), BYTES);
            check("array to memory", i -> ~memory.getLong(8L * i));
        }
    }

    private static void second(final Communicator world) {
        try (Memory memory = Parley.allocate(BYTES)) {
            check(world.receive(memory, 0, BYTES, 0, 1), BYTES);
            check("memory to memory", i -> memory.getLong(8L * i));
        }
        final long[] array = new long[LONGS];
        check(world.receive(array, 0, LONGS, 0, 2), BYTES);
        check("memory to array", i -> array[i]);
        final long[] last = new long[11];
        check(world.receive(last, 0, 11, 0, 3), 88);
        if (last[10] != content(LONGS - 1)) {
            throw new AssertionError("the part behind 2 GiB is another: " + last[10]);
        }
        for (int i = 0; i < LONGS; i++) {
            array[i] = ~array[i];
        }
        world.send(array, 0, LONGS, 0, 4);
    }

    private static void check(final Status status, final long bytes) {
        if (status.bytes() != bytes) {
            throw new AssertionError(status + ", expected " + bytes + " bytes");
        }
    }

    private static void check(final String what, final IntToLongFunction actual) {
        for (int i = 0; i < LONGS; i++) {
            if (actual.applyAsLong(i) != content(i)) {
                throw new AssertionError(what + ": long " + i + " of " + LONGS + " is wrong");
            }
        }
    }

    private static long content(final int i) {
        return i * 0x9E3779B97F4A7C15L;
    }
}
