package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.Communicator;
import org.parley.Op;
import org.parley.Parley;
import org.parley.Request;

/** Several collectives at once, in one communicator and in several. */
class OverlapTest {
    private static final int COUNT = 3000;
    private static final int LONG_COUNT = 150_000;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8})
    void shouldCompleteInAnyOrder(final int ranks) {
        Parley.local(ranks, parley -> {
            final Communicator world = parley.world();
            for (int round = 0; round < 20; round++) {
                overlap(world, round);
            }
        });
    }

    private static void overlap(final Communicator world, final int round) {
        final int ranks = world.size();
        final int rank = world.rank();
        final long[] short1 = filled(COUNT, rank + round);
        final long[] sum1 = new long[COUNT];
        final long[] long1 = filled(LONG_COUNT, rank * 3L);
        final long[] sum2 = new long[LONG_COUNT];
        final long[] news = filled(COUNT, rank == round % ranks ? 77 + round : -1);
        final long[] max = new long[COUNT];
        final List<Request> requests = new ArrayList<>();
        requests.add(world.iallReduce(short1, 0, sum1, 0, COUNT, null, Op.SUM));
        requests.add(world.iallReduce(long1, 0, sum2, 0, LONG_COUNT, null, Op.SUM));
        requests.add(world.ibcast(news, 0, COUNT, round % ranks));
        requests.add(world.ireduce(short1, 0, rank == 0 ? max : null, 0, COUNT, null, Op.MAX, 0));
        requests.add(world.ibarrier());
        // A blocking one passes those under way; its own messages have another tag.
        final long[] one = {1};
        final long[] all = new long[1];
        world.allReduce(one, all, 1, Op.SUM);
        assertThat(all[0]).isEqualTo(ranks);
        // Each rank waits in another order.
        for (int i = 0; i < requests.size(); i++) {
            requests.get((i * (round % 2 == 0 ? 1 : 4) + rank) % requests.size())
                    .await();
        }
        assertThat(sum1).isEqualTo(filled(COUNT, ranks * (ranks - 1L) / 2 + (long) ranks * round));
        assertThat(sum2).isEqualTo(filled(LONG_COUNT, 3L * ranks * (ranks - 1) / 2));
        assertThat(news).isEqualTo(filled(COUNT, 77 + round));
        if (rank == 0) {
            assertThat(max).isEqualTo(filled(COUNT, ranks - 1 + round));
        }
    }

    @Test
    void shouldProgressManyAtOnce() {
        Parley.local(3, parley -> {
            final Communicator world = parley.world();
            final int many = 300;
            final long[][] out = new long[many][1];
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                requests.add(world.iallReduce(new long[] {i}, 0, out[i], 0, 1, null, Op.SUM));
            }
            Request.awaitAll(requests);
            for (int i = 0; i < many; i++) {
                assertThat(out[i][0]).isEqualTo(3L * i);
            }
        });
    }

    @Test
    void shouldNotMixDuplicatesOrPointToPoint() {
        Parley.local(4, parley -> {
            final Communicator world = parley.world();
            final Communicator other = world.duplicate();
            final long[] in = filled(COUNT, world.rank());
            final long[] out = new long[COUNT];
            final long[] otherOut = new long[COUNT];
            final int next = (world.rank() + 1) % 4;
            final int before = (world.rank() + 3) % 4;
            final long[] received = new long[COUNT];
            // Even ranks start them in one order, odd ones in the other.
            final List<Request> requests = new ArrayList<>();
            requests.add(world.ireceive(received, 0, COUNT, before, 0));
            final Communicator first = world.rank() % 2 == 0 ? world : other;
            final Communicator second = first == world ? other : world;
            requests.add(first.iallReduce(
                    in, 0, first == world ? out : otherOut, 0, COUNT, null, first == world ? Op.SUM : Op.MAX));
            requests.add(second.iallReduce(
                    in, 0, second == world ? out : otherOut, 0, COUNT, null, second == world ? Op.SUM : Op.MAX));
            requests.add(world.isend(in, 0, COUNT, next, 0));
            Request.awaitAll(requests);
            assertThat(out).isEqualTo(filled(COUNT, 6));
            assertThat(otherOut).isEqualTo(filled(COUNT, 3));
            assertThat(received).isEqualTo(filled(COUNT, before));
        });
    }

    @Test
    void shouldKeepSplitGroupsApart() {
        Parley.local(7, parley -> {
            final Communicator world = parley.world();
            final int color = world.rank() % 3;
            // Keys turn the order round.
            final Communicator part = world.split(color, -world.rank());
            final long[] in = {world.rank()};
            final long[] out = new long[1];
            for (int i = 0; i < 50; i++) {
                part.allReduce(in, out, 1, Op.SUM);
                assertThat(out[0]).isEqualTo(color == 0 ? 9 : color == 1 ? 5 : 7);
                final long[] data = {part.rank() == 0 ? world.rank() : -1};
                part.bcast(data, 0, 1, 0);
                assertThat(data[0]).isEqualTo(color == 0 ? 6 : color == 1 ? 4 : 5);
                part.barrier();
            }
            final Communicator none = world.split(world.rank() == 0 ? -1 : 0, 0);
            assertThat(none == null).isEqualTo(world.rank() == 0);
        });
    }

    private static long[] filled(final int count, final long value) {
        final long[] values = new long[count];
        Arrays.fill(values, value);
        return values;
    }
}
