package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.Protocol;
import org.parley.transport.RetainingEndpoint;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;

/** Links that break and come back: nothing is lost, nothing comes twice, and those who cannot come back are named. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class ReconnectTest {
    private static final byte[] SAID = {1, 2, 3};
    private static final byte[] MORE = {4, 5, 6, 7, 8, 9, 10, 11, 12};

    private static long count(final TestRank rank, final String counter) {
        return rank.transport().statistics().getOrDefault("tcp." + counter, 0L);
    }

    /** In the head of a frame, in its payload, between two, and a byte before the end. */
    @ParameterizedTest
    @ValueSource(ints = {24 + 8, 24 + 30_000, 24, 24 + 16 + 60_000 - 1})
    void shouldGoOnAfterAResetInTheMiddleOfAFrame(final int bytes) throws IOException {
        final List<byte[]> frames = List.of(Pattern.bytes(1, 60_000), Pattern.bytes(2, 300), Pattern.bytes(3, 60_000));
        final AtomicInteger connections = new AtomicInteger();
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of());
                ManInTheMiddle between = new ManInTheMiddle(job.rank(0), (who, caller, called) -> {
                    if (connections.getAndIncrement() == 0) {
                        who.relayAndReset(caller, called, bytes);
                    } else {
                        who.relay(caller, called);
                    }
                })) {
            job.rank(1).connect(0, between.address());
            // Rank 0 would call rank 1 past who is between, if it did not know it.
            job.send(1, 0, SAID);
            assertThat(job.take(0, 1)).isEqualTo(SAID);
            for (final byte[] frame : frames) {
                job.send(1, 0, frame);
                job.send(0, 1, frame);
            }
            for (final byte[] frame : frames) {
                assertThat(job.take(0, 1)).isEqualTo(frame);
                assertThat(job.take(1, 0)).isEqualTo(frame);
            }
            job.await(
                    "the new link", () -> count(job.rank(0), "reconnects") > 0 && count(job.rank(1), "reconnects") > 0);
            job.send(1, 0, MORE);
            assertThat(job.take(0, 1)).isEqualTo(MORE);
            for (final TestRank rank : List.of(job.rank(0), job.rank(1))) {
                assertThat(rank.received()).isEqualTo(frames.size() + (rank.rank() == 0 ? 2 : 0));
                assertThat(rank.linksDown()).isEmpty();
            }
        }
    }

    // --- by hand: somebody says that it is rank 1, and has the secret ---------------------------------

    private static Stranger member(final TestJob job, final int epoch, final Verdict verdict) throws IOException {
        final Stranger member = new Stranger(job.rank(0));
        final byte[] hello = Stranger.hello(job.rank(0), Protocol.version(), 1, epoch);
        assertThat(member.greet(hello, job.secret())).isEqualTo(verdict);
        return member;
    }

    private static byte[] frame(final int number, final byte[] body) {
        return ByteBuffer.allocate(16 + (body.length + 7 & -8))
                .order(ByteOrder.nativeOrder())
                .putInt(body.length)
                .putInt(number)
                .putInt(0)
                .putInt(0)
                .put(body)
                .array();
    }

    private static byte[] resume(final int epoch, final long expected, final long oldest, final long next) {
        return ByteBuffer.allocate(RetainingEndpoint.RESUME_BYTES)
                .order(ByteOrder.nativeOrder())
                .putInt(RetainingEndpoint.RESUME_BYTES - RetainingEndpoint.HEADER)
                .putInt(epoch)
                .putInt((int) expected)
                .putShort((short) 0)
                .putShort((short) 4)
                .putLong(expected)
                .putLong(oldest)
                .putLong(next)
                .array();
    }

    private static void awaitDown(final TestJob job, final String... texts) {
        TestJob.await("the end of the link", () -> job.rank(0).linksDown().containsKey(1), job.rank(0)::poll);
        assertThat(job.rank(0).linksDown().get(1)).contains(texts);
    }

    /** A machine whose network was away may know earlier than its peers. */
    @Test
    void shouldTakeALaterLinkForOneThatItHasNotSeenFail() throws IOException {
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of());
                Stranger first = member(job, 1, Verdict.WELCOME)) {
            first.say(frame(0, SAID));
            first.say(Arrays.copyOf(frame(1, MORE), 20));
            TestJob.await("frame 0", () -> job.rank(0).received() == 1, job.rank(0)::poll);
            try (Stranger second = member(job, 2, Verdict.WELCOME)) {
                TestJob.await("the new link", () -> count(job.rank(0), "handshakes") == 2, job.rank(0)::poll);
                assertThat(second.hear(RetainingEndpoint.RESUME_BYTES)).isEqualTo(resume(2, 1, 0, 0));
                second.say(resume(2, 0, 1, 2));
                second.say(frame(1, MORE));
                TestJob.await("frame 1", () -> job.rank(0).received() == 2, job.rank(0)::poll);
                assertThat(first.isHungUpOn()).isTrue();
                assertThat(job.rank(0).from(1)).containsExactly(SAID, MORE);
                assertThat(job.rank(0).linksDown()).isEmpty();
                assertThat(count(job.rank(0), "reconnects")).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldRefuseALinkThatIsNoLaterOne() throws IOException {
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of());
                Stranger first = member(job, 3, Verdict.WELCOME)) {
            member(job, 3, Verdict.DUPLICATE).close();
            member(job, 2, Verdict.DUPLICATE).close();
            try (Stranger last = member(job, 4, Verdict.WELCOME)) {
                TestJob.await("both links", () -> count(job.rank(0), "handshakes") == 2, job.rank(0)::poll);
                assertThat(first.isHungUpOn()).isTrue();
                assertThat(last.hear(RetainingEndpoint.RESUME_BYTES)).isEqualTo(resume(4, 0, 0, 0));
            }
        }
    }

    @Test
    void shouldNameBothNumbersWhereOneSideHasLostItsState() throws IOException {
        for (final byte[] wrong : List.of(resume(2, 5, 0, 0), resume(2, 0, 3, 9), resume(2, -1, 0, 0))) {
            try (TestJob job = new TestJob(2, TcpTransport::new, Map.of());
                    Stranger first = member(job, 1, Verdict.WELCOME);
                    Stranger second = member(job, 2, Verdict.WELCOME)) {
                assertThat(first).isNotNull();
                second.say(wrong);
                awaitDown(job, "one side has lost its state");
            }
        }
    }

    @Test
    void shouldTakeNothingBeforeItKnowsWhereThePeerIs() throws IOException {
        for (final byte[] wrong : List.of(resume(1, 0, 0, 0), Arrays.copyOf(frame(0, SAID), 40))) {
            try (TestJob job = new TestJob(2, TcpTransport::new, Map.of());
                    Stranger second = member(job, 2, Verdict.WELCOME)) {
                second.say(wrong);
                awaitDown(job, "does not say where it is on link 2");
                assertThat(job.rank(0).received()).isZero();
            }
        }
    }

    @Test
    void shouldNotReplayToAnotherProcess() throws IOException {
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of())) {
            try (Stranger first = member(job, 1, Verdict.WELCOME)) {
                first.say(frame(0, SAID));
                TestJob.await("frame 0", () -> job.rank(0).received() == 1, job.rank(0)::poll);
                first.reset();
            }
            // The rank that is called again has another incarnation.
            awaitDown(job, "lost its link: ", "Connection reset", "another process has its place");
        }
    }

    /** Who refuses has no process any more: nobody waits half a minute for it. */
    @Test
    void shouldNameAtOnceAPeerWhoseProcessIsGone() throws IOException {
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of("reconnect.timeout", "1000000s"));
                Stranger first = member(job, 1, Verdict.WELCOME)) {
            job.rank(1).close();
            first.reset();
            awaitDown(job, "lost its link: ", "Connection reset", "Connection refused");
        }
    }

    @Test
    void shouldEndALinkThatBreaksWhereThatIsAskedFor() throws IOException {
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of("reconnect.timeout", "0s"));
                Stranger first = member(job, 1, Verdict.WELCOME)) {
            first.reset();
            awaitDown(job, "lost its link: ", "Connection reset");
            assertThat(job.rank(0).linksDown().get(1)).doesNotContain("again");
        }
    }
}
