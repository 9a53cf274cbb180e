package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Guest;
import org.parley.testbed.Guests;

/** What runs between two guests whatever their device. */
abstract class OnPairs extends OnGuests {
    private static final int STANDSTILL_MILLIS = 5000;

    private final boolean reads;

    /**
     * Tests of a kind of guests.
     *
     * @param reads whether their device does RDMA READ
     */
    OnPairs(Guests.Device device, boolean reads) {
        super(device, () -> Guests.of(2, device));
        this.reads = reads;
    }

    @Test
    void shouldHaveConnectionsOfVerbs() throws Exception {
        assertThat(pingpong("ibv_rc_pingpong")).contains("100 iters in");
    }

    @Test
    void shouldHaveDatagramsOfVerbs() throws Exception {
        assertThat(pingpong("ibv_ud_pingpong", "-s", "1024")).contains("100 iters in");
    }

    /** Several at once, at once and when the receiver is ready. */
    @Test
    void shouldMeasureOverConnections() throws Exception {
        assertThat(rows("latency bw allreduce", "rc", "8k:32k")).hasSize(9).allMatch(row -> row.endsWith("Pass"));
    }

    /** The receiver reads them where the device does that; else they are streams of SENDs. */
    @Test
    void shouldCarryLongMessages() throws Exception {
        Command.Result result = bench("latency", "rc", "64m:64m", "-i", "1", "-x", "0");

        assertThat(rows(result)).hasSize(1).allMatch(row -> row.endsWith("Pass"));
        // What is zero is not told.
        assertThat(result.err().contains("rc.registrations "))
                .as(result.toString())
                .isEqualTo(reads);
    }

    @Test
    void shouldMeasureOverDatagrams() throws Exception {
        assertThat(rows("latency", "ud", "8:2k")).hasSize(9).allMatch(row -> row.endsWith("Pass"));
    }

    @Test
    @WhenAskedFor
    void shouldMeasureOverTcp() throws Exception {
        assertThat(rows("latency", "tcp", "8:32")).hasSize(3);
    }

    @Test
    @WhenAskedFor
    void shouldKeepTheContractOfTransportsOverConnections() throws Exception {
        assertThat(contract(reads ? "rc" : "rc-without-reads")).containsPattern("[1-9][0-9] good, 0 bad");
    }

    @Test
    @WhenAskedFor
    void shouldKeepTheContractOfTransportsOverDatagrams() throws Exception {
        assertThat(contract("ud")).containsPattern("[1-9][0-9] good, 0 bad");
    }

    private String contract(String transport) throws Exception {
        return output(
                guest('a'),
                System.getProperty("java.home") + "/bin/java",
                "--add-opens",
                "java.base/jdk.internal.misc=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx160m",
                "-Dparley.test.patience=300",
                "-cp",
                System.getProperty("java.class.path"),
                "programs.Contract",
                transport);
    }

    /** As a long pause of the receiver's JVM, and as a guest that is moved to another machine. */
    @Test
    @WhenAskedFor
    void shouldLoseNothingWhileAReceiverStandsStill() throws Exception {
        try (Launch job = program("rc", "programs.Flood", "4000")) {
            awaitProgress(job);
            // Nobody in it posts a receive.
            Guest receiver = guest('b');
            receiver.run("pkill", "-STOP", "-f", "programs.Flood");
            Thread.sleep(STANDSTILL_MILLIS);
            receiver.run("pkill", "-CONT", "-f", "programs.Flood");
            awaitProgress(job);
            receiver.freeze();
            Thread.sleep(STANDSTILL_MILLIS);
            receiver.thaw();
            awaitProgress(job);
            job.in().close();
            Command.Result result = job.end(PATIENCE);

            assertThat(result.code()).as(result.toString()).isZero();
            List<String> counts = result.out()
                    .lines()
                    .filter(line -> line.contains(" messages, grown by "))
                    .map(line -> line.replaceAll(".*: (\\d+) messages.*", "$1"))
                    .toList();
            assertThat(counts).as(result.toString()).hasSize(2).containsOnly(counts.get(0));
        }
    }

    /** Waits until more has been received than up to now; fails at once where the job has ended. */
    static void awaitProgress(Launch job) {
        int before = job.out().length();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .until(() -> job.isOver() || job.out().length() > before);
        assertThat(job.isOver())
                .as("whether it is over: %s%s", job.out(), job.err())
                .isFalse();
    }
}
