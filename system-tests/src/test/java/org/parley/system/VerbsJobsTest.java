package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.parley.testbed.VerbsShim;

/** Jobs over verbs without hardware: as a device that can all, and as devices that cannot. */
class VerbsJobsTest extends OnShim {
    private static final String RC = "rc";

    static Stream<Map<String, String>> devices() {
        return Stream.of(Map.of(), Map.of("like", "pvrdma"), Map.of("like", "qemu"));
    }

    @ParameterizedTest
    @MethodSource("devices")
    void shouldCarryLongAndShortMessages(Map<String, String> device) throws Exception {
        try (VerbsShim shim = VerbsShim.of(device)) {
            assertValid(bench(shim, RC, "latency", "8k:1m"), RC, 8);
        }
    }

    @Test
    void shouldCarryManyAtOnce() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of("like", "qemu"))) {
            assertValid(bench(shim, RC, "bw", "8k:64k"), RC, 4);
        }
    }

    @Test
    void shouldTakeTcpAndSayWhyWhereTooLittleMemoryMayBeLocked() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of("memlock", "65536"))) {
            Command.Result result = ringWithoutSharedMemory(shim);

            assertThat(result.code()).as(result.toString()).isZero();
            assertThat(result.out()).contains("rank 0 got 1", "rank 1 got 0");
            assertThat(result.err()).contains("ibv_reg_mr", "ulimit -l unlimited", "tcp");
        }
    }

    @Test
    void shouldTakeTcpAndSayWhyWhereThePortIsDown() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of("port", "0"))) {
            Command.Result result = ringWithoutSharedMemory(shim);

            assertThat(result.code()).as(result.toString()).isZero();
            assertThat(result.err()).contains("port 1 of shim0 is DOWN", "tcp");
        }
    }

    @Test
    void shouldLayTransportsSideBySide() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            Command.Result result =
                    run(shim, "bench", "latency", "--compare", "rc,tcp,shm", "-i", "10", "-x", "2", "-m", "8:16");

            assertThat(result.code()).as(result.toString()).isZero();
            assertThat(result.out()).containsPattern("# Size +rc +tcp +shm +tcp/rc +shm/rc\n");
            assertThat(result.out().lines().filter(line -> !line.isBlank() && !line.startsWith("#")))
                    .hasSize(2)
                    .allMatch(line -> line.matches("(8|16) +([0-9.]+ *){5}"));
        }
    }

    @Test
    void shouldLeaveOutATransportThatLeadsNowhere() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of("port", "0"))) {
            Command.Result result =
                    run(shim, "bench", "latency", "--compare=rc,shm", "-i", "10", "-x", "2", "-m", "8:8");

            assertThat(result.code()).as(result.toString()).isEqualTo(1);
            assertThat(result.err()).contains("port 1 of shim0 is DOWN", "over rc it failed: left out");
            assertThat(result.out()).containsPattern("# Size +shm\n8 +[0-9.]+");
        }
    }

    private Command.Result ringWithoutSharedMemory(VerbsShim shim) throws Exception {
        List<String> words =
                new ArrayList<>(List.of("run", "-n", "2", "--transports", "^shm", "--display", "map", "-cp"));
        words.addAll(List.of(Launch.CLASSES, "programs.Actor", "ring"));
        return run(shim, words.toArray(String[]::new));
    }
}
