package org.parley;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.parley.RandomProgram.Action;
import org.parley.RandomProgram.Kind;

/** Random programs against MPI's rules of matching (MPI-3.1 sections 3.5 and 3.7.4). */
class MessagingModelTest {
    private static final int[] SIZES = {12, 13, 64, 1000, 8200, 16_384, 16_385, 50_000};

    @Provide
    Arbitrary<List<List<Action>>> programs() {
        final Arbitrary<Action> action = Combinators.combine(
                        Arbitraries.of(Kind.values()),
                        Arbitraries.integers().between(0, 1000),
                        Arbitraries.integers().between(-1, 3),
                        Arbitraries.integers().between(-1, 2),
                        Arbitraries.of(SIZES[0], SIZES[1], SIZES[2], SIZES[3], SIZES[4], SIZES[5], SIZES[6], SIZES[7]))
                .as(Action::new);
        return action.list().ofMaxSize(80).list().ofMinSize(2).ofMaxSize(4);
    }

    @Property(tries = 100)
    void shouldMatchByTheRules(
            @ForAll("programs") final List<List<Action>> programs,
            @ForAll final Wire wire,
            @ForAll @IntRange(min = 1, max = 1_000_000) final int seed) {
        final List<RandomProgram> ranks = new ArrayList<>();
        for (int rank = 0; rank < programs.size(); rank++) {
            ranks.add(new RandomProgram(rank, programs));
        }
        final CountDownLatch running = new CountDownLatch(ranks.size());
        final AtomicIntegerArray steps = new AtomicIntegerArray(ranks.size());
        wire.run(
                programs.size(),
                ThreadLevel.SERIALIZED,
                wire == Wire.FAULTY ? Map.of("fault.seed", Integer.toString(seed)) : Map.of(),
                parley -> ranks.get(parley.world().rank()).run(parley.world(), running, steps));
        ranks.forEach(RandomProgram::check);
    }
}
