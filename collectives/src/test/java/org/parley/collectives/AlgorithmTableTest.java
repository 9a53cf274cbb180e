package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.parley.Datatype;
import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;

class AlgorithmTableTest {
    private final AlgorithmTable table = new AlgorithmTable();

    @Test
    void shouldHaveAnAlgorithmForEachCallAndUseForEachAlgorithm() {
        final Set<CollectiveAlgorithm> used = new HashSet<>();
        for (final Collective collective : Collective.values()) {
            for (int ranks = 1; ranks <= 100; ranks++) {
                for (long bytes = 0; bytes < 1L << 40; bytes = bytes * 2 + 1) {
                    for (final boolean commutative : new boolean[] {true, false}) {
                        final int root = collective == Collective.ALLREDUCE ? 0 : ranks - 1;
                        final CollectiveAlgorithm algorithm =
                                select(collective, 0, ranks, root, bytes, commutative, false);
                        used.add(algorithm);
                        assertThat(algorithm.cost(ranks, bytes, 1e-6, 1e-10)).isNotNegative();
                    }
                }
            }
        }
        assertThat(used).containsExactlyInAnyOrderElementsOf(AlgorithmTable.all());
    }

    @Test
    void shouldChooseTheSameOnAllRanks() {
        for (final Collective collective : Collective.values()) {
            for (final long bytes : new long[] {0, 8, 100_000, 10_000_000}) {
                final Set<String> names = new HashSet<>();
                for (int rank = 0; rank < 9; rank++) {
                    names.add(select(collective, rank, 9, 3, bytes, false, rank % 2 == 0)
                            .name());
                }
                assertThat(names).hasSize(1);
            }
        }
    }

    @Test
    void shouldKeepTheOrderOfOperandsWhereThatMatters() {
        for (final CollectiveAlgorithm algorithm : AlgorithmTable.all()) {
            final CollectiveCall call =
                    new CollectiveCall(algorithm.collective(), 0, 8, 3, 10, Datatype.LONG, false, false);
            assertThat(algorithm.fits(call)).isEqualTo(!(algorithm instanceof ReduceBinomial));
        }
    }

    private CollectiveAlgorithm select(
            final Collective collective,
            final int rank,
            final int ranks,
            final int root,
            final long bytes,
            final boolean commutative,
            final boolean inPlace) {
        return table.select(
                new CollectiveCall(collective, rank, ranks, root, bytes, Datatype.BYTE, commutative, inPlace));
    }
}
