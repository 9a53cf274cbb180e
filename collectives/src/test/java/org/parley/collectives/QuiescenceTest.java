package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.Communicator;
import org.parley.Op;
import org.parley.Parley;
import org.parley.Program;
import org.parley.Request;

/** A rank that is left alone sends nothing and is sent nothing, and nothing is lost. */
@Timeout(240)
class QuiescenceTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int LOOKS = 3000;

    /** Short, several frames, and longer than what is sent at once. */
    private static final int[] SIZES = {1, 3000, 200_000, 5_000_000};

    private static void run(final int ranks, final String transport, final String limit, final Program program) {
        final Map<String, String> options = new HashMap<>(Map.of("transports", transport));
        if (limit != null) {
            options.put("quiesce.limit", limit);
        }
        options.forEach((key, value) -> System.setProperty("parley." + key, value));
        try {
            Parley.local(ranks, program);
        } finally {
            options.keySet().forEach(key -> System.clearProperty("parley." + key));
        }
    }

    private static byte[] message(final int from, final int to, final int number) {
        final byte[] bytes = new byte[SIZES[number % SIZES.length]];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 + from * 7 + to * 13 + number);
        }
        return bytes;
    }

    /** Begins messages to and from all others, which end in the list, and what is to be received, in the other. */
    private static void begin(
            final Communicator world,
            final int first,
            final int count,
            final List<Request> requests,
            final Map<byte[], byte[]> expected) {
        for (int number = first; number < first + count; number++) {
            for (int other = 0; other < world.size(); other++) {
                if (other != world.rank()) {
                    final byte[] due = message(other, world.rank(), number);
                    final byte[] room = new byte[due.length];
                    expected.put(room, due);
                    // One tag: order is checked as well.
                    requests.add(world.ireceive(room, 0, room.length, other, 5));
                    final byte[] mine = message(world.rank(), other, number);
                    requests.add(world.isend(mine, 0, mine.length, other, 5));
                }
            }
        }
    }

    private static void end(final List<Request> requests, final Map<byte[], byte[]> expected) {
        requests.forEach(Request::await);
        expected.forEach((room, due) -> assertThat(room).isEqualTo(due));
    }

    /** Waits within the library, so that what has come is acknowledged. */
    private static void lookUntil(final AtomicBoolean flag, final Request arrival) {
        while (!flag.get()) {
            assertThat(arrival.test()).isFalse();
        }
    }

    private static void await(final CountDownLatch latch) {
        try {
            assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void shouldLoseNothingOfTrafficBothWays(final String transport) {
        run(3, transport, null, parley -> {
            final Communicator world = parley.world();
            for (int round = 0; round < 12; round++) {
                final List<Request> requests = new ArrayList<>();
                final Map<byte[], byte[]> expected = new HashMap<>();
                begin(world, 0, 8, requests, expected);
                if (world.rank() == round % 3) {
                    // The others wait for this one's messages, and so take what it has sent.
                    assertThat(parley.quiesce(LONG)).isTrue();
                    begin(world, 8, 8, requests, expected);
                    parley.resume();
                } else {
                    begin(world, 8, 8, requests, expected);
                }
                end(requests, expected);
                final int[] sum = new int[1];
                world.allReduce(new int[] {round}, sum, 1, Op.SUM);
                assertThat(sum[0]).isEqualTo(3 * round);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = "tcp")
    void shouldSendNothingNorBeSentAnythingBeforeItResumes(final String transport) {
        final AtomicBoolean quiet = new AtomicBoolean();
        final AtomicBoolean sent = new AtomicBoolean();
        run(2, transport, null, parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            final int[] got = new int[1];
            world.sendReceive(new int[] {1}, 0, 1, other, 7, got, 0, 1, other, 7);
            final Request arrival = world.ireceive(got, 0, 1, other, 8);
            if (world.rank() == 0) {
                assertThat(parley.quiesce(LONG)).isTrue();
                quiet.set(true);
            } else {
                lookUntil(quiet, arrival);
            }
            final Request departure = world.isend(new int[] {20 + world.rank()}, 0, 1, other, 8);
            for (int i = 0; i < LOOKS; i++) {
                assertThat(arrival.test()).isFalse();
            }
            if (world.rank() == 0) {
                lookUntil(sent, arrival);
                parley.resume();
            } else {
                sent.set(true);
            }
            arrival.await();
            departure.await();
            assertThat(got[0]).isEqualTo(20 + other);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = "tcp")
    void shouldSayThatAPeerWhoComputesHasNotTakenAll(final String transport) {
        final CountDownLatch computed = new CountDownLatch(1);
        run(2, transport, null, parley -> {
            final Communicator world = parley.world();
            final int[] got = new int[1];
            if (world.rank() == 0) {
                world.sendReceive(new int[] {1}, 0, 1, 1, 7, got, 0, 1, 1, 7);
                world.send(new int[] {2}, 0, 1, 1, 7);
                assertThat(parley.quiesce(Duration.ofMillis(200))).isFalse();
                computed.countDown();
                assertThat(parley.quiesce(LONG)).isTrue();
                parley.resume();
                world.send(new int[] {3}, 0, 1, 1, 7);
            } else {
                world.sendReceive(new int[] {1}, 0, 1, 0, 7, got, 0, 1, 0, 7);
                await(computed);
                for (int due = 2; due < 4; due++) {
                    world.receive(got, 0, 1, 0, 7);
                    assertThat(got[0]).isEqualTo(due);
                }
            }
        });
    }

    /** Nobody resumes it; also who leaves is not held up for longer, and takes nothing along. */
    @ParameterizedTest
    @ValueSource(strings = "tcp")
    void shouldGoOnByItselfWhenTheLimitHasPassed(final String transport) {
        run(2, transport, "1s", parley -> {
            final Communicator world = parley.world();
            final int[] got = new int[1];
            if (world.rank() == 0) {
                parley.quiesce(LONG);
                world.send(new int[] {4}, 0, 1, 1, 7);
                world.receive(got, 0, 1, 1, 7);
                assertThat(got[0]).isEqualTo(5);
                parley.quiesce(LONG);
                world.isend(new int[] {6}, 0, 1, 1, 7);
            } else {
                world.receive(got, 0, 1, 0, 7);
                assertThat(got[0]).isEqualTo(4);
                world.send(new int[] {5}, 0, 1, 0, 7);
                world.receive(got, 0, 1, 0, 7);
                assertThat(got[0]).isEqualTo(6);
            }
        });
    }
}
