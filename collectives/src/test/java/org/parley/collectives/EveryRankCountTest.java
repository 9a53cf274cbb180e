package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.parley.Communicator;
import org.parley.Op;
import org.parley.Parley;

/** All four, right on 1 to 40 ranks, from every root. */
class EveryRankCountTest {
    private static final int[] COUNTS = {0, 1, 7, 3001};
    private static final int[] FEW_COUNTS = {1, 3001};

    static java.util.stream.IntStream rankCounts() {
        return java.util.stream.IntStream.rangeClosed(1, 40);
    }

    @ParameterizedTest
    @MethodSource("rankCounts")
    void shouldAgreeWithTheModel(final int ranks) {
        Parley.local(ranks, parley -> {
            final Communicator world = parley.world();
            for (final int count : ranks < 17 ? COUNTS : FEW_COUNTS) {
                world.barrier();
                allReduce(world, count, Op.SUM, Long::sum);
                allReduce(world, count, Ops.COMPOSE, Ops::compose);
                for (int root = 0; root < ranks; root += ranks < 9 ? 1 : 13) {
                    bcast(world, count, root);
                    reduce(world, count, Op.SUM, Long::sum, root);
                    reduce(world, count, Ops.COMPOSE, Ops::compose, root);
                }
            }
        });
    }

    private static void bcast(final Communicator world, final int count, final int root) {
        final long[] data = contribution(world.rank(), count);
        world.bcast(data, 0, count, root);
        assertThat(data).isEqualTo(contribution(root, count));
    }

    private static void allReduce(
            final Communicator world, final int count, final Op op, final LongBinaryOperator model) {
        final long[] expected = expected(world.size(), count, model);
        final long[] in = contribution(world.rank(), count);
        final long[] out = new long[count];
        world.allReduce(in, out, count, op);
        assertThat(out).isEqualTo(expected);
        assertThat(in).isEqualTo(contribution(world.rank(), count));
        world.allReduce(Communicator.IN_PLACE, in, count, op);
        assertThat(in).isEqualTo(expected);
    }

    private static void reduce(
            final Communicator world, final int count, final Op op, final LongBinaryOperator model, final int root) {
        final boolean isRoot = world.rank() == root;
        final long[] expected = isRoot ? expected(world.size(), count, model) : null;
        final long[] in = contribution(world.rank(), count);
        final long[] out = isRoot ? new long[count] : null;
        world.reduce(in, out, count, op, root);
        assertThat(in).isEqualTo(contribution(world.rank(), count));
        assertThat(out).isEqualTo(expected);
        world.reduce(isRoot ? Communicator.IN_PLACE : in, isRoot ? in : null, count, op, root);
        assertThat(in).isEqualTo(isRoot ? expected : contribution(world.rank(), count));
    }

    private static long[] contribution(final int rank, final int count) {
        final long[] values = new long[count];
        Arrays.setAll(values, i -> (rank * 7L + i | 1L) * 0x9E3779B97F4A7C15L);
        return values;
    }

    private static long[] expected(final int ranks, final int count, final LongBinaryOperator model) {
        final long[] sum = contribution(0, count);
        for (int rank = 1; rank < ranks; rank++) {
            final long[] next = contribution(rank, count);
            for (int i = 0; i < count; i++) {
                sum[i] = model.applyAsLong(sum[i], next[i]);
            }
        }
        return sum;
    }
}
