package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.parley.Communicator.ANY_SOURCE;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Credits bound the payload that lies at a receiver, never the envelopes. */
@Timeout(240)
class UnexpectedMessageTest {
    private static final long WINDOW = 4L << 20;
    private static final int COST_PER_MESSAGE = 64;

    private static long done(final List<Request> requests) {
        return requests.stream().filter(Request::isDone).count();
    }

    @Test
    void shouldTakeAMessageThatComesBehindAMillionOthers() {
        final int others = 1_000_000;
        final int size = 1024;
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                final ByteBuffer buffer = Sample.direct(1, size);
                final List<Request> requests = new ArrayList<>(others);
                for (int i = 0; i < others; i++) {
                    requests.add(world.isend(buffer, 0, size, 1, 1));
                }
                world.send(Sample.bytes(2, size), 0, size, 1, 2);
                // Copied to the other side, and so ended, is what the credit allows.
                assertThat(done(requests) * (size + COST_PER_MESSAGE))
                        .isPositive()
                        .isLessThanOrEqualTo(WINDOW);
                world.receive(null, 0, 0, 1, 3);
                Request.awaitAll(requests);
            } else {
                final byte[] buffer = new byte[size];
                world.receive(buffer, 0, size, 0, 2);
                Sample.check(2, size, buffer);
                world.send(null, 0, 0, 0, 3);
                receiveAll(world, size, others);
            }
        });
    }

    /** In batches: one by one would be a round trip each. */
    private static void receiveAll(final Communicator world, final int size, final int count) {
        final Request[] batch = new Request[1000];
        final byte[] buffer = new byte[size];
        for (int received = 0; received < count; received += batch.length) {
            for (int i = 0; i < batch.length; i++) {
                batch[i] = received + i < count ? world.ireceive(buffer, 0, size, 0, 1) : null;
            }
            Request.awaitAll(batch);
            for (final Request one : batch) {
                if (one != null && one.status().bytes() != size) {
                    throw new AssertionError("received " + one.status());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 1000, 16_384})
    void shouldHoldNoMorePayloadThanTheCreditOfASlowReceiver(final int size) {
        final int count = (int) (4 * WINDOW / (size + COST_PER_MESSAGE));
        final int most = (int) (WINDOW / (size + COST_PER_MESSAGE));
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                for (int round = 0; round < 2; round++) {
                    final List<Request> requests = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        requests.add(world.isend(new byte[size], 0, size, 1, 1));
                    }
                    // All have gone, as far as they can: this one is behind them.
                    world.ssend(null, 0, 0, 1, 2);
                    assertThat(done(requests)).isPositive().isLessThanOrEqualTo(most);
                    world.send(null, 0, 0, 1, 3);
                    Request.awaitAll(requests);
                }
            } else {
                for (int round = 0; round < 2; round++) {
                    world.receive(null, 0, 0, 0, 2);
                    world.receive(null, 0, 0, 0, 3);
                    receiveAll(world, size, count);
                }
            }
        });
    }

    @Test
    void shouldHoldNoMorePayloadThanTheCreditOfItsOwnMessages() {
        final int size = 1000;
        final int count = 10_000;
        Wire.SHM.run(1, parley -> {
            final Communicator world = parley.world();
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                requests.add(world.isend(Sample.bytes(i, size), 0, size, 0, 1));
            }
            assertThat(done(requests)).isPositive().isLessThanOrEqualTo(WINDOW / (size + COST_PER_MESSAGE));
            final byte[] buffer = new byte[size];
            for (int i = 0; i < count; i++) {
                world.receive(buffer, 0, size, ANY_SOURCE, 1);
                Sample.check(i, size, buffer);
            }
            Request.awaitAll(requests);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "64", "65", "1k"})
    void shouldWorkWithHardlyAnyCredit(final String window) {
        Wire.SHM.run(2, ThreadLevel.SERIALIZED, Map.of("eager.window", window), parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            final byte[] in = new byte[1_000_003];
            for (final int size : Sample.SIZES) {
                for (int i = 0; i < 10; i++) {
                    world.sendReceive(Sample.bytes(i, size), 0, size, other, i, in, 0, size, other, i);
                    Sample.check(i, size, java.util.Arrays.copyOf(in, size));
                }
            }
        });
    }

    @Test
    void shouldRefuseBufferedSendsPastTheirLimitUntilSomeHaveGone() {
        final int size = 300_000;
        Wire.SHM.run(2, ThreadLevel.SERIALIZED, Map.of("buffered.limit", "1m"), parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                world.receive(null, 0, 0, 0, 2);
                final byte[] buffer = new byte[size];
                for (int round = 0; round < 3; round++) {
                    for (int i = 0; i < 3; i++) {
                        world.receive(buffer, 0, size, 0, 1);
                        Sample.check(3 * round + i, size, buffer);
                    }
                }
                return;
            }
            int sent = 0;
            for (; sent < 3; sent++) {
                world.bsend(Sample.bytes(sent, size), 0, size, 1, 1);
            }
            assertThatThrownBy(() -> world.bsend(new byte[size], 0, size, 1, 1))
                    .isInstanceOf(ParleyException.class)
                    .hasMessageContaining("a buffered send of 300000 bytes does not fit")
                    .hasMessageContaining("900000 of 1048576 bytes are in use")
                    .hasMessageContaining("--set buffered.limit=SIZE");
            world.send(null, 0, 0, 1, 2);
            while (sent < 9) {
                try {
                    world.bsend(Sample.bytes(sent, size), 0, size, 1, 1);
                    sent++;
                } catch (final ParleyException e) {
                    world.iprobe(1, 1);
                }
            }
        });
    }
}
