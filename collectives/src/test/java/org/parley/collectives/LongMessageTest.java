package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.Communicator;
import org.parley.Datatype;
import org.parley.Memory;
import org.parley.Op;
import org.parley.Parley;

/** Messages of several MiB, of odd lengths, in native memory and in arrays. */
class LongMessageTest {
    private static final int COUNT = 700_001;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 6})
    void shouldBeRightInMemory(final int ranks) {
        Parley.local(ranks, parley -> {
            final Communicator world = parley.world();
            try (Memory in = Parley.allocate(COUNT * 8L);
                    Memory out = Parley.allocate(COUNT * 8L)) {
                for (int round = 0; round < 3; round++) {
                    for (int i = 0; i < COUNT; i++) {
                        in.putLong(i * 8L, value(world.rank(), round, i));
                    }
                    world.allReduce(in, 0, out, 0, COUNT, Datatype.LONG, Op.SUM);
                    check(out, ranks, round);
                    final int root = round % ranks;
                    world.reduce(in, 0, out, 0, COUNT, Datatype.LONG, Op.SUM, root);
                    check(out, ranks, round);
                    world.bcast(in, 0, COUNT * 8L, root);
                    for (int i = 0; i < COUNT; i += 7) {
                        assertThat(in.getLong(i * 8L)).isEqualTo(value(root, round, i));
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldBeRightInArraysInPlace(final int ranks) {
        Parley.local(ranks, parley -> {
            final Communicator world = parley.world();
            final long[] data = new long[COUNT];
            for (int i = 0; i < COUNT; i++) {
                data[i] = value(world.rank(), 0, i);
            }
            world.allReduce(Communicator.IN_PLACE, data, COUNT, Op.SUM);
            for (int i = 0; i < COUNT; i++) {
                assertThat(data[i] == sum(ranks, 0, i)).isTrue();
            }
        });
    }

    private static void check(final Memory out, final int ranks, final int round) {
        for (int i = 0; i < COUNT; i++) {
            if (out.getLong(i * 8L) != sum(ranks, round, i)) {
                throw new AssertionError("element " + i + " in round " + round);
            }
        }
    }

    private static long value(final int rank, final int round, final int i) {
        return (rank + 1) * 1_000_003L * i + round;
    }

    private static long sum(final int ranks, final int round, final int i) {
        return ranks * (ranks + 1) / 2 * 1_000_003L * i + (long) ranks * round;
    }
}
