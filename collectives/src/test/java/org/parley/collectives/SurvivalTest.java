package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.Communicator;
import org.parley.Memory;
import org.parley.Op;
import org.parley.Parley;
import org.parley.ParleyException;
import org.parley.PeerFailedException;
import org.parley.PersistentRequest;
import org.parley.Request;
import org.parley.RevokedException;

/** With {@code ft=continue}: who needs a rank that has failed is told, and the others go on together. */
@Timeout(240)
class SurvivalTest {
    private static final int LARGE = 1_000_000;

    /** How ranks of these tests fail. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private interface Part {
        void play(Parley parley) throws Exception;
    }

    /** What those who live through it have met. */
    private final Map<Integer, Throwable> troubles = new ConcurrentHashMap<>();

    private final Set<Integer> ends = ConcurrentHashMap.newKeySet();

    /** Runs a job some of whose ranks throw {@link Death}; all others must come to the end of their part. */
    private void run(final String transport, final int ranks, final Map<String, String> further, final Part part) {
        final Map<String, String> options = new HashMap<>(further);
        options.put("transports", transport);
        options.putIfAbsent("ft", "continue");
        options.forEach((key, value) -> System.setProperty("parley." + key, value));
        final Set<Integer> dead = ConcurrentHashMap.newKeySet();
        try {
            Parley.local(ranks, parley -> {
                final int rank = parley.world().rank();
                try {
                    part.play(parley);
                    ends.add(rank);
                } catch (final Death e) {
                    dead.add(rank);
                    throw e;
                } catch (final Throwable e) {
                    troubles.put(rank, e);
                    throw e;
                }
            });
        } catch (final Death e) {
            assertThat(dead).isNotEmpty();
        } catch (final RuntimeException | Error e) {
            // One of the troubles.
            assertThat(troubles).isNotEmpty();
        } finally {
            options.keySet().forEach(key -> System.clearProperty("parley." + key));
        }
        if (!troubles.isEmpty()) {
            final AssertionError all = new AssertionError("did not live through it: " + troubles);
            troubles.values().forEach(all::addSuppressed);
            throw all;
        }
        assertThat(ends.size() + dead.size()).isEqualTo(ranks);
    }

    private static void checkSum(final Communicator communicator) {
        final long[] in = new long[5];
        final long[] out = new long[5];
        for (int i = 0; i < 5; i++) {
            in[i] = communicator.rank() + i;
        }
        communicator.allReduce(in, out, 5, Op.SUM);
        final long n = communicator.size();
        for (int i = 0; i < 5; i++) {
            assertThat(out[i]).isEqualTo(n * (n - 1) / 2 + i * n);
        }
        final byte[] large = new byte[LARGE];
        final int root = communicator.size() - 1;
        if (communicator.rank() == root) {
            for (int i = 0; i < LARGE; i++) {
                large[i] = (byte) (i * 31);
            }
        }
        communicator.bcast(large, 0, LARGE, root);
        for (int i = 0; i < LARGE; i += 997) {
            assertThat(large[i]).isEqualTo((byte) (i * 31));
        }
    }

    // --- who needs it is told ----------------------------------------------------------------

    private interface Call {
        void on(Communicator world, int dead);
    }

    private static Map<String, Call> calls() {
        final Map<String, Call> all = new TreeMap<>();
        all.put("receive", (world, dead) -> world.receive(new byte[9], 0, 9, dead, 7));
        all.put("receive from any", (world, dead) -> world.receive(new byte[9], 0, 9, ANY_SOURCE, 7));
        all.put("probe for any", (world, dead) -> world.probe(ANY_SOURCE, ANY_TAG));
        all.put(
                "waitAll",
                (world, dead) -> Request.awaitAll(
                        world.ireceive(new byte[9], 0, 9, dead, 7), world.ireceive(new byte[9], 0, 9, ANY_SOURCE, 8)));
        all.put(
                "waitAll with others",
                (world, dead) -> Request.awaitAll(
                        world.ireceive(new byte[9], 0, 9, (dead + 1) % world.size(), 7),
                        world.issend(new byte[9], 0, 9, (dead + 1) % world.size(), 8),
                        world.ireceive(new byte[9], 0, 9, dead, 7)));
        all.put("ssend", (world, dead) -> world.ssend(new byte[9], 0, 9, dead, 7));
        all.put("long send", (world, dead) -> world.send(new byte[LARGE], 0, LARGE, dead, 7));
        all.put("long native send", (world, dead) -> world.send(ByteBuffer.allocateDirect(LARGE), 0, LARGE, dead, 7));
        all.put("shared send", (world, dead) -> world.send(Parley.allocate(LARGE), 0, LARGE, dead, 7));
        all.put("barrier", (world, dead) -> world.barrier());
        all.put("allReduce", (world, dead) -> world.allReduce(new int[3], new int[3], 3, Op.SUM));
        all.put(
                "long allReduce",
                (world, dead) -> world.allReduce(new double[LARGE], new double[LARGE], LARGE, Op.SUM));
        all.put(
                "iallReduce",
                (world, dead) -> world.iallReduce(new int[3], 0, new int[3], 0, 3, null, Op.SUM)
                        .await());
        all.put("bcast of the dead", (world, dead) -> world.bcast(new byte[9], 0, 9, dead));
        all.put("duplicate", (world, dead) -> world.duplicate());
        return all;
    }

    static Stream<Arguments> allCalls() {
        return calls().keySet().stream()
                .flatMap(call -> Stream.of("shm", "tcp")
                        .flatMap(transport -> Stream.of(4, 8).map(ranks -> Arguments.of(call, transport, ranks))));
    }

    @ParameterizedTest
    @MethodSource("allCalls")
    void shouldTellAllWhoWaitForARankThatFailsAndGoOnWithoutIt(
            final String call, final String transport, final int ranks) {
        final int dead = ranks / 2;
        final CountDownLatch waiting = new CountDownLatch(ranks - 1);
        run(transport, ranks, Map.of(), parley -> {
            final Communicator world = parley.world();
            world.agree(0);
            if (world.rank() == dead) {
                waiting.await();
                throw new Death();
            }
            waiting.countDown();
            final Throwable failure = catchThrowable(() -> calls().get(call).on(world, dead));
            assertThat(failure).as(call).isInstanceOfAny(PeerFailedException.class, RevokedException.class);
            if (failure instanceof PeerFailedException peer) {
                assertThat(peer.rank()).isEqualTo(dead);
                assertThat(peer).hasMessageContaining("rank " + dead);
            }
            world.revoke();
            final Communicator left = world.shrink();
            assertThat(left.size()).isEqualTo(ranks - 1);
            assertThat(left.rank()).isEqualTo(world.rank() - (world.rank() > dead ? 1 : 0));
            assertThat(world.failed()).containsExactly(dead);
            assertThat(left.failed()).isEmpty();
            checkSum(left);
            checkSum(left.duplicate());
        });
    }

    /** Nobody revokes: those who need the dead only through others are told all the same. */
    @ParameterizedTest
    @CsvSource({"shm, 4", "shm, 8", "tcp, 7"})
    void shouldEndCollectivesAtAllMembersByItself(final String transport, final int ranks) {
        run(transport, ranks, Map.of(), parley -> {
            final Communicator world = parley.world();
            final Communicator half = world.split(world.rank() % 2, 0);
            // All have it: a failure meanwhile would be told of there.
            world.agree(0);
            if (world.rank() == 1) {
                throw new Death();
            }
            assertThatThrownBy(() -> {
                        for (; ; ) {
                            world.barrier();
                        }
                    })
                    .isInstanceOf(PeerFailedException.class);
            assertThatThrownBy(world::barrier).isInstanceOf(PeerFailedException.class);
            if (world.rank() % 2 == 0) {
                // It is not one of these.
                checkSum(half);
            } else {
                assertThatThrownBy(half::barrier).isInstanceOf(PeerFailedException.class);
            }
            checkSum(world.shrink());
        });
    }

    /** Point to point, the world lives on without being revoked; nothing is lost. */
    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void shouldLoseNothingBetweenThoseWhoAreLeft(final String transport) {
        run(transport, 4, Map.of(), parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 3) {
                world.receive(new byte[1], 0, 1, 0, 1);
                throw new Death();
            }
            final int next = (world.rank() + 1) % 3;
            final int previous = (world.rank() + 2) % 3;
            for (int i = 0; i < 2000; i++) {
                final int bytes = i % 50 == 0 ? 200_000 : 40;
                if (i == 300 && world.rank() == 0) {
                    world.send(new byte[1], 0, 1, 3, 1);
                }
                final byte[] out = new byte[bytes];
                final byte[] in = new byte[bytes];
                out[bytes - 1] = (byte) i;
                world.sendReceive(out, 0, bytes, next, 5, in, 0, bytes, previous, 5);
                assertThat(in[bytes - 1]).isEqualTo((byte) i);
            }
            checkSum(world.shrink());
        });
    }

    @Test
    void shouldLetReceivesFromAnySourceWaitAgain() {
        run("shm", 4, Map.of(), parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 2) {
                throw new Death();
            }
            if (world.rank() == 0) {
                final byte[] in = new byte[1];
                final PersistentRequest any = world.receiveInit(in, 0, 1, ANY_SOURCE, 3);
                any.start();
                assertThatThrownBy(any::await).isInstanceOf(PeerFailedException.class);
                assertThatThrownBy(() -> world.probe(ANY_SOURCE, ANY_TAG)).isInstanceOf(PeerFailedException.class);
                assertThat(world.failed()).containsExactly(2);
                // Its failure does not take messages of others away.
                world.send(in, 0, 0, 1, 1);
                world.receive(in, 0, 0, 1, 2);
                assertThat(world.acknowledgeFailures()).containsExactly(2);
                any.start();
                world.send(in, 0, 0, 3, 1);
                assertThat(any.await().source()).isEqualTo(3);
                any.start();
                world.send(in, 0, 0, 1, 6);
                assertThat(any.await().source()).isEqualTo(1);
                assertThatThrownBy(() -> world.receive(in, 0, 1, 2, 3)).isInstanceOf(PeerFailedException.class);
                world.send(in, 0, 0, 1, 4);
                world.send(in, 0, 0, 3, 4);
                // Another failure is news.
                assertThatThrownBy(() -> world.receive(in, 0, 1, ANY_SOURCE, 3))
                        .isInstanceOf(PeerFailedException.class);
                assertThat(world.acknowledgeFailures()).hasSizeBetween(2, 3);
            } else {
                world.receive(null, 0, 0, 0, 1);
                if (world.rank() == 1) {
                    world.send(null, 0, 0, 0, 2);
                    world.receive(null, 0, 0, 0, 6);
                }
                world.send(new byte[1], 0, 1, 0, 3);
                world.receive(null, 0, 0, 0, 4);
                throw new Death();
            }
        });
    }

    /** As in a program that closes its membership while an exception leaves it: a farewell, and yet a failure. */
    @Test
    void shouldTellAMasterOfAWorkerThatHasLeftAndFailed() {
        run("shm", 3, Map.of(), parley -> {
            if (parley.world().rank() == 1) {
                parley.close();
                throw new Death();
            }
            if (parley.world().rank() == 0) {
                assertThatThrownBy(() -> parley.world().receive(new byte[1], 0, 1, ANY_SOURCE, 1))
                        .isInstanceOf(PeerFailedException.class);
                assertThat(parley.world().failed()).containsExactly(1);
                parley.world().send(null, 0, 0, 2, 1);
            } else {
                parley.world().receive(null, 0, 0, 0, 1);
            }
        });
    }

    // --- revoke ------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void shouldInterruptAllCallsOfARevokedCommunicator(final String transport) {
        run(transport, 8, Map.of("eager.window", "64k"), parley -> {
            final Communicator world = parley.world();
            final Communicator other = world.duplicate();
            other.barrier(); // Nobody needs the world for that any more.
            final int rank = world.rank();
            final Memory memory = Parley.allocate(LARGE);
            final List<Runnable> waits = List.of(
                    () -> world.receive(null, 0, 0, 1, 9),
                    () -> world.receive(null, 0, 0, ANY_SOURCE, 9),
                    () -> world.ssend(new byte[1], 0, 1, 0, 3),
                    () -> world.send(memory, 0, LARGE, 0, 3),
                    () -> world.probe(ANY_SOURCE, 9),
                    world::barrier,
                    () -> {
                        for (; ; ) {
                            world.send(new byte[100], 0, 100, 0, 4);
                        }
                    });
            if (rank == 7) {
                // The others are at it, or will be.
                other.receive(null, 0, 0, 0, 1);
                world.revoke();
                world.revoke();
            } else {
                if (rank == 0) {
                    other.send(null, 0, 0, 7, 1);
                }
                assertThatThrownBy(() -> waits.get(rank).run())
                        .isInstanceOf(RevokedException.class)
                        .hasMessageContaining("the world was revoked by rank 7");
            }
            for (final Runnable wait : waits) {
                assertThatThrownBy(wait::run).isInstanceOf(RevokedException.class);
            }
            assertThatThrownBy(() -> world.iprobe(ANY_SOURCE, ANY_TAG)).isInstanceOf(RevokedException.class);
            assertThatThrownBy(() -> world.isend(new byte[1], 0, 1, rank, 1)).isInstanceOf(RevokedException.class);
            assertThatThrownBy(world::duplicate).isInstanceOf(RevokedException.class);
            assertThat(world.agree(rank == 3 ? 0b0110 : 0b0011)).isEqualTo(0b0010);
            // What lay there has given its room back: eager messages go again.
            checkSum(other);
            final Communicator again = world.shrink();
            assertThat(again.size()).isEqualTo(8);
            checkSum(again);
            final int peer = rank ^ 1;
            for (int i = 0; i < 500; i++) {
                again.sendReceive(new byte[900], 0, 900, peer, 1, new byte[900], 0, 900, peer, 1);
            }
        });
    }

    /** Whoever makes it later finds it so. */
    @Test
    void shouldFindACommunicatorRevokedThatWasRevokedBeforeItWasMadeHere() {
        run("shm", 3, Map.of(), parley -> {
            final Communicator world = parley.world();
            final Communicator made = world.duplicate();
            if (world.rank() == 0) {
                made.revoke();
            }
            assertThatThrownBy(() -> made.receive(null, 0, 0, 1, 1)).isInstanceOf(RevokedException.class);
            checkSum(world);
            final Communicator next = world.duplicate();
            checkSum(next);
        });
    }

    // --- shrink and agree --------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({"shm, 8", "tcp, 8", "shm, 4"})
    void shouldShrinkWhileRanksFail(final String transport, final int ranks) {
        final List<List<Integer>> groups = Collections.synchronizedList(new ArrayList<>());
        run(transport, ranks, Map.of(), parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                throw new Death();
            }
            if (world.rank() == 2) {
                // While the others wait for it.
                assertThatThrownBy(() -> world.receive(null, 0, 0, 1, 1)).isInstanceOf(PeerFailedException.class);
                throw new Death();
            }
            Communicator left = world.shrink();
            final int[] all = new int[ranks];
            final int[] mine = new int[ranks];
            mine[world.rank()] = 1;
            left.allReduce(mine, all, ranks, Op.SUM);
            groups.add(IntStream.of(all).boxed().toList());
            assertThat(left.size()).isEqualTo(ranks - 2);
            checkSum(left);
            // All are done with it: who is not yet would be told that a member has failed.
            left.agree(0);
            if (left.rank() == left.size() - 1) {
                throw new Death();
            }
            left = left.shrink();
            assertThat(left.size()).isEqualTo(ranks - 3);
            checkSum(left);
        });
        assertThat(groups).hasSize(ranks - 2).allMatch(group -> group.equals(groups.get(0)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void shouldAgreeWhileRanksFail(final String transport) {
        run(transport, 6, Map.of(), parley -> {
            final Communicator world = parley.world();
            assertThat(world.agree(~(1 << world.rank()))).isEqualTo(-1 << 6);
            if (world.rank() == 4) {
                throw new Death();
            }
            assertThat(world.agree(world.rank() == 2 ? 5 : 7)).isEqualTo(5);
            if (world.rank() == 0) {
                world.revoke();
                throw new Death();
            }
            assertThat(world.agree(world.rank() == 3 ? 12 : 14)).isEqualTo(12);
            assertThat(world.shrink().size()).isEqualTo(4);
        });
    }

    @Test
    void shouldTellThatSomeShrinkAndOthersAgree() {
        run("shm", 3, Map.of(), parley -> {
            final Communicator world = parley.world();
            assertThatThrownBy(() -> {
                        if (world.rank() == 1) {
                            world.shrink();
                        } else {
                            world.agree(1);
                        }
                    })
                    .isInstanceOf(ParleyException.class)
                    .hasMessageContaining("some members of the communicator call shrink, others agree");
            checkSum(world.shrink());
        });
    }

    /** A rank that leaves is not waited for. */
    @Test
    void shouldGoOnWithoutWhoHasLeft() {
        run("shm", 4, Map.of(), parley -> {
            if (parley.world().rank() == 0) {
                return;
            }
            final Communicator left = parley.world().shrink();
            assertThat(left.size()).isEqualTo(3);
            assertThat(parley.world().failed()).isEmpty();
            checkSum(left);
        });
    }

    @Test
    void shouldAgreeAlone() {
        run("self", 1, Map.of(), parley -> {
            assertThat(parley.world().agree(9)).isEqualTo(9);
            parley.world().revoke();
            assertThatThrownBy(() -> parley.world().receive(null, 0, 0, ANY_SOURCE, 1))
                    .isInstanceOf(RevokedException.class);
            checkSum(parley.world().shrink());
        });
    }

    /** Also with the policy that is the default, where nothing fails. */
    @Test
    void shouldRevokeAndShrinkWhateverThePolicy() {
        run("shm", 3, Map.of("ft", "abort"), parley -> {
            parley.world().revoke();
            checkSum(parley.world().shrink());
        });
    }
}
