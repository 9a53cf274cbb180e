package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.JobSecret;
import org.parley.transport.Protocol;
import org.parley.transport.RankAddress;
import org.parley.transport.Strangers;
import org.parley.transport.TransportException;
import org.parley.transport.tck.Seeds;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;

/** Who calls without being of the job, or pretends to be; the job goes on. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class StrangersTest {
    private final TestJob job = new TestJob(3, TcpTransport::new, Map.of());
    private final TestRank called = job.rank(0);

    @AfterEach
    void closeJob() {
        job.close();
    }

    /** Takes the warnings that users would see. */
    private static final class Warnings extends Handler {
        private final Queue<String> texts = new ConcurrentLinkedQueue<>();

        @Override
        public void publish(final LogRecord entry) {
            if (entry.getLevel() == Level.WARNING) {
                texts.add(new SimpleFormatter().formatMessage(entry));
            }
        }

        @Override
        public void flush() {
            // Nothing is kept back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private long count(final String kind) {
        return called.transport().statistics().get("tcp.rejected." + kind);
    }

    /** Who is hung up on learns it before it is counted. */
    private void awaitCount(final String kind, final long expected) {
        TestJob.await(expected + " of " + kind, () -> count(kind) == expected, Thread::onSpinWait);
    }

    private void assertThatTheJobGoesOn() {
        job.send(1, 0, new byte[] {1, 2, 3});
        assertThat(job.take(0, 1)).containsExactly(1, 2, 3);
        job.send(0, 2, new byte[] {4});
        assertThat(job.take(2, 0)).containsExactly(4);
    }

    @Test
    void shouldTurnAwayWhoSpeaksAnotherProtocol() throws IOException {
        final byte[] tls = new byte[300];
        tls[0] = 22;
        tls[1] = 3;
        for (final byte[] noise : List.of(
                "GET / HTTP/1.1\r\nHost: here.example\r\nUser-Agent: a browser\r\n\r\n"
                        .getBytes(StandardCharsets.UTF_8),
                tls,
                new byte[1 << 20])) {
            try (Stranger stranger = new Stranger(called)) {
                stranger.say(noise);
                assertThat(stranger.isHungUpOn()).isTrue();
            }
        }
        awaitCount("noise", 3);
        assertThatTheJobGoesOn();
    }

    @Test
    void shouldHangUpOnTheSilent() throws IOException {
        try (Stranger silent = new Stranger(called);
                Stranger short7 = new Stranger(called)) {
            short7.say(new byte[7]);
            new Stranger(called).hangUp();
            assertThatTheJobGoesOn();
            assertThat(silent.isHungUpOn()).isTrue();
            assertThat(short7.isHungUpOn()).isTrue();
        }
        awaitCount("noise", 3);
    }

    /** It may be a rank whose connection was cut in the middle of its greeting. */
    @Test
    void shouldCountWhoHangsUpWithoutAWordAndWarnOnlyOfOthers() throws IOException {
        final Warnings warnings = new Warnings();
        final Logger logger = Logger.getLogger(Strangers.class.getName());
        logger.addHandler(warnings);
        try {
            final Stranger cut = new Stranger(called);
            cut.say(new byte[7]);
            cut.hangUp();
            awaitCount("noise", 1);
            try (Stranger browser = new Stranger(called)) {
                browser.say(new byte[300]);
                assertThat(browser.isHungUpOn()).isTrue();
            }
            TestJob.await("a warning", () -> !warnings.texts.isEmpty(), Thread::onSpinWait);
            assertThat(warnings.texts)
                    .singleElement()
                    .asString()
                    .contains("was turned away (it does not speak this protocol); 2 so far");
        } finally {
            logger.removeHandler(warnings);
        }
    }

    @Test
    void shouldKeepFewOfACrowdWaiting() throws IOException {
        final List<Stranger> crowd = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            crowd.add(new Stranger(called));
        }
        assertThatTheJobGoesOn();
        assertThat(crowd.get(0).isHungUpOn()).isTrue();
        assertThat(count("crowd")).isGreaterThanOrEqualTo(200 - Strangers.MOST);
        for (final Stranger one : crowd) {
            one.hangUp();
        }
    }

    /**
     * Strangers are met on another thread: who polls makes nothing for them. Of some blocks one has to be without a byte, as the JVM makes
     * strings of a class's constants once before it compiles it.
     */
    @Test
    void shouldCostWhoPollsNothing() throws IOException {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThatTheJobGoesOn();
        final int each = 30;
        final long[] allocated = new long[6];
        for (int block = 0; block < allocated.length; block++) {
            final long turnedAway = count("noise") + each;
            for (int i = 0; i < each; i++) {
                try (Stranger browser = new Stranger(called)) {
                    browser.say(new byte[300]);
                }
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int polls = 0; polls < 1000; polls++) {
                    called.poll();
                }
                allocated[block] += threads.getCurrentThreadAllocatedBytes() - before;
            }
            awaitCount("noise", turnedAway);
        }
        assertThat(allocated).as("bytes for %d strangers each", each).contains(0);
        assertThatTheJobGoesOn();
    }

    @Test
    void shouldRefuseAWrongSecret() throws IOException {
        try (Stranger stranger = new Stranger(called)) {
            final byte[] hello = Stranger.hello(called, Protocol.version(), 1);
            assertThat(stranger.greet(hello, JobSecret.create())).isEqualTo(Verdict.SECRET);
            assertThat(stranger.isHungUpOn()).isTrue();
        }
        awaitCount("secret", 1);
        assertThatTheJobGoesOn();
    }

    /** What was overheard is of no use: the challenge is new each time. */
    @Test
    void shouldRefuseWhatWasOverheard() throws IOException {
        final byte[] hello = Stranger.hello(called, Protocol.version(), 1);
        final byte[] proof;
        try (Stranger overheard = new Stranger(called)) {
            overheard.say(hello);
            proof = job.secret().proof(Handshake.CALLER, hello, overheard.hear(Greeting.BYTES));
        }
        try (Stranger stranger = new Stranger(called)) {
            stranger.say(hello);
            stranger.hearGreeting();
            stranger.say(proof);
            assertThat(stranger.hearVerdict()).isEqualTo(Verdict.SECRET);
        }
        assertThatTheJobGoesOn();
    }

    @Test
    void shouldNameItsVersionToAnother() throws IOException {
        try (Stranger stranger = new Stranger(called)) {
            stranger.say(Stranger.hello(called, Protocol.version() + 1, 1));
            final Greeting answer = stranger.hearGreeting();
            assertThat(answer.verdict()).isEqualTo(Verdict.VERSION);
            assertThat(answer.version()).isEqualTo(Protocol.version());
        }
        awaitCount("version", 1);
    }

    @Test
    void shouldRefuseRanksThatCannotBe() throws IOException {
        for (final int rank : new int[] {0, 3, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            try (Stranger stranger = new Stranger(called)) {
                stranger.say(Stranger.hello(called, Protocol.version(), rank));
                assertThat(stranger.hearGreeting().verdict())
                        .as("rank %d", rank)
                        .isEqualTo(Verdict.RANK);
            }
        }
        assertThatTheJobGoesOn();
    }

    @Test
    void shouldRefuseASecondLinkOfARank() throws IOException {
        assertThatTheJobGoesOn();
        try (Stranger stranger = new Stranger(called)) {
            final byte[] hello = Stranger.hello(called, Protocol.version(), 1);
            assertThat(stranger.greet(hello, job.secret())).isEqualTo(Verdict.DUPLICATE);
        }
        assertThatTheJobGoesOn();
    }

    // --- with the secret, but not what the protocol says ------------------------------------------

    private Stranger member() throws IOException {
        final Stranger member = new Stranger(called);
        assertThat(member.greet(Stranger.hello(called, Protocol.version(), 1), job.secret()))
                .isEqualTo(Verdict.WELCOME);
        return member;
    }

    private void awaitLinkDown() {
        TestJob.await("the end of the link", () -> called.linksDown().containsKey(1), called::poll);
    }

    private static ByteBuffer frame(final int length, final int number) {
        return ByteBuffer.allocate(16 + Math.max(0, Math.min(length, 100)))
                .order(ByteOrder.nativeOrder())
                .putInt(length)
                .putInt(number);
    }

    @Test
    void shouldNameAResetAmidAFrame() throws IOException {
        try (Stranger member = member()) {
            member.say(frame(1000, 0).array());
            TestJob.await("a part of the frame", () -> called.poll() > 0, Thread::onSpinWait);
            member.reset();
        }
        awaitLinkDown();
        assertThat(called.linksDown().get(1)).contains("Connection reset").contains("127.0.0.1:");
        assertThat(called.received()).isZero();
    }

    @Test
    void shouldNameAnEndWithoutAFarewell() throws IOException {
        member().hangUp();
        awaitLinkDown();
        assertThat(called.linksDown().get(1)).contains("end of stream");
    }

    @Test
    void shouldTakeNothingForALengthThatCannotBe() throws IOException {
        for (final int length : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 30}) {
            try (TestJob another = new TestJob(2, TcpTransport::new, Map.of());
                    Stranger member = new Stranger(another.rank(0))) {
                final byte[] hello = Stranger.hello(another.rank(0), Protocol.version(), 1);
                assertThat(member.greet(hello, another.secret())).isEqualTo(Verdict.WELCOME);
                member.say(frame(length, 0).array());
                TestJob.await(
                        "the end of the link for length " + length,
                        () -> another.rank(0).linksDown().containsKey(1),
                        another.rank(0)::poll);
                assertThat(another.rank(0).linksDown().get(1)).containsAnyOf("malformed", "longer than the longest");
            }
        }
    }

    @Test
    void shouldNameAGap() throws IOException {
        try (Stranger member = member()) {
            member.say(frame(8, 1).array());
            awaitLinkDown();
        }
        assertThat(called.linksDown().get(1)).contains("sends frame 1 where 0 is expected");
    }

    @Test
    void shouldSayWhichInterfacesThereAreWhereANameIsWrong() {
        assertThatThrownBy(() -> new TestJob(2, TcpTransport::new, Map.of("tcp.interfaces", "nothing0")))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("nothing0")
                .hasMessageContaining("127.0.0.1");
    }

    @Test
    void shouldNameEverySocketThatWasTried() throws IOException {
        final InetSocketAddress listening = RankAddress.decode("tcp", ByteBuffer.wrap(called.address()), 0)
                .sockets()
                .get(0);
        final InetSocketAddress nobody;
        try (ServerSocket closedSoon = new ServerSocket(0, 1, listening.getAddress())) {
            nobody = (InetSocketAddress) closedSoon.getLocalSocketAddress();
        }
        final byte[] address = new RankAddress(
                        RankAddress.decode("tcp", ByteBuffer.wrap(called.address()), 0)
                                .job(),
                        1,
                        List.of(nobody))
                .encode();
        called.connect(1, address);
        awaitLinkDown();
        assertThat(called.linksDown().get(1))
                .contains("cannot be connected: tried 127.0.0.1:" + nobody.getPort() + " (")
                .contains("Connection refused");
    }

    /** Whatever comes, it ends the link or is a frame; nothing else happens. */
    @Test
    void shouldSurviveRandomBytes() {
        Seeds.run(random -> {
            for (int i = 0; i < 30; i++) {
                try (TestJob another = new TestJob(2, TcpTransport::new, Map.of());
                        Stranger member = new Stranger(another.rank(0))) {
                    final byte[] hello = Stranger.hello(another.rank(0), Protocol.version(), 1);
                    assertThat(member.greet(hello, another.secret())).isEqualTo(Verdict.WELCOME);
                    final byte[] noise = new byte[random.nextInt(5000)];
                    random.nextBytes(noise);
                    if (random.nextBoolean() && noise.length > 16) {
                        // A beginning that looks well.
                        ByteBuffer.wrap(noise)
                                .order(ByteOrder.nativeOrder())
                                .putInt(random.nextInt(200))
                                .putInt(0)
                                .putInt(0)
                                .putShort((short) random.nextInt(100))
                                .putShort((short) random.nextInt(5));
                    }
                    member.say(noise);
                    member.hangUp();
                    TestJob.await(
                            "the end of the link",
                            () -> another.rank(0).linksDown().containsKey(1)
                                    || another.rank(0).transport().statistics().get("tcp.links") == 0,
                            another.rank(0)::poll);
                }
            }
        });
    }
}
