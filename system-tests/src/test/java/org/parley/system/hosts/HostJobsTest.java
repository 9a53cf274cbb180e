package org.parley.system.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Network;

/** What runs on one host runs on several. */
class HostJobsTest extends OnHosts {
    private static final int HOSTS = 8;

    HostJobsTest() {
        super(HOSTS, Network.Addressing.IPV4);
    }

    /** Returns so many hosts, one slot each. */
    private String first(int hosts) {
        return IntStream.range(0, hosts).mapToObj(i -> network().host(i).name()).collect(Collectors.joining(","));
    }

    private static List<String> rows(Command.Result result) {
        return result.out()
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }

    /** A few rounds of some sizes, each payload checked; hosts of one machine would all bind to its first processor. */
    private Command.Result bench(int hosts, String name, String sizes) throws Exception {
        List<String> words = new ArrayList<>(List.of(name, "-i", "10", "-x", "2", "--bind-to", "none"));
        if (!sizes.isEmpty()) {
            words.addAll(List.of("-c", "-m", sizes));
        }
        return run("bench", first(hosts), words.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldMeasurePairsAndReductions(int hosts) throws Exception {
        assertThat(rows(bench(hosts, hosts == 2 ? "latency" : "multi_lat", "32k:128k")))
                .hasSize(3);
        assertThat(rows(bench(hosts, "allreduce", "32k:128k"))).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"multi_lat", "bw", "bibw", "mbw_mr", "bcast", "reduce"})
    void shouldRunEachBenchmark(String name) throws Exception {
        assertThat(rows(bench(2, name, "32k:128k"))).hasSize(3);
    }

    /** More than the machine has cores for: each takes its time to start, and to answer others. */
    @Test
    void shouldStartManyRanks() throws Exception {
        String hosts = first(HOSTS).replace(",", ":2,") + ":2";
        Command.Result result = run("run", hosts, "-cp", Launch.CLASSES, "programs.Actor", "barrier");

        assertThat(result.out().lines()).hasSize(2 * HOSTS).contains("rank 15: barrier");
    }

    @Test
    void shouldMeasureOverSharedMemoryAndTcp() throws Exception {
        Files.writeString(network().file("hosts"), "node-b slots=2\nnode-c slots=2\n");
        try (Launch job = Launch.on(
                network().host(0),
                folder,
                "bench",
                "--set",
                "launch.ssh=" + Network.SSH,
                "--hostfile",
                Network.FOLDER + "/hosts",
                "-n",
                "4",
                "--display",
                "map",
                "allreduce",
                "-c",
                "-m",
                "4:4k",
                "-i",
                "10",
                "-x",
                "2",
                "--bind-to",
                "none")) {
            Command.Result result = job.end();

            assertGood(result);
            assertThat(rows(result)).hasSize(11).allMatch(row -> row.endsWith("Pass"));
            assertThat(result.err()).contains("shm", "tcp");
        }
    }

    @Test
    void shouldMeasureWhatIsEncrypted() throws Exception {
        Command.Result result = run(
                "bench",
                first(2),
                "latency",
                "--set",
                "tcp.tls=true",
                "-c",
                "-m",
                "1k:128k",
                "-i",
                "10",
                "-x",
                "2",
                "--bind-to",
                "none");

        assertThat(rows(result)).hasSize(8).allMatch(row -> row.endsWith("Pass"));
    }

    @Test
    void shouldRunTheBenchmarkWithoutSizes() throws Exception {
        assertThat(rows(bench(2, "barrier", ""))).hasSize(1);
    }

    @Test
    void shouldUseSharedMemoryOnAHostAndTcpBetweenHosts() throws Exception {
        String ring = "programs.Actor";
        Command.Result result =
                run("run", "node-b:2,node-c:2", "--display", "map", "-cp", Launch.CLASSES, ring, "ring");

        assertThat(result.out().lines())
                .containsExactlyInAnyOrder(
                        "rank 0: ring",
                        "rank 1: ring",
                        "rank 2: ring",
                        "rank 3: ring",
                        "rank 0 got 3",
                        "rank 1 got 0",
                        "rank 2 got 1",
                        "rank 3 got 2");
        assertThat(result.err()).contains("node-b", "node-c", "shm", "tcp");
    }

    @Test
    void shouldNotConfuseJobsAtOneTime() throws Exception {
        try (Launch one = program("node-b,node-c", "programs.Exchange", "100");
                Launch other = program("node-c,node-b", "programs.Exchange", "300")) {
            one.awaitOut("round 100\n");
            other.awaitOut("round 100\n");

            assertGood(finish(one));
            other.say("");
            assertGood(finish(other));
            assertThat(one.out()).contains("rank 0: ", "rank 1: ");
            assertThat(other.out()).contains("rank 0: ", "rank 1: ");
        }
    }
}
