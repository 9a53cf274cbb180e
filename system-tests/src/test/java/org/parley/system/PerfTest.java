package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.testbed.VerbsShim;

/** {@code parley perf} over verbs without hardware. */
class PerfTest {
    private static final String HEADER = " #bytes ";

    @TempDir
    Path folder;

    @BeforeAll
    static void hasVerbs() {
        Optional<String> lack = VerbsShim.lacks();
        assumeTrue(lack.isEmpty(), lack.orElse(""));
    }

    private Command.Result perf(Map<String, String> device, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of("perf", "--transports", "shm"));
        line.addAll(List.of(words));
        try (VerbsShim shim = VerbsShim.of(device);
                Launch job = Launch.parley(folder, shim.environment(), line.toArray(String[]::new))) {
            return job.end();
        }
    }

    private static List<String> rows(Command.Result result, int count) {
        assertThat(result.code()).as(result.err()).isZero();
        List<String> lines = result.out().lines().toList();
        assertThat(lines).hasSize(count + 1);
        assertThat(lines.get(0)).startsWith(HEADER);
        return lines.subList(1, lines.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"send_lat", "send_bw", "write_lat", "write_bw", "read_lat", "read_bw"})
    void shouldMeasureTheVerbsOfADevice(String name) throws Exception {
        Command.Result result = perf(Map.of(), name, "-n", "200", "-s", "20k");

        assertThat(rows(result, 1).get(0)).matches(" 20480 +200 .*");
        assertThat(result.err())
                .contains("shim0 port 1")
                .contains("20480 bytes, per message: ")
                .contains(" 1.00 work requests");
    }

    @Test
    void shouldMeasureDatagramsOfEverySize() throws Exception {
        List<String> rows = rows(perf(Map.of("mtu", "1024"), "send_lat", "-c", "UD", "-a", "-n", "100"), 10);

        assertThat(rows.get(0)).matches(" 2 +100 .*");
        assertThat(rows.get(9)).matches(" 1024 +100 .*");
    }

    @Test
    void shouldPostAListWithOneDoorbell() throws Exception {
        Command.Result result = perf(Map.of(), "send_bw", "-s", "8", "-n", "1600", "-l", "16");

        rows(result, 1);
        assertThat(result.err())
                .contains("8 bytes, per message: 0.06 doorbells, 1.00 work requests", " 0.00 bytes allocated");
    }

    @Test
    void shouldMeasureAnAdapterThatTakesNothingInline() throws Exception {
        Command.Result result = perf(Map.of("like", "qemu"), "send_lat", "-n", "200");

        rows(result, 1);
        assertThat(result.err()).contains("inline to 0 bytes");
    }

    @Test
    void shouldNotWaitForEverForAWriteThatBecameASend() throws Exception {
        Command.Result result = perf(Map.of("like", "qemu"), "write_lat", "-n", "200", "--set", "silence.timeout=10s");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("nothing has come from rank", "may turn RDMA WRITE and READ into a SEND");
    }

    @Test
    void shouldNameWhatFailed() throws Exception {
        Command.Result result = perf(Map.of("fail_send", "30000"), "send_bw", "-s", "8", "-n", "20000");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("a work request ended with \"transport retry counter exceeded\" on shim0");
    }

    @Test
    void shouldSayWhichDevicesThereAre() throws Exception {
        Command.Result result = perf(Map.of(), "send_lat", "-d", "mlx5_0");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("parley perf: shim0 is not -d mlx5_0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send_lot | there is no test send_lot; the nearest is send_lat",
                "send_lat -a -s 8 | -a and -s exclude each other",
                "write_lat -c UD | datagrams are sent, neither written nor read",
                "send_bw -l 100 | -l is 100, must be at most half of -q, and 64",
                "send_lat -z | unknown argument '-z'",
            })
    void shouldSayWhatIsWrongOnce(String line) throws Exception {
        String[] parts = line.split(" \\| ");
        Command.Result result = perf(Map.of(), parts[0].split(" "));

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).containsOnlyOnce(parts[1]);
        assertThat(result.out()).isEmpty();
    }
}
