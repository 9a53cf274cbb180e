package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Endpoint;
import org.parley.transport.JobSecret;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.StandardOptions;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;
import org.parley.transport.verbs.binding.QueuePair;

/** A rank whose queue pair, port or GID is lost goes on from another place, and is found there. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class UdMovesTest {
    /** {@code IBV_WC_LOC_QP_OP_ERR}: what a queue pair tells whose port goes down. */
    private static final int LOCAL_QP_OPERATION_ERROR = 2;

    private static final int FRAMES = 200;

    private TestJob job;

    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    @BeforeEach
    void begin() {
        Shim.set("fail_status", LOCAL_QP_OPERATION_ERROR);
        job = newJob(Map.of());
    }

    @AfterEach
    void end() {
        Shim.set("port", 1);
        Shim.set("host", 0);
        Shim.set("fail_send", 0);
        Shim.set("fail_recv", 0);
        Shim.set("drop_percent", 0);
        job.close();
    }

    private static TestJob newJob(final Map<String, String> more) {
        final Map<String, String> options =
                new HashMap<>(Map.of("verbs.library", Shim.library(), "ud.retransmit", "1ms"));
        options.putAll(more);
        return new TestJob(2, UdTransport::new, options);
    }

    private static long count(final TestRank rank, final String counter) {
        return rank.transport().statistics().get("ud." + counter);
    }

    private long reconnects() {
        return count(job.rank(0), "reconnects") + count(job.rank(1), "reconnects");
    }

    private static int moves(final TestRank rank) {
        return UdAddress.decode(rank.address()).moves();
    }

    /** Sends frames of all lengths both ways at once, and takes them in order. */
    private void exchange(final int seed) {
        final int largest = job.rank(0).transport().capabilities().maxFrame();
        final int[] sent = new int[2];
        final int[] taken = new int[2];
        TestJob.await("all frames both ways", () -> taken[0] == FRAMES && taken[1] == FRAMES, () -> {
            for (int rank = 0; rank < 2; rank++) {
                if (sent[rank] < FRAMES
                        && job.rank(rank)
                                .send(1 - rank, Pattern.bytes(seed + sent[rank], length(sent[rank], largest)))) {
                    sent[rank]++;
                }
                job.rank(rank).poll();
                while (!job.rank(rank).from(1 - rank).isEmpty()) {
                    assertThat(job.rank(rank).from(1 - rank).remove())
                            .isEqualTo(Pattern.bytes(seed + taken[rank], length(taken[rank], largest)));
                    taken[rank]++;
                }
                assertThat(job.rank(rank).linksDown()).isEmpty();
            }
        });
    }

    private static int length(final int number, final int largest) {
        return 1 + number * 977 % (number % 8 == 0 ? largest : 300);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fail_send", "fail_recv"})
    void shouldGoOnAfterAnErrorOfTheQueuePair(final String what) {
        exchange(0);
        for (int round = 1; round <= 20; round++) {
            Shim.set(what, 1 + round * 3);
            exchange(round * FRAMES);
        }
        assertThat(reconnects()).isPositive();
        assertThat(count(job.rank(0), "frames.replayed") + count(job.rank(1), "frames.replayed"))
                .isPositive();
        assertThat(LongStream.of(count(job.rank(0), "peers.moved"), count(job.rank(1), "peers.moved"))
                        .sum())
                .isPositive();
    }

    /** Neither is where the other one knows it: the doors lead on. */
    @Test
    void shouldGoOnWhereBothHaveMovedAtOneTime() {
        exchange(0);
        final int[] underWay = loseBoth();
        Shim.set("port", 1);
        for (int rank = 0; rank < 2; rank++) {
            for (int i = 0; i < underWay[rank]; i++) {
                assertThat(job.take(1 - rank, rank)).isEqualTo(Pattern.bytes(i, 1 + i));
            }
        }
        exchange(FRAMES);

        assertThat(moves(job.rank(0))).isPositive();
        assertThat(moves(job.rank(1))).isPositive();
        assertThat(count(job.rank(0), "knocks") + count(job.rank(1), "knocks")).isPositive();
    }

    /** Both queue pairs fail, and cannot be made again while the port is down; returns how many frames each has sent meanwhile. */
    private int[] loseBoth() {
        final int[] sent = new int[2];
        Shim.set("port", 0);
        for (int rank = 0; rank < 2; rank++) {
            final TestRank sender = job.rank(rank);
            final int of = rank;
            TestJob.await("the failure of rank " + rank, () -> isOut(sender), () -> {
                Shim.set("fail_send", 1);
                if (sender.send(1 - of, Pattern.bytes(sent[of], 1 + sent[of]))) {
                    sent[of]++;
                }
                sender.poll();
            });
        }
        Shim.set("fail_send", 0);
        return sent;
    }

    private static boolean isOut(final TestRank rank) {
        return !((UdTransport) rank.transport()).isUp();
    }

    @Test
    void shouldFindOutThatItsAddressHasChanged() {
        exchange(0);
        final byte[] before = UdAddress.decode(job.rank(0).address()).port().gid();
        Shim.set("host", 3);
        job.await("both to have moved", () -> moves(job.rank(0)) > 0 && moves(job.rank(1)) > 0);
        exchange(FRAMES);

        assertThat(UdAddress.decode(job.rank(0).address()).port().gid()).isNotEqualTo(before);
    }

    @Test
    void shouldBeFoundByWhoOnlyKnowsWhereItWas() {
        final byte[] before = job.rank(0).address();
        final TestRank mover = job.rank(0);
        ((UdTransport) mover.transport()).cut("cut by the test");
        TestJob.await("another address", () -> moves(mover) > 0, mover::poll);

        assertThat(job.rank(1).connect(0, before)).isNotNull();
        exchange(0);
        assertThat(count(job.rank(1), "peers.moved")).isOne();
    }

    @Test
    void shouldGiveUpAfterAWhile() {
        job.close();
        job = newJob(Map.of("reconnect.timeout", "300ms"));
        exchange(0);
        loseBoth();
        for (int rank = 0; rank < 2; rank++) {
            final TestRank each = job.rank(rank);
            final int peer = 1 - rank;
            TestJob.await("the end of the link", () -> each.linksDown().containsKey(peer), each::poll);
            assertThat(each.linksDown().get(peer))
                    .contains(
                            "local queue pair operation error",
                            "could not be made again within 0.3 s",
                            "port 1 of shim0 is DOWN");
            assertThat(each.to(peer).claim(1)).isEqualTo(Endpoint.CLOSED);
        }
    }

    /** Who has overheard where a rank was can say so again, but not bring anybody back there. */
    @Test
    void shouldNotBeLedBackByAnOldHello() throws IOException {
        final TestRank mover = job.rank(0);
        final TestRank other = job.rank(1);
        exchange(0);
        final UdAddress there = UdAddress.decode(other.address());
        final byte[] old = Hello.of(UdAddress.decode(mover.address()), there, job.secret());
        ((UdTransport) mover.transport()).cut("cut by the test");
        job.await("another address", () -> moves(mover) > 0 && count(other, "peers.moved") == 1);
        exchange(FRAMES);
        final long rejected = count(other, "rejected");

        say(old, there);
        job.await("the old hello", () -> count(other, "rejected") > rejected);
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            socket.send(new DatagramPacket(old, old.length, there.sockets().get(0)));
        }
        exchange(2 * FRAMES);
        assertThat(count(other, "peers.moved")).isOne();
        assertThat(reconnects()).isOne();
    }

    /** What anybody may send who is on the fabric. */
    private static void say(final byte[] hello, final UdAddress to) {
        try (Adapter adapter =
                Adapter.open(new StandardOptions(new UdTransport(), Map.of("verbs.library", Shim.library())))) {
            final UdQueue queue = new UdQueue(adapter, 1, 128, false, receive -> {});
            final long ah = adapter.context()
                    .createAddressHandle(new QueuePair.Path(
                            adapter.portNumber(), adapter.gidIndex(), to.port().gid(), 0));
            queue.send(ah, to, Hello.write(hello, queue.next(), 0));
            queue.ring();
            queue.close();
            adapter.context().destroyAddressHandle(ah);
        }
    }

    @Test
    void shouldTakeNothingAtItsDoorFromStrangers() throws IOException {
        exchange(0);
        final UdAddress there = UdAddress.decode(job.rank(1).address());
        final UdAddress moved =
                new UdAddress(UdAddress.decode(job.rank(0).address()).door(), there.port(), 1, 1, 9, there.nonce());
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            final byte[] forged = Hello.of(moved, there, JobSecret.create());
            for (int length = 0; length <= forged.length; length++) {
                socket.send(new DatagramPacket(forged, length, there.sockets().get(0)));
            }
            socket.send(new DatagramPacket(new byte[2000], 2000, there.sockets().get(0)));
        }
        exchange(FRAMES);
        assertThat(count(job.rank(1), "peers.moved")).isZero();
    }
}
