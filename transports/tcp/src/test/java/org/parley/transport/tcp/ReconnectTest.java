package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.Protocol;
import org.parley.transport.RetainingEndpoint;
import org.parley.transport.tck.Seeds;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;

/** Links that break and come back: nothing is lost, nothing comes twice, and those who cannot come back are named. */
@Timeout(value = 110, unit = TimeUnit.SECONDS)
class ReconnectTest {
    private static final byte[] SAID = {1, 2, 3};
    private static final byte[] MORE = {4, 5, 6, 7, 8, 9, 10, 11, 12};

    private static long count(final TestRank rank, final String counter) {
        return rank.transport().statistics().getOrDefault("tcp." + counter, 0L);
    }

    private static byte[] frame(final Random random, final int number) {
        final byte[] frame = new byte[4 + random.nextInt(random.nextInt(10) == 0 ? 60_000 : 500)];
        random.nextBytes(frame);
        frame[0] = (byte) number;
        return frame;
    }

    /** What has been sent and not arrived yet, from each rank to each. */
    private static final class Traffic {
        private final TestJob job;
        private final Random random;
        private final List<List<byte[]>> underWay = new ArrayList<>();
        private int sent;

        Traffic(final TestJob job, final Random random) {
            this.job = job;
            this.random = random;
            for (int i = 0; i < job.size() * job.size(); i++) {
                underWay.add(new ArrayList<>());
            }
        }

        private List<byte[]> between(final int from, final int to) {
            return underWay.get(from * job.size() + to);
        }

        void step() {
            final int from = random.nextInt(job.size());
            final int to = (from + 1 + random.nextInt(job.size() - 1)) % job.size();
            final byte[] frame = frame(random, sent);
            if (job.rank(from).send(to, frame)) {
                between(from, to).add(frame);
                sent++;
            }
            job.rank(random.nextInt(job.size())).poll();
            check();
        }

        private void check() {
            for (int from = 0; from < job.size(); from++) {
                for (int to = 0; to < job.size(); to++) {
                    while (from != to && !job.rank(to).from(from).isEmpty()) {
                        assertThat(job.rank(to).from(from).remove())
                                .as("a frame from %d at %d", from, to)
                                .isEqualTo(between(from, to).remove(0));
                    }
                    assertThat(job.rank(to).linksDown()).isEmpty();
                }
            }
        }

        void finish() {
            job.await("the rest", () -> {
                check();
                return underWay.stream().allMatch(List::isEmpty);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp.native=true", "tcp.native=false", "tcp.tls=true"})
    void shouldLoseNothingHoweverOftenLinksBreak(final String option) {
        final String[] pair = option.split("=");
        Seeds.run(random -> {
            try (TestJob job = new TestJob(
                    3,
                    TcpTransport::new,
                    Map.of("drill.interval", pair[0].equals("tcp.tls") ? "30ms" : "3ms", pair[0], pair[1]))) {
                final Traffic traffic = new Traffic(job, random);
                TestJob.await(
                        "links that broke and came back",
                        () -> count(job.rank(0), "reconnects") > 5
                                && count(job.rank(1), "reconnects") > 5
                                && count(job.rank(2), "drill.cuts") > 0
                                && count(job.rank(0), "frames.replayed") > 0,
                        traffic::step);
                traffic.finish();
            }
        });
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
