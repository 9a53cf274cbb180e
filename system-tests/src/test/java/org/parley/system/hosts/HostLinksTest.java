package org.parley.system.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Host;
import org.parley.testbed.Network;

/** Networks as they are: with ways that lead nowhere, cables that are cut, and slow ones. */
class HostLinksTest extends OnHosts {
    private static final String PAIR = "node-b,node-c";

    HostLinksTest() {
        super(3, Network.Addressing.IPV4);
    }

    private Runnable repair = () -> {};

    @AfterEach
    void repair() {
        repair.run();
        repair = () -> {};
    }

    private void assertThatARingRuns(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(List.of("-cp", Launch.CLASSES, "programs.Actor", "ring"));
        Command.Result result = run("run", PAIR, words.toArray(String[]::new));
        assertThat(result.out()).contains("rank 0 got 1", "rank 1 got 0");
    }

    @Test
    void shouldNameTheHostThatNoWayLeadsTo() throws Exception {
        host('b').loseRouteTo(host('c'));
        repair = () -> host('b').regainRouteTo(host('c'));
        try (Launch job = program(PAIR, "programs.Actor", "ring")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(block(result)).contains("node-b", "node-c", host('c').address(), "No route to host");
        }
    }

    @Test
    void shouldNameTheHostThatIsNotReachedBeforeAJob() throws Exception {
        host('b').loseRouteTo(host('c'));
        repair = () -> host('b').regainRouteTo(host('c'));
        try (Launch job = start("run", PAIR, "--preflight")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.out())
                    .containsPattern("node-c .*failed: not reached from node-b \\("
                            + host('c').address());
        }
    }

    @Test
    void shouldFindTheInterfaceThatLeadsToTheOther() throws Exception {
        host('b').addDeadEnd("eth1", "10.99.0.1/24");
        host('c').addDeadEnd("eth1", "10.99.0.2/24");
        repair = () -> {
            host('b').remove("eth1");
            host('c').remove("eth1");
        };
        assertThatARingRuns();
    }

    /** Machines of one image have it often: the same address, on each. */
    @Test
    void shouldNotTakeItselfForTheOther() throws Exception {
        host('b').addDeadEnd("eth1", "192.168.1.1/24");
        host('c').addDeadEnd("eth1", "192.168.1.1/24");
        repair = () -> {
            host('b').remove("eth1");
            host('c').remove("eth1");
        };
        assertThatARingRuns();
    }

    @Test
    void shouldNotListenOnABridgeOfContainers() throws Exception {
        host('b').addBridge("docker0", "172.17.0.1/16");
        host('c').addBridge("docker0", "172.17.0.1/16");
        repair = () -> {
            host('b').remove("docker0");
            host('c').remove("docker0");
        };
        try (Launch job = program(PAIR, "programs.Exchange", "100")) {
            job.awaitOut("round 0\n");
            for (char letter : new char[] {'b', 'c'}) {
                assertThat(host(letter).run("ss", "-Htln"))
                        .contains(host(letter).address())
                        .doesNotContain("172.17.0.1");
            }
            assertGood(finish(job));
        }
    }

    @Test
    void shouldEncryptBetweenHosts() throws Exception {
        assertThatARingRuns("--set", "tcp.tls=true");
    }

    /** Some 10 s where nothing else runs, for memory and wire are filled once and read once: more than most tests take. */
    @Test
    @Timeout(value = 6, unit = TimeUnit.MINUTES)
    void shouldCarryMoreThanTwoGibibytes() throws Exception {
        long bytes = (1L << 31) + 8 * 37;
        assumeTrue(availableBytes() > 3 * bytes, "needs " + 3 * bytes + " bytes of free memory");
        try (Launch job = start("run", PAIR, "-cp", Launch.CLASSES, "programs.Large", String.valueOf(bytes))) {
            assertGood(job.end(Duration.ofMinutes(5)));
        }
    }

    private static long availableBytes() throws Exception {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst()
                .orElse(0);
    }

    @Test
    void shouldNotNoticeAPartitionOfThreeSeconds() throws Exception {
        try (Launch job = program(PAIR, "programs.Exchange", "10000")) {
            job.awaitOut("round 100\n");
            host('c').isolate();
            repair = host('c')::rejoin;
            awaitRetransmission(host('b'), host('c'));
            TimeUnit.SECONDS.sleep(3);
            repair();

            // What is asked for now is answered by a round to come.
            String before = job.out();
            job.say("");
            await().atMost(Launch.PATIENCE).until(() -> job.out().length() > before.length());
            Command.Result result = finish(job);
            assertGood(result);
            assertThat(result.err()).doesNotContain("FAILED");
        }
    }

    /** Waits until one has sent again: which of them had something under way is chance, and the other stays silent. */
    private static void awaitRetransmission(Host one, Host other) {
        await().atMost(Launch.PATIENCE).until(() -> hasRetransmitted(one, other) || hasRetransmitted(other, one));
    }

    private static boolean hasRetransmitted(Host from, Host to) {
        return from.run("ss", "-Htin", "dst", to.address()).contains("retrans:");
    }

    /** Cut off from the launcher, too: nobody can tell the ranks there, and still they end. */
    @Test
    void shouldEndOnBothSidesOfALongPartition() throws Exception {
        try (Launch job = program(PAIR, "programs.Exchange", "10000")) {
            job.awaitOut("round 100\n");
            host('c').isolate();
            repair = host('c')::rejoin;
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(block(result)).contains("node-c");
            // Still cut off.
            awaitQuiet(host('c'));
            awaitQuiet(host('b'));
        }
    }

    /** Hosts that all hear the launcher, but not each other. */
    @Test
    void shouldEndWhenOnlyTheRanksAreApart() throws Exception {
        try (Launch job = program(PAIR, "programs.Exchange", "10000")) {
            job.awaitOut("round 100\n");
            host('b').cut(host('c'));
            repair = () -> host('b').heal(host('c'));
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(block(result)).contains("node-c").contains("node-b");
        }
    }

    @Test
    void shouldHoldBackASenderOnASlowLink() throws Exception {
        host('b').slow("4mbit");
        repair = host('b')::fullSpeed;
        try (Launch job = program(PAIR, "programs.Flood", "1000")) {
            job.awaitOut("received 2000\n");
            Command.Result result = finish(job);

            assertGood(result);
            Matcher grown = Pattern.compile("grown by (-?\\d+) kB").matcher(result.out());
            for (int rank = 0; rank < 2; rank++) {
                assertThat(grown.find()).isTrue();
                assertThat(Long.parseLong(grown.group(1))).isLessThan(64 << 10);
            }
        }
    }
}
