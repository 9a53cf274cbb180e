package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.parley.transport.fault.FaultCounters.Fault;

/** Ranks that leave, and ranks that fail: whoever needs them is told, whoever does not goes on. */
@Timeout(240)
class LeavingTest {
    private static final int LARGE = 1_000_000;

    /** What a rank may be at, or begin, when another goes. */
    private interface Call {
        void on(Communicator world, int peer);
    }

    private static Map<String, Call> calls() {
        final Map<String, Call> all = new TreeMap<>();
        final byte[] large = new byte[LARGE];
        final ByteBuffer direct = ByteBuffer.allocateDirect(LARGE);
        all.put("receive", (world, peer) -> world.receive(large, 0, LARGE, peer, 9));
        all.put(
                "ireceive",
                (world, peer) -> world.ireceive(large, 0, LARGE, peer, 9).await());
        all.put("ireceive and test", (world, peer) -> {
            final Request request = world.ireceive(large, 0, LARGE, peer, ANY_TAG);
            while (!request.test()) {
                Thread.onSpinWait();
            }
        });
        all.put(
                "awaitAll",
                (world, peer) -> Request.awaitAll(
                        List.of(world.ireceive(large, 0, 1, peer, 8), world.ireceive(large, 0, 1, peer, 9))));
        all.put("persistent receive", (world, peer) -> {
            final PersistentRequest request = world.receiveInit(large, 0, 1, peer, 9);
            request.start();
            request.await();
        });
        all.put("probe", (world, peer) -> world.probe(peer, 9));
        all.put("mprobe", (world, peer) -> world.mprobe(peer, 9));
        all.put("iprobe", (world, peer) -> {
            while (world.iprobe(peer, 9) == null) {
                Thread.onSpinWait();
            }
        });
        all.put("improbe", (world, peer) -> {
            while (world.improbe(peer, 9) == null) {
                Thread.onSpinWait();
            }
        });
        all.put("ssend", (world, peer) -> world.ssend(large, 0, 1, peer, 9));
        all.put("send of an array", (world, peer) -> world.send(large, 0, LARGE, peer, 9));
        all.put("send of native memory", (world, peer) -> world.send(direct, 0, LARGE, peer, 9));
        all.put("isend", (world, peer) -> world.isend(direct, 0, LARGE, peer, 9).await());
        all.put("sends without end", (world, peer) -> {
            for (; ; ) {
                world.send(large, 0, 100, peer, 9);
            }
        });
        // Nobody sends with tag 10: two ranks that make the same call must not serve each other.
        all.put("sendReceive", (world, peer) -> world.sendReceive(large, 0, 5, peer, 9, direct, 0, 5, peer, 10));
        all.put("sendReceiveReplace", (world, peer) -> world.sendReceiveReplace(large, 0, LARGE, peer, 9, peer, 10));
        return all;
    }

    static List<String> callNames() {
        return List.copyOf(calls().keySet());
    }

    /** How often a call has ended as it should: a rank's failure hides what others throw afterwards. */
    private final AtomicInteger told = new AtomicInteger();

    private void assertGone(final String name, final Communicator world, final int peer, final String how) {
        final PeerFailedException e = catchThrowableOfType(
                PeerFailedException.class, () -> calls().get(name).on(world, peer));
        assertThat(e).as(name).isNotNull();
        assertThat(e.rank()).isEqualTo(peer);
        assertThat(e)
                .hasMessageContaining("rank " + peer + " (this process, over ")
                .hasMessageContaining(how);
        told.incrementAndGet();
    }

    // --- leaving ---------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("callNames")
    void shouldEndACallWhosePeerLeavesMeanwhile(final String name) {
        Wire.SHM.run(3, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                world.send(null, 0, 0, 1, 1);
                assertGone(name, world, 1, "has left the job");
                // Others do not care.
                world.send(null, 0, 0, 2, 2);
                world.receive(null, 0, 0, 2, 3);
            } else if (world.rank() == 1) {
                world.receive(null, 0, 0, 0, 1);
            } else {
                world.receive(null, 0, 0, 0, 2);
                world.send(null, 0, 0, 0, 3);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("callNames")
    void shouldEndACallWhosePeerHasLeftBeforeTheyEverTalked(final String name) {
        final CountDownLatch left = new CountDownLatch(1);
        Wire.SHM.run(2, parley -> {
            if (parley.world().rank() == 1) {
                parley.close();
                left.countDown();
                return;
            }
            assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
            assertGone(name, parley.world(), 1, "has left the job");
            assertGone(name, parley.world(), 1, "has left the job");
        });
    }

    @ParameterizedTest
    @MethodSource("callNames")
    void shouldEndACallWhosePeerHasLeft(final String name) {
        final CountDownLatch left = new CountDownLatch(1);
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            world.sendReceive(null, 0, 0, 1 - world.rank(), 1, null, 0, 0, ANY_SOURCE, 1);
            if (world.rank() == 1) {
                parley.close();
                left.countDown();
                return;
            }
            assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
            assertGone(name, world, 1, "has left the job");
        });
    }

    @ParameterizedTest
    // With little credit all data waits at the sender, whose close waits for it to be fetched.
    @EnumSource(
            value = Wire.class,
            names = {"TIGHT", "TIGHT_TCP"},
            mode = EnumSource.Mode.EXCLUDE)
    void shouldReceiveWhatWasSentBeforeTheSenderLeft(final Wire wire) {
        wire.run(3, parley -> {
            final Communicator world = parley.world();
            final int count = 300;
            if (world.rank() == 1) {
                // Short ones lie unexpected; the long one is fetched while close waits.
                for (int i = 0; i < count; i++) {
                    world.isend(Sample.bytes(i, 50), 0, 50, 0, i % 7);
                }
                world.isend(Sample.direct(1, LARGE), 0, LARGE, 0, 100);
                world.isend(Sample.bytes(2, LARGE), 0, LARGE, 0, 100);
                return;
            }
            if (world.rank() == 2) {
                world.receive(null, 0, 0, 0, 1);
                return;
            }
            final byte[] large = new byte[LARGE];
            world.receive(large, 0, LARGE, 1, 100);
            Sample.check(1, LARGE, large);
            world.receive(large, 0, LARGE, 1, 100);
            Sample.check(2, LARGE, large);
            // Gone it is, but its messages are here.
            assertThatThrownBy(() -> world.receive(large, 0, LARGE, 1, 101)).hasMessageContaining("has left the job");
            final byte[] small = new byte[50];
            for (int tag = 6; tag >= 0; tag--) {
                for (int i = tag; i < count; i += 7) {
                    world.receive(small, 0, 50, i % 2 == 0 ? 1 : ANY_SOURCE, tag);
                    Sample.check(i, 50, small);
                }
            }
            assertThatThrownBy(() -> world.receive(small, 0, 50, 1, ANY_TAG)).isInstanceOf(PeerFailedException.class);
            world.send(null, 0, 0, 2, 1);
        });
    }

    /** What arrives is answered, with credit here, and there is nobody any more to connect to. */
    @Test
    void shouldReceiveFromARankThatLeftBeforeItWasEverAnswered() {
        final int count = 40;
        final int bytes = 1000;
        final CountDownLatch posted = new CountDownLatch(1);
        final CountDownLatch left = new CountDownLatch(1);
        Wire.SHM.run(2, ThreadLevel.SERIALIZED, Map.of("eager.window", "64k"), parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                assertThat(posted.await(60, TimeUnit.SECONDS)).isTrue();
                for (int i = 0; i < count; i++) {
                    world.send(Sample.bytes(i, bytes), 0, bytes, 0, i);
                }
                parley.close();
                left.countDown();
                return;
            }
            final byte[][] in = new byte[count][bytes];
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                requests.add(world.ireceive(in[i], 0, bytes, 1, i));
            }
            posted.countDown();
            assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
            Request.awaitAll(requests);
            for (int i = 0; i < count; i++) {
                Sample.check(i, bytes, in[i]);
            }
        });
    }

    @Test
    void shouldWaitForAnySourceWhileSomebodyIsThere() {
        Wire.SHM.run(3, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                return;
            }
            if (world.rank() == 2) {
                // Leaves last, after 0 knows that 1 has left.
                world.receive(null, 0, 0, 0, 1);
                world.send(null, 0, 0, 0, 2);
                return;
            }
            final Request any = world.ireceive(null, 0, 0, ANY_SOURCE, 2);
            assertThatThrownBy(() -> world.probe(1, 1)).isInstanceOf(PeerFailedException.class);
            assertThat(any.test()).isFalse();
            world.send(null, 0, 0, 2, 1);
            assertThat(any.await().source()).isEqualTo(2);
            final Request never = world.ireceive(null, 0, 0, ANY_SOURCE, ANY_TAG);
            assertThatThrownBy(never::await).isInstanceOf(ParleyException.class);
            assertThatThrownBy(() -> world.receive(null, 0, 0, ANY_SOURCE, ANY_TAG))
                    .isInstanceOf(ParleyException.class)
                    .hasMessageContaining("all other ranks of the communicator are gone");
            assertThatThrownBy(() -> world.probe(ANY_SOURCE, ANY_TAG))
                    .hasMessageContaining("all other ranks of the communicator are gone");
            assertThat(world.iprobe(ANY_SOURCE, ANY_TAG)).isNull();
            // What it has sent to itself can still come.
            world.send(null, 0, 0, 0, 5);
            assertThat(world.receive(null, 0, 0, ANY_SOURCE, ANY_TAG).tag()).isEqualTo(5);
        });
    }

    @Test
    void shouldGiveTheCopiesOfBufferedSendsBackWhoeverIsGone() {
        final int bytes = 600_000;
        Wire.SHM.run(3, ThreadLevel.SERIALIZED, Map.of("buffered.limit", "1m"), parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                world.bsend(new byte[bytes], 0, bytes, 1, 5);
                assertThatThrownBy(() -> world.bsend(new byte[bytes], 0, bytes, 2, 5))
                        .hasMessageContaining("does not fit: 600000 of 1048576 bytes are in use");
                world.send(null, 0, 0, 1, 1);
                assertThatThrownBy(() -> world.probe(1, 1)).isInstanceOf(PeerFailedException.class);
                world.bsend(Sample.bytes(3, bytes), 0, bytes, 2, 5);
            } else if (world.rank() == 1) {
                world.receive(null, 0, 0, 0, 1);
            } else {
                final byte[] received = new byte[bytes];
                world.receive(received, 0, bytes, 0, 5);
                Sample.check(3, bytes, received);
            }
        });
    }

    // --- failing ---------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("callNames")
    void shouldEndACallWhosePeerFails(final String name) {
        final RuntimeException cause = new IllegalStateException("out of paper");
        assertThatThrownBy(() -> Wire.SHM.run(3, parley -> {
                    final Communicator world = parley.world();
                    if (world.rank() == 1) {
                        world.receive(null, 0, 0, 0, 1);
                        throw cause;
                    }
                    if (world.rank() == 0) {
                        world.send(null, 0, 0, 1, 1);
                        assertGone(name, world, 1, "out of paper");
                    } else {
                        assertGone("receive", world, 1, "out of paper");
                    }
                }))
                .isSameAs(cause);
        assertThat(told).hasValue(2);
    }

    /** Nobody has looked at the wire since: it is all still there. */
    @Test
    void shouldReceiveWhatWasSentBeforeTheSenderFailed() {
        final CountDownLatch looksNoMore = new CountDownLatch(1);
        final List<Thread> sender = new CopyOnWriteArrayList<>();
        assertThatThrownBy(() -> Wire.SHM.run(2, parley -> {
                    final Communicator world = parley.world();
                    final int other = 1 - world.rank();
                    world.sendReceive(null, 0, 0, other, 1, null, 0, 0, other, 1);
                    if (world.rank() == 1) {
                        looksNoMore.await(60, TimeUnit.SECONDS);
                        sender.add(Thread.currentThread());
                        world.send(Sample.bytes(9, 1000), 0, 1000, 0, 5);
                        throw new IllegalStateException("out of paper");
                    }
                    looksNoMore.countDown();
                    await().atMost(60, TimeUnit.SECONDS)
                            .until(() -> !sender.isEmpty() && !sender.get(0).isAlive());
                    final byte[] in = new byte[1000];
                    world.receive(in, 0, 1000, 1, 5);
                    Sample.check(9, 1000, in);
                    assertGone("receive", world, 1, "out of paper");
                }))
                .hasMessage("out of paper");
        assertThat(told).hasValue(1);
    }

    @Test
    void shouldNotWaitForAnySourceAfterAFailure() {
        final CountDownLatch known = new CountDownLatch(2);
        assertThatThrownBy(() -> Wire.SHM.run(3, parley -> {
                    final Communicator world = parley.world();
                    if (world.rank() == 2) {
                        throw new IOException("disk full");
                    }
                    assertGone("probe", world, 2, "disk full");
                    known.countDown();
                    known.await(60, TimeUnit.SECONDS);
                    // Both wait for somebody, and only a dead one could come.
                    for (final boolean probe : new boolean[] {true, false}) {
                        assertThatThrownBy(() -> any(world, probe))
                                .isInstanceOf(PeerFailedException.class)
                                .hasMessageContaining("disk full");
                        told.incrementAndGet();
                    }
                }))
                .isInstanceOf(ParleyException.class)
                .hasMessageContaining("disk full")
                .hasCauseInstanceOf(IOException.class);
        assertThat(told).hasValue(6);
    }

    private static void any(final Communicator world, final boolean probe) {
        if (probe) {
            world.probe(ANY_SOURCE, ANY_TAG);
        } else {
            world.receive(null, 0, 0, ANY_SOURCE, ANY_TAG);
        }
    }

    @Test
    void shouldEndAWaitForAnySourceWhenARankFails() {
        final Error cause = new StackOverflowError("too deep");
        assertThatThrownBy(() -> Wire.SHM.run(3, parley -> {
                    final Communicator world = parley.world();
                    if (world.rank() == 0) {
                        world.receive(null, 0, 0, 1, 1);
                        world.receive(null, 0, 0, 2, 1);
                        throw cause;
                    }
                    final Request any = world.ireceive(null, 0, 0, ANY_SOURCE, 5);
                    world.send(null, 0, 0, 0, 1);
                    assertThatThrownBy(any::await).isInstanceOf(PeerFailedException.class);
                    told.incrementAndGet();
                }))
                .isSameAs(cause);
        assertThat(told).hasValue(2);
    }

    @Test
    void shouldReportTheFirstCauseWhereverTheOthersWere() {
        for (int round = 0; round < 50; round++) {
            final RuntimeException cause = new IllegalStateException("round " + round);
            assertThatThrownBy(() -> Wire.SHM.run(2, parley -> {
                        if (parley.world().rank() == 1) {
                            throw cause;
                        }
                        parley.world().receive(null, 0, 0, 1, 1);
                    }))
                    .isSameAs(cause);
        }
    }

    @Test
    void shouldNotWaitForAPeerThatFailsWhileItJoins() {
        assertThatThrownBy(() -> Wire.withOptions(
                        Map.of("transports", "self"),
                        () -> Parley.local(
                                2,
                                parley -> parley.world()
                                        .send(null, 0, 0, 1 - parley.world().rank(), 1))))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("no permitted transport leads there");
    }

    @Test
    void shouldEndTheJobByAbort() {
        assertThatThrownBy(() -> Wire.SHM.run(2, parley -> {
                    if (parley.world().rank() == 1) {
                        parley.abort(7, "wrong input");
                    }
                    assertGone("receive", parley.world(), 1, "wrong input");
                }))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("code 7")
                .hasMessageContaining("wrong input");
        assertThat(told).hasValue(1);
    }

    // --- links -----------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("callNames")
    void shouldEndACallWhoseLinkGoesDown(final String name) {
        FaultyShm.forget();
        final CountDownLatch both = new CountDownLatch(2);
        Wire.FAULTY.run(2, parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            world.sendReceive(null, 0, 0, other, 1, null, 0, 0, other, 1);
            both.countDown();
            if (world.rank() == 0) {
                both.await();
                // The first peer of each rank, and so the only one.
                FaultyShm.cutAll(0, "somebody tripped");
            }
            assertGone(name, world, other, "somebody tripped");
        });
        assertThat(FaultyShm.count(Fault.CUT)).isEqualTo(2);
    }

    /** Who sends is not to believe that the other has what it could not take. */
    @Test
    void shouldSendAsFramesWhatCouldNotBeFetched() {
        final int bytes = 1_000_000;
        FaultyShm.forget();
        Wire.FAULTY.run(
                2,
                ThreadLevel.SERIALIZED,
                Map.of("fault.hide", "0", "fault.bar", "0", "fault.spoil", "1000"),
                parley -> {
                    final Communicator world = parley.world();
                    final Memory memory = Parley.allocate(bytes);
                    if (world.rank() == 0) {
                        for (int i = 0; i < bytes; i++) {
                            memory.putByte(i, (byte) (i * 7));
                        }
                        world.send(memory, 0, bytes, 1, 3);
                    } else {
                        world.receive(memory, 0, bytes, 0, 3);
                        for (int i = 0; i < bytes; i++) {
                            assertThat(memory.getByte(i)).isEqualTo((byte) (i * 7));
                        }
                    }
                });
        assertThat(FaultyShm.count(Fault.SPOILED)).isEqualTo(1);
    }

    /** Files are opened with the first message, and an interrupted thread's channels close themselves. */
    @Test
    void shouldConnectAThreadThatIsInterrupted() {
        Wire.SHM.run(2, parley -> {
            final int other = 1 - parley.world().rank();
            Thread.currentThread().interrupt();
            parley.world().sendReceive(null, 0, 0, other, 1, null, 0, 0, other, 1);
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    @Test
    void shouldNameTheTransport() {
        final List<String> names = new ArrayList<>();
        Wire.SHM.run(2, parley -> {
            final int me = parley.world().rank();
            synchronized (names) {
                names.add(parley.transportTo(me) + " " + parley.transportTo(1 - me));
            }
            parley.world().sendReceive(null, 0, 0, 1 - me, 1, null, 0, 0, 1 - me, 1);
        });
        assertThat(names).containsExactly("self shm", "self shm");
    }
}
