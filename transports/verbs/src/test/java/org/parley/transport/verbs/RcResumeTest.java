package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Endpoint;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;

/** Queue pairs that fail, each in a way of its own: nothing is lost, nothing comes twice, and who cannot come back is named. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class RcResumeTest {
    private static final int RETRIES_EXCEEDED = 12;
    private static final int ALL_GIDS = 15;
    private static final int LINK_LOCAL = 3;

    /** Longer than a message of the wire. */
    private static final int LONG = 60_000;

    private final List<byte[]> sent = new ArrayList<>();
    private TestJob job;

    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    @AfterEach
    void close() {
        for (final String fault : List.of("fail_send", "fail_recv", "lose_ack", "fail_longer")) {
            Shim.set(fault, 0);
        }
        Shim.set("fail_status", RETRIES_EXCEEDED);
        Shim.set("port", 1);
        Shim.set("gids", ALL_GIDS);
        if (job != null) {
            job.close();
        }
    }

    /** Two ranks with a link, over which each has sent something, and each can read the other's memory. */
    private void begin(final String... options) {
        final Map<String, String> all = new HashMap<>(Map.of("verbs.library", Shim.library(), "rc.eager.limit", "64k"));
        for (int i = 0; i < options.length; i += 2) {
            all.put(options[i], options[i + 1]);
        }
        job = new TestJob(2, RcTransport::new, all);
        for (int rank = 0; rank < 2; rank++) {
            job.send(rank, 1 - rank, new byte[] {1});
            job.take(1 - rank, rank);
        }
        final long memory = UnsafeApi.allocateMemory(1);
        for (int rank = 0; rank < 2; rank++) {
            final Endpoint endpoint = job.rank(rank).to(1 - rank);
            job.await("reads", () -> {
                final long key = endpoint.expose(memory, 1, 0);
                endpoint.conceal(key);
                return key != 0;
            });
        }
        job.await(
                "acknowledgements",
                () -> job.rank(0).to(1).isAcknowledged() && job.rank(1).to(0).isAcknowledged());
        UnsafeApi.freeMemory(memory);
    }

    private static long count(final TestRank rank, final String counter) {
        return rank.transport().statistics().getOrDefault("rc." + counter, 0L);
    }

    private void send(final int from, final byte[] frame) {
        job.send(from, 1 - from, frame);
        sent.add(frame);
    }

    /** All that one rank has sent arrives, in order, and once. */
    private void takeAll(final int to) {
        for (final byte[] frame : sent) {
            job.await("a frame", () -> !job.rank(to).from(1 - to).isEmpty() || isDown());
            assertNotDown();
            assertThat(job.rank(to).from(1 - to).remove()).isEqualTo(frame);
        }
        sent.clear();
        job.await("acknowledgements", job.rank(1 - to).to(to)::isAcknowledged);
        assertThat(job.rank(to).from(1 - to)).isEmpty();
    }

    private void assertCameBack(final int least) {
        job.await(
                "the new link",
                () -> count(job.rank(0), "reconnects") >= least && count(job.rank(1), "reconnects") >= least);
        assertNotDown();
    }

    private boolean isDown() {
        return !job.rank(0).linksDown().isEmpty() || !job.rank(1).linksDown().isEmpty();
    }

    private void assertNotDown() {
        assertThat(job.rank(0).linksDown()).isEmpty();
        assertThat(job.rank(1).linksDown()).isEmpty();
    }

    // --- each status, at the sender, and at the receiver ----------------------------------------------

    /** Queue pair operation (a port that is down, on Soft-RoCE), flushed, bad response, remote operation, retries, RNR retries, aborted, fatal, timeout, general. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 7, 11, 12, 13, 16, 19, 20, 21})
    void shouldGoOnAfterWhatMayPass(final int status) {
        begin();
        Shim.set("fail_status", status);
        for (final String fault : List.of("fail_send", "fail_recv")) {
            for (int nth = 1; nth <= 3; nth++) {
                Shim.set(fault, nth);
                for (int i = 0; i < 20; i++) {
                    send(0, Pattern.bytes(i, i % 5 == 0 ? LONG : 100 + i));
                }
                takeAll(1);
            }
        }
        assertCameBack(6);
        assertThat(count(job.rank(0), "frames.replayed")).isPositive();
    }

    /** Length, protection, access, invalid request, remote access: it would be so again. */
    @ParameterizedTest
    @CsvSource({
        "1,local length error",
        "4,local protection error",
        "8,local access error",
        "9,remote invalid request error",
        "10,remote access error"
    })
    void shouldNameWhatAnotherLinkWouldNotMend(final int status, final String text) {
        for (final String fault : List.of("fail_send", "fail_recv")) {
            begin();
            Shim.set("fail_status", status);
            Shim.set(fault, 1);
            job.send(0, 1, new byte[100]);
            final int who = fault.equals("fail_send") ? 0 : 1;
            job.await(
                    "the end of the link",
                    () -> job.rank(0).linksDown().containsKey(1)
                            && job.rank(1).linksDown().containsKey(0));
            assertThat(job.rank(who).linksDown().get(1 - who)).contains("lost its link: ", text);
            assertThat(count(job.rank(who), "reconnects")).isZero();
            job.close();
        }
        job = null;
    }

    /** The device has delivered, and tells its sender that it has not. */
    @Test
    void shouldDropWhatComesAgainBecauseOfALostAcknowledgement() {
        begin();
        for (int i = 0; i < 10; i++) {
            final long before = count(job.rank(1), "duplicates.dropped");
            Shim.set("lose_ack", 1);
            send(0, Pattern.bytes(i, 1000));
            job.await("the frame", () -> !job.rank(1).from(0).isEmpty());
            takeAll(1);
            job.await("the new link", () -> Shim.get("lose_ack") <= 0);
            assertThat(count(job.rank(1), "duplicates.dropped") - before).isLessThanOrEqualTo(1);
        }
        assertCameBack(10);
    }

    @Test
    void shouldGoOnWhereBothEndsFailAtOnce() {
        begin();
        for (int round = 0; round < 20; round++) {
            // The receiver refuses, which ends both queue pairs, and both call.
            Shim.set("fail_recv", 1 + round % 3);
            send(round % 2, Pattern.bytes(round, LONG));
            send(round % 2, Pattern.bytes(round + 1, 10));
            takeAll(1 - round % 2);
        }
        assertCameBack(20);
    }

    // --- what is under way ---------------------------------------------------------------------------

    @Test
    void shouldTakeClaimsWhileThereIsNoLink() {
        begin();
        Shim.set("port", 0);
        Shim.set("fail_send", 1);
        send(0, Pattern.bytes(0, 100));
        job.await("the outage", () -> count(job.rank(0), "links") == 0);
        int committed = 0;
        while (job.rank(0).send(1, Pattern.bytes(committed, LONG))) {
            sent.add(Pattern.bytes(committed++, LONG));
        }
        assertThat(committed).as("frames that the window takes").isGreaterThan(10);
        assertThat(job.rank(0).to(1).claim(LONG)).isEqualTo(Endpoint.BACK_PRESSURED);
        Shim.set("port", 1);
        takeAll(1);
        assertCameBack(1);
    }

    /** A migrated machine has other addresses. */
    @Test
    void shouldUseTheAddressesThatThePortHasNow() {
        begin();
        for (final int gids : new int[] {LINK_LOCAL, ALL_GIDS}) {
            Shim.set("gids", gids);
            Shim.set("fail_send", 1);
            send(0, Pattern.bytes(gids, LONG));
            takeAll(1);
        }
        assertCameBack(2);
    }

    @Test
    void shouldFetchAllThoughReadsAreCutAgainAndAgain() {
        begin();
        final int length = 64 << 20;
        final long source = UnsafeApi.allocateMemory(length);
        final long target = UnsafeApi.allocateMemory(length);
        Pattern.fill(5, source, length);
        final long key = job.rank(0).to(1).expose(source, length, 0);
        assertThat(key).isNotZero();
        for (int round = 1; round <= 4; round++) {
            UnsafeApi.setMemory(target, length, (byte) 0);
            final long reconnects = count(job.rank(1), "reconnects");
            Shim.set("fail_send", 7 * round);
            final long token = round;
            assertThat(job.rank(1).get(0, source, key, target, length, token)).isZero();
            job.await("a break", () -> count(job.rank(1), "reconnects") > reconnects);
            job.await("the fetch", () -> job.rank(1).hasEnded(token));
            assertThat(job.rank(1).failureOf(token)).isNull();
            assertThat(Pattern.mismatch(5, target, length)).isNegative();
        }
        job.rank(0).to(1).conceal(key);
        job.close();
        job = null;
        UnsafeApi.freeMemory(source);
        UnsafeApi.freeMemory(target);
    }

    /** What it has committed, its peer may wait for. */
    @Test
    void shouldComeBackWhileARankComputes() {
        begin();
        Shim.set("fail_send", 1);
        assertThat(job.rank(1).send(0, Pattern.bytes(1, LONG))).isTrue();
        TestJob.await("the frame", () -> !job.rank(0).from(1).isEmpty(), job.rank(0)::poll);
        assertThat(job.rank(0).from(1).remove()).isEqualTo(Pattern.bytes(1, LONG));
        assertCameBack(1);
    }

    // --- who does not come back ----------------------------------------------------------------------

    @Test
    void shouldNameOnBothSidesWhatBrokeWhereThePortStaysAway() {
        begin("reconnect.timeout", "1s");
        Shim.set("port", 0);
        Shim.set("fail_send", 1);
        job.send(0, 1, new byte[100]);
        job.await(
                "both ends",
                () -> job.rank(0).linksDown().containsKey(1)
                        && job.rank(1).linksDown().containsKey(0));
        assertThat(job.rank(0).linksDown().get(1))
                .contains("lost its link: ", "transport retry counter exceeded", "cannot be connected again");
        assertThat(job.rank(1).linksDown().get(0)).contains("lost its link: ", "cannot be connected again");
    }

    /** First words pass, and nothing longer, as where switches do not take the MTU that ports promise. */
    @Test
    void shouldNotTryForEverWhereNothingLongPasses() {
        begin("reconnect.timeout", "1s");
        Shim.set("fail_longer", 200);
        job.send(0, 1, new byte[1000]);
        job.await(
                "the end of the link",
                () -> job.rank(0).linksDown().containsKey(1)
                        && job.rank(1).linksDown().containsKey(0));
        assertThat(job.rank(0).linksDown().get(1)).contains("lost its link: ", "transport retry counter exceeded");
    }

    /** Nobody waits for a process that is no more. */
    @Test
    void shouldNameAtOnceAPeerThatEndsMeanwhile() {
        begin("reconnect.timeout", "1000000s");
        Shim.set("port", 0);
        Shim.set("fail_send", 1);
        job.send(0, 1, new byte[100]);
        job.await("the outage", () -> count(job.rank(0), "links") == 0 && count(job.rank(1), "links") == 0);
        job.rank(1).close();
        TestJob.await("the end of the link", () -> job.rank(0).linksDown().containsKey(1), job.rank(0)::poll);
        assertThat(job.rank(0).linksDown().get(1))
                .contains("lost its link: ", "transport retry counter exceeded", "Connection refused");
    }

    @Test
    void shouldEndALinkThatBreaksWhereThatIsAskedFor() {
        begin("reconnect.timeout", "0s");
        Shim.set("fail_send", 1);
        job.send(0, 1, new byte[100]);
        job.await(
                "both ends",
                () -> job.rank(0).linksDown().containsKey(1)
                        && job.rank(1).linksDown().containsKey(0));
        assertThat(job.rank(0).linksDown().get(1))
                .contains("lost its link: ", "transport retry counter exceeded")
                .doesNotContain("again");
    }
}
