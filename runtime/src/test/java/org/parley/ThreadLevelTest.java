package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(240)
class ThreadLevelTest {
    private static final int THREADS = 4;
    private static final int[] SIZES = {16, 16, 16, 100, 16, 5000, 16, 20_000};

    private interface Body {
        void run(int thread) throws Exception;
    }

    /** Runs threads of one rank; the first failure is thrown. */
    private static void threads(final Body body) throws Exception {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final List<Thread> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            final int number = i;
            final Thread thread = new Thread(() -> {
                try {
                    body.run(number);
                } catch (final Throwable e) {
                    failure.compareAndSet(null, e);
                }
            });
            thread.setDaemon(true);
            all.add(thread);
            thread.start();
        }
        for (final Thread thread : all) {
            while (thread.isAlive() && failure.get() == null) {
                thread.join(10);
            }
        }
        if (failure.get() != null) {
            throw new AssertionError("a thread failed: " + failure.get(), failure.get());
        }
    }

    @Test
    void shouldRefuseCallsThatOverlapWhereTheyMayNot() {
        final CountDownLatch refused = new CountDownLatch(1);
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                assertThat(refused.await(60, TimeUnit.SECONDS)).isTrue();
                world.send(null, 0, 0, 0, 1);
                return;
            }
            final Thread waiting = new Thread(() -> world.receive(null, 0, 0, 1, 1));
            waiting.start();
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            assertThatThrownBy(() -> world.send(null, 0, 0, 1, 2))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("calls that overlap need Parley.init(ThreadLevel.MULTIPLE)");
            refused.countDown();
            waiting.join();
        });
    }

    private static int messages(final Wire wire) {
        return wire == Wire.SHM ? 12_500 : wire == Wire.FAULTY ? 1_500 : 4_000;
    }

    /** 4 threads on each of 2 ranks, each with its peer thread: 10^5 messages. */
    @ParameterizedTest
    @EnumSource(Wire.class)
    void shouldServeThreadsWithTagsOfTheirOwn(final Wire wire) {
        final int each = messages(wire);
        wire.run(2, ThreadLevel.MULTIPLE, Map.of(), parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            threads(thread -> {
                final long[] out = new long[2500];
                final long[] in = new long[2500];
                for (int i = 0; i < each; i++) {
                    final int longs = SIZES[i % SIZES.length] / 8;
                    out[0] = i;
                    out[longs - 1] = thread;
                    final Request sent = world.isend(out, 0, longs, other, thread);
                    final Status status = world.receive(in, 0, 2500, other, thread);
                    if (status.bytes() != longs * 8L || longs > 1 && in[0] != i || in[longs - 1] != thread) {
                        throw new AssertionError("message " + i + " of thread " + thread + ": "
                                + status + " with " + in[0] + ", "
                                + in[longs - 1]);
                    }
                    sent.await();
                }
            });
        });
    }

    /** 4 threads send and 4 receive whatever comes: all of it comes, each thread's in order. */
    @ParameterizedTest
    @EnumSource(Wire.class)
    void shouldServeThreadsThatTakeFromAnySource(final Wire wire) {
        final int each = messages(wire);
        final AtomicLong sum = new AtomicLong();
        wire.run(2, ThreadLevel.MULTIPLE, Map.of(), parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                threads(thread -> {
                    for (int i = 1; i <= each; i++) {
                        final int ints = SIZES[i % SIZES.length] / 4;
                        final int[] out = new int[ints];
                        out[0] = thread;
                        out[1] = i;
                        world.send(out, 0, ints, 1, 7);
                    }
                });
            } else {
                threads(thread -> {
                    final int[] in = new int[5000];
                    final int[] last = new int[THREADS];
                    for (int i = 0; i < each; i++) {
                        world.receive(in, 0, 5000, ANY_SOURCE, i % 2 == 0 ? ANY_TAG : 7);
                        if (in[1] <= last[in[0]]) {
                            throw new AssertionError(
                                    "message " + in[1] + " of thread " + in[0] + " after " + last[in[0]]);
                        }
                        last[in[0]] = in[1];
                        sum.addAndGet(in[1]);
                    }
                });
            }
        });
        assertThat(sum.get()).isEqualTo(THREADS * (each * (each + 1L) / 2));
    }

    @ParameterizedTest
    @EnumSource(Wire.class)
    void shouldGiveEachProbedMessageToOneThread(final Wire wire) {
        final int count = 4000;
        final Map<Integer, Integer> seen = new ConcurrentHashMap<>();
        wire.run(2, ThreadLevel.MULTIPLE, Map.of(), parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                final List<Request> requests = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    final int ints = SIZES[i % SIZES.length] / 4;
                    final int[] out = new int[ints];
                    out[0] = i;
                    requests.add(world.isend(out, 0, ints, 1, i % 3));
                }
                Request.awaitAll(requests);
                // Who looks once more than there are messages is to find none, not a peer that has left.
                world.receive(new int[1], 0, 1, 1, 3);
                return;
            }
            final AtomicInteger taken = new AtomicInteger();
            threads(thread -> {
                while (taken.get() < count) {
                    final Message message = world.improbe(0, ANY_TAG);
                    if (message == null) {
                        Thread.yield();
                        continue;
                    }
                    taken.incrementAndGet();
                    final int ints = (int) message.status().count(Datatype.INT);
                    final int[] in = new int[ints];
                    message.receive(in, 0, ints);
                    seen.merge(in[0], 1, Integer::sum);
                }
            });
            world.send(new int[1], 0, 1, 0, 3);
        });
        assertThat(seen).hasSize(count);
        assertThat(seen.values()).allMatch(times -> times == 1);
    }

    @Test
    void shouldLetAThreadSendToAnotherOfTheSameRank() {
        Wire.SHM.run(1, ThreadLevel.MULTIPLE, Map.of(), parley -> {
            final Communicator world = parley.world();
            threads(thread -> {
                final byte[] in = new byte[50_000];
                for (final int size : new int[] {0, 10, 50_000}) {
                    for (int i = 0; i < 50; i++) {
                        if (thread % 2 == 0) {
                            world.ssend(Sample.bytes(i, size), 0, size, 0, thread);
                        } else {
                            world.receive(in, 0, size, 0, thread - 1);
                            Sample.check(i, size, java.util.Arrays.copyOf(in, size));
                        }
                    }
                }
            });
        });
    }

    @Test
    void shouldLetAThreadCompleteTheRequestsOfAnother() {
        Wire.SHM.run(2, ThreadLevel.MULTIPLE, Map.of(), parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            final Exchanger<Request> hand = new Exchanger<>();
            threads(thread -> {
                for (int i = 0; i < 500 && thread < 2; i++) {
                    if (thread == 0) {
                        final byte[] in = new byte[20_000];
                        final Request receive = world.ireceive(in, 0, 20_000, other, 1);
                        final Request send = world.isend(Sample.bytes(i, 20_000), 0, 20_000, other, 1);
                        hand.exchange(receive, 60, TimeUnit.SECONDS);
                        send.await();
                        receive.await();
                        Sample.check(i, 20_000, in);
                    } else {
                        final Request request = hand.exchange(null, 60, TimeUnit.SECONDS);
                        assertThat(request.await().bytes()).isEqualTo(20_000);
                    }
                }
            });
        });
    }

    /** One thread at a time, but not always the same. */
    @ParameterizedTest
    @EnumSource(
            value = ThreadLevel.class,
            names = {"SERIALIZED", "MULTIPLE"})
    void shouldServeThreadsByTurns(final ThreadLevel level) {
        Wire.SHM.run(2, level, Map.of(), parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            final Object lock = new Object();
            final AtomicInteger next = new AtomicInteger();
            threads(thread -> {
                while (next.get() < 5000) {
                    synchronized (lock) {
                        final int i = next.getAndIncrement();
                        if (i >= 5000) {
                            return;
                        }
                        final int size = SIZES[i % SIZES.length];
                        final byte[] in = new byte[size];
                        world.sendReceive(Sample.bytes(i, size), 0, size, other, 1, in, 0, size, other, 1);
                        Sample.check(i, size, in);
                    }
                }
            });
        });
    }
}
