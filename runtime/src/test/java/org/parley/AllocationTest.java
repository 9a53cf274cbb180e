package org.parley;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The way of a small message makes no work for the collector. */
class AllocationTest {
    private static final int TAG = 1;

    /** What a long wait notes for reports is not of every message: one clean round is proof. */
    private static final int ROUNDS = 40;

    private static final int MESSAGES = 250;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    enum Kind {
        MEMORY(Parley::allocate),
        DIRECT(ByteBuffer::allocateDirect),
        ARRAY(byte[]::new);

        private final IntFunction<Object> maker;

        Kind(final IntFunction<Object> maker) {
            this.maker = maker;
        }
    }

    @FunctionalInterface
    private interface Send {
        void send(Communicator world, Object buffer, int bytes, int dest);
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 8", "MEMORY, 1024", "DIRECT, 8", "DIRECT, 1024", "ARRAY, 8", "ARRAY, 1024"})
    void shouldSendAndReceiveWithoutAllocation(final Kind kind, final int bytes) {
        pingPong(kind, bytes, (world, buffer, count, dest) -> world.send(buffer, 0, count, dest, TAG));
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 8", "MEMORY, 1024", "DIRECT, 8", "DIRECT, 1024", "ARRAY, 8", "ARRAY, 1024"})
    void shouldSendSynchronouslyWithoutAllocation(final Kind kind, final int bytes) {
        pingPong(kind, bytes, (world, buffer, count, dest) -> world.ssend(buffer, 0, count, dest, TAG));
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 8", "DIRECT, 8192", "ARRAY, 1024"})
    void shouldSendAndReceiveOverTcpWithoutAllocation(final Kind kind, final int bytes) {
        pingPong(Wire.TCP, kind, bytes, (world, buffer, count, dest) -> world.send(buffer, 0, count, dest, TAG));
    }

    private static void pingPong(final Kind kind, final int bytes, final Send send) {
        pingPong(Wire.SHM, kind, bytes, send);
    }

    private static void pingPong(final Wire wire, final Kind kind, final int bytes, final Send send) {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            final Object buffer = kind.maker.apply(bytes);
            final Status status = new Status();
            long fewest = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) {
                final long before = THREADS.getCurrentThreadAllocatedBytes();
                exchange(world, buffer, bytes, status, send);
                final long after = THREADS.getCurrentThreadAllocatedBytes();
                fewest = Math.min(fewest, after - before);
            }
            assertThat(fewest)
                    .as("bytes that rank %d allocates in a round", world.rank())
                    .isZero();
        });
    }

    private static void exchange(
            final Communicator world, final Object buffer, final int bytes, final Status status, final Send send) {
        final int peer = 1 - world.rank();
        for (int i = 0; i < MESSAGES; i++) {
            if (world.rank() == 0) {
                send.send(world, buffer, bytes, peer);
                world.receive(buffer, 0, bytes, peer, TAG, status);
            } else {
                world.receive(buffer, 0, bytes, peer, TAG, status);
                send.send(world, buffer, bytes, peer);
            }
        }
    }
}
