package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.parley.Datatype;
import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;

/** Each algorithm's plans, also those that the table would not choose, in any order of steps. */
class EveryPlanTest {

    @Property(tries = 600)
    void shouldGiveTheModelsResult(
            @ForAll("algorithms") final CollectiveAlgorithm algorithm,
            @ForAll @IntRange(min = 1, max = 40) final int ranks,
            @ForAll @IntRange(max = 200) final int count,
            @ForAll final boolean commutative,
            @ForAll final long seed) {
        run(algorithm, ranks, count, commutative, seed);
    }

    @Property(tries = 40)
    void shouldGiveTheModelsResultInPieces(
            @ForAll("algorithms") final CollectiveAlgorithm algorithm,
            @ForAll @IntRange(min = 1, max = 9) final int ranks,
            @ForAll @IntRange(min = 2000, max = 100_000) final int count,
            @ForAll final boolean commutative,
            @ForAll final long seed) {
        run(algorithm, ranks, count, commutative, seed);
    }

    @Provide
    static Arbitrary<CollectiveAlgorithm> algorithms() {
        return Arbitraries.of(AlgorithmTable.all()).map(a -> a);
    }

    private static void run(
            final CollectiveAlgorithm algorithm,
            final int ranks,
            final int count,
            final boolean commutative,
            final long seed) {
        final int root = (int) Long.remainderUnsigned(seed, ranks);
        final LongBinaryOperator op = commutative ? Long::sum : Ops::compose;
        final ScheduleMachine machine = new ScheduleMachine(seed, op);
        final Collective collective = algorithm.collective();
        for (int rank = 0; rank < ranks; rank++) {
            final boolean hasOutput = collective != Collective.REDUCE || rank == root;
            final boolean reduces = collective == Collective.REDUCE || collective == Collective.ALLREDUCE;
            final boolean inPlace = reduces && hasOutput && (seed >> rank & 1) == 1;
            final CollectiveCall call =
                    new CollectiveCall(collective, rank, ranks, root, count, Datatype.LONG, commutative, inPlace);
            if (!algorithm.fits(call)) {
                return;
            }
            final long[] mine = contribution(rank, count);
            final boolean outputIsMine = inPlace || collective == Collective.BCAST && rank == root;
            machine.add(
                    algorithm,
                    call,
                    reduces && !inPlace ? mine : null,
                    outputIsMine ? mine : hasOutput ? contribution(-1, count) : null);
        }
        machine.run();
        for (int rank = 0; rank < ranks; rank++) {
            switch (collective) {
                case BARRIER -> {}
                case BCAST -> assertThat(machine.output(rank)).isEqualTo(contribution(root, count));
                default -> {
                    if (collective == Collective.ALLREDUCE || rank == root) {
                        assertThat(machine.output(rank)).isEqualTo(expected(ranks, count, op));
                    }
                }
            }
        }
    }

    private static long[] contribution(final int rank, final int count) {
        final long[] values = new long[count];
        Arrays.setAll(values, i -> (rank * 7L + i | 1L) * 0x9E3779B97F4A7C15L);
        return values;
    }

    private static long[] expected(final int ranks, final int count, final LongBinaryOperator op) {
        final long[] sum = contribution(0, count);
        for (int rank = 1; rank < ranks; rank++) {
            final long[] next = contribution(rank, count);
            for (int i = 0; i < count; i++) {
                sum[i] = op.applyAsLong(sum[i], next[i]);
            }
        }
        return sum;
    }
}
