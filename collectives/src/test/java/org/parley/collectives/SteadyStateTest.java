package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.Communicator;
import org.parley.Datatype;
import org.parley.Op;
import org.parley.Parley;

/** A blocking collective of a short message that has been called before allocates nothing. */
class SteadyStateTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** What a long wait notes for reports is not of every call: one clean round is proof. */
    private static final int ROUNDS = 40;

    private static final int CALLS = 50;

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 1000})
    void shouldAllocateNothing(final int count) {
        Parley.local(2, parley -> {
            final Communicator world = parley.world();
            final double[] array = new double[count];
            final double[] result = new double[count];
            final ByteBuffer in = ByteBuffer.allocateDirect(8 * count);
            final ByteBuffer out = ByteBuffer.allocateDirect(8 * count);
            allocatesNothing(world, () -> {
                world.barrier();
                world.bcast(array, 0, count, 0);
                world.reduce(array, result, count, Op.SUM, 1);
                world.allReduce(array, result, count, Op.SUM);
                world.allReduce(in, 0, out, 0, count, Datatype.DOUBLE, Op.MAX);
                world.allReduce(Communicator.IN_PLACE, 0, out, 0, count, Datatype.DOUBLE, Op.MIN);
            });
        });
    }

    @Test
    void shouldAllocateNothingOnAnOddNumberOfRanks() {
        Parley.local(3, parley -> {
            final Communicator world = parley.world();
            final long[] in = new long[1];
            final long[] out = new long[1];
            allocatesNothing(world, () -> world.allReduce(in, out, 1, Op.SUM));
        });
    }

    private static void allocatesNothing(final Communicator world, final Runnable calls) {
        long fewest = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < CALLS; i++) {
                calls.run();
            }
            fewest = Math.min(fewest, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        world.barrier();
        assertThat(fewest)
                .as("bytes that rank %d allocates in a round", world.rank())
                .isZero();
    }
}
