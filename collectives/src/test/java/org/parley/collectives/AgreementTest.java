package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.parley.Communicator;
import org.parley.Datatype;
import org.parley.Op;
import org.parley.Parley;
import org.parley.ParleyException;
import org.parley.Request;

/** In checked mode ranks that call different collectives, or with different arguments, are told of each other. */
class AgreementTest {
    private static final String CHECK = "parley.check";
    private final int[] data = new int[20];

    @BeforeEach
    void check() {
        System.setProperty(CHECK, "true");
    }

    @AfterEach
    void doNotCheck() {
        System.clearProperty(CHECK);
    }

    /** Rank 2 of 4 calls something else than the others. */
    private static void differ(final Consumer<Communicator> others, final Consumer<Communicator> two, String... words) {
        assertThatThrownBy(() -> Parley.local(4, parley -> {
                    final Communicator world = parley.world();
                    world.barrier();
                    (world.rank() == 2 ? two : others).accept(world);
                }))
                .isInstanceOf(ParleyException.class)
                .hasMessageStartingWith("ranks do not agree on a collective, in ")
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
    }

    @Test
    void shouldTellOfDifferentRoots() {
        differ(
                world -> world.bcast(data, 0, 5, 0),
                world -> world.bcast(data, 0, 5, 2),
                "in root: rank 0 calls bcast of 5 INT, root 0, rank 2 bcast of 5 INT, root 2");
    }

    @Test
    void shouldTellOfDifferentCounts() {
        differ(
                world -> world.allReduce(data, new int[20], 10, Op.SUM),
                world -> world.allReduce(data, new int[20], 11, Op.SUM),
                "in count: rank 0 calls allreduce of 10 INT, SUM, rank 2 allreduce of 11 INT, SUM");
    }

    @Test
    void shouldTellOfDifferentOperationsAndTypes() {
        differ(
                world -> world.reduce(data, new int[20], 2, Op.SUM, 1),
                world -> world.reduce(new long[20], new long[20], 2, Op.MAX, 1),
                "in type and operation: rank 0 calls reduce of 2 INT, root 1, SUM, rank 2 reduce of 2 LONG, root 1, MAX");
    }

    @Test
    void shouldTellOfDifferentCollectives() {
        differ(
                Communicator::barrier,
                world -> world.bcast(data, 0, 5, 0),
                "in kind: rank 0 calls barrier, rank 2 bcast of 5 INT, root 0");
    }

    @Test
    void shouldTellWhoStartsAnother() {
        differ(
                world -> world.ibarrier().await(),
                world -> world.ibcast(data, 0, 5, 0).await(),
                "in kind: rank 0 calls barrier, rank 2 bcast of 5 INT, root 0");
    }

    @Test
    void shouldTellBothOfARankThatIsAhead() {
        Parley.local(2, parley -> {
            final Communicator world = parley.world();
            assertThatThrownBy(() -> {
                        if (world.rank() == 0) {
                            world.bcast(data, 0, 1, 0);
                        }
                        world.barrier();
                    })
                    .hasMessageContaining("rank 0 calls bcast of 1 INT, root 0, rank 1 barrier");
            assertThatThrownBy(world::barrier).hasMessageContaining("rank 0 calls bcast");
        });
    }

    /** Bytes may stand for other types, and more than one collective may be under way. */
    @Test
    void shouldLetPassWhatAgrees() {
        Parley.local(5, parley -> {
            final Communicator world = parley.world();
            final Communicator half = world.split(world.rank() % 2, -world.rank());
            for (int i = 0; i < 20; i++) {
                final int[] all = new int[20];
                final int[] sum = new int[20];
                final Request first = world.iallReduce(filled(1), 0, all, 0, 20, null, Op.SUM);
                final Request second = half.iallReduce(filled(2), 0, sum, 0, 20, null, Op.SUM);
                final byte[] bytes = new byte[4];
                if (world.rank() == i % 5) {
                    world.bcast(filled(0x01010101), 0, 1, i % 5);
                } else {
                    world.bcast(bytes, 0, 4, i % 5);
                    assertThat(bytes).containsOnly(1);
                }
                second.await();
                first.await();
                assertThat(all).containsOnly(5);
                assertThat(sum).containsOnly(2 * half.size());
                world.reduce(filled(3), 0, all, 0, 20, Datatype.INT, Op.MAX, 3);
            }
        });
    }

    private static int[] filled(final int value) {
        final int[] array = new int[20];
        Arrays.fill(array, value);
        return array;
    }
}
