package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.parley.Parley;

/** Who talks to whom. */
class PairTest {

    @ParameterizedTest
    @CsvSource({"2, '1+ 0'", "3, '1+ 0 -'", "4, '2+ 3+ 0 1'", "5, '2+ 3+ 0 1 -'"})
    void shouldPairTheHalves(final int ranks, final String expected) {
        final AtomicReferenceArray<String> told = new AtomicReferenceArray<>(ranks);
        Parley.local(ranks, parley -> told.set(parley.world().rank(), text(Pair.ofHalves(parley.world()))));
        assertThat(told).hasToString("[" + expected.replace(" ", ", ") + "]");
    }

    @Test
    void shouldPairTheFirstTwoOnly() {
        final AtomicReferenceArray<String> told = new AtomicReferenceArray<>(4);
        Parley.local(4, parley -> told.set(parley.world().rank(), text(Pair.only(parley.world()))));
        assertThat(told).hasToString("[1+, 0, -, -]");
    }

    private static String text(final Pair pair) {
        return pair.takesPart() ? pair.peer() + (pair.isFirst() ? "+" : "") : "-";
    }
}
