package org.parley.launcher.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What jobs say, and what the doctor makes of it; a script in Parley's place says it. */
class PairLayersTest {
    private static final String HOST = "node7";
    private static final PortFacts PORT =
            new PortFacts("mlx5_0 port 1, RoCE v2, GID 10.1.0.7 (index 3), MTU 4096", 9000);
    private static final VerbsProbe VERBS = new VerbsProbe(true, PORT.text());
    private static final long LINK = 100_000_000_000L;

    @TempDir
    Path folder;

    private Jobs jobs(String script) throws IOException {
        Path parley = folder.resolve("parley");
        Files.writeString(parley, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(parley, PosixFilePermissions.fromString("rwx------"));
        return new Jobs(parley, List.of("--set", "a=b"), 30);
    }

    private static List<Code> codes(Examined examined) {
        return examined.findings().stream().map(Finding::code).toList();
    }

    private static String bench(String rcLatency, String bandwidth, String tcpLatency) {
        return "case \"$*\" in *tcp*) value='\"latency_us\":" + tcpLatency + "' ;; *latency*) value='\"latency_us\":"
                + rcLatency + "' ;; *) value='\"bandwidth_mb_s\":" + bandwidth + "' ;; esac\n"
                + "echo \"{\\\"results\\\":[{$value}]}\"";
    }

    @Test
    void shouldFindConnectionsSound() throws IOException {
        assertThat(TransportLayer.toItself(jobs("exit 0"), HOST).facts())
                .containsExactly("RC connects two processes", "UD connects two processes");
        Examined pair = TransportLayer.to("node8", jobs("exit 0"), HOST, PORT, PORT);
        assertThat(pair.where()).isEqualTo("node7 and node8");
        assertThat(pair.findings()).isEmpty();
    }

    @Test
    void shouldAskForTheseHosts() throws IOException {
        Jobs jobs = jobs(
                "case \"$*\" in 'perf --timeout 30 --host localhost:1,node8:1 --set a=b send_lat '*) ;; *) exit 9 ;; esac");

        assertThat(TransportLayer.to("node8", jobs, HOST, PORT, PORT).isBroken())
                .isFalse();
    }

    @Test
    void shouldSayWhyADeviceDoesNotConnect() throws IOException {
        Examined examined = TransportLayer.toItself(
                jobs(
                        "echo 'parley: x' >&2; echo 'FAILED  rank 1 of 2' >&2; echo '        ibv_modify_qp: EINVAL' >&2; exit 1"),
                HOST);

        assertThat(codes(examined)).containsExactly(Code.D401, Code.D401);
        assertThat(examined.findings().get(0).seen()).isEqualTo("RC: rank 1 of 2: ibv_modify_qp: EINVAL");
    }

    @Test
    void shouldTellTwoHostsThatDoNotConnectFromAConnectionThatIsLost() throws IOException {
        Examined never = TransportLayer.to(
                "node8", jobs("echo 'transport retry counter exceeded' >&2; exit 1"), HOST, PORT, PORT);
        assertThat(codes(never)).containsExactly(Code.D402, Code.D402);
        assertThat(never.findings().get(0).seen()).contains("here mlx5_0 port 1", "there mlx5_0");

        Examined lost = TransportLayer.to(
                "node8",
                jobs("case \"$*\" in *RC*) exit 0 ;; esac; echo 'transport retry counter exceeded' >&2; exit 1"),
                HOST,
                PORT,
                PORT);
        assertThat(codes(lost)).containsExactly(Code.D404);
    }

    @Test
    void shouldLayFiguresBesideWhatIsExpected() throws IOException {
        Examined sound = MessageLayer.examine("node8", jobs(bench("3", "9000", "31")), HOST, VERBS, LINK);

        assertThat(sound.findings()).isEmpty();
        assertThat(sound.facts().get(0)).contains("9000 MB/s, 72 % of the link");
        assertThat(sound.facts().get(1)).contains("10.3 times below");
    }

    @Test
    void shouldFindWhatIsSlowAndLookAtTheMtuFirst() throws IOException {
        Jobs slow = jobs(bench("20", "1000", "31"));

        Examined examined = MessageLayer.examine("node8", slow, HOST, VERBS, LINK);
        assertThat(codes(examined)).containsExactly(Code.D501, Code.D502);
        assertThat(examined.findings().get(0).fix()).contains("MTU is 4096; then queue depth");
        VerbsProbe small = new VerbsProbe(true, PORT.text().replace("4096", "1024"));
        assertThat(MessageLayer.examine("node8", slow, HOST, small, LINK)
                        .findings()
                        .get(0)
                        .fix())
                .startsWith("MTU first: it is 1024");
    }

    @Test
    void shouldExpectNothingOfSoftware() throws IOException {
        assertThat(MessageLayer.examine("", jobs(bench("900", "10", "100")), HOST, VERBS, 0)
                        .findings())
                .isEmpty();
    }

    @Test
    void shouldFindBenchmarksThatFailOrSayNothing() throws IOException {
        assertThat(codes(MessageLayer.examine("", jobs("echo broken >&2; exit 3"), HOST, VERBS, LINK)))
                .containsExactly(Code.D503);
        assertThat(codes(MessageLayer.examine("", jobs("echo hello"), HOST, VERBS, LINK)))
                .containsExactly(Code.D503);
    }
}
