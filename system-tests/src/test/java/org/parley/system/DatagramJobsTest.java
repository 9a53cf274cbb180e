package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.testbed.VerbsShim;

/** Jobs over RDMA's datagrams, without hardware: where all arrive, and where many do not. */
class DatagramJobsTest extends OnShim {
    private static final String UD = "ud";

    private static final Map<String, String> LOSSY =
            Map.of("drop_percent", "3", "duplicate_percent", "3", "overtake_percent", "3");

    static Stream<Map<String, String>> devices() {
        return Stream.of(Map.of(), Map.of("like", "qemu"), LOSSY);
    }

    @ParameterizedTest
    @MethodSource("devices")
    void shouldCarryLongAndShortMessages(Map<String, String> device) throws Exception {
        try (VerbsShim shim = VerbsShim.of(device)) {
            assertValid(bench(shim, UD, "latency", "8k:64k"), UD, 4);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bw", "bibw"})
    void shouldCarryManyAtOnceAlthoughSomeAreLost(String name) throws Exception {
        try (VerbsShim shim = VerbsShim.of(LOSSY)) {
            assertValid(bench(shim, UD, name, "8k:64k"), UD, 4);
        }
    }

    @Test
    void shouldReduceOverManyRanks() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of("drop_percent", "1"))) {
            assertValid(bench(shim, UD, "allreduce", "1k:16k", "-n", "4"), UD, 5);
        }
    }

    @Test
    void shouldCountWhatWasLostAndCameTwice() throws Exception {
        try (VerbsShim shim = VerbsShim.of(LOSSY)) {
            Command.Result result = bench(shim, UD, "bw", "64k:64k", "-v");

            assertValid(result, UD, 1);
            assertThat(result.err())
                    .containsPattern("ud.retransmits [1-9]")
                    .containsPattern("ud.duplicates.dropped [1-9]")
                    .containsPattern("ud.overtaking.held [1-9]");
        }
    }

    /** Wide is more than one rank here. */
    @ParameterizedTest
    @CsvSource({"1,ud.datagrams.sent", "2,rc.work.requests"})
    void shouldPreferDatagramsInWideJobs(String ranks, String expected) throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            Command.Result result = run(
                    shim,
                    "run",
                    "-n",
                    "2",
                    "--transports",
                    "^shm",
                    "--set",
                    "ud.ranks=" + ranks,
                    "-v",
                    "-cp",
                    Launch.CLASSES,
                    "programs.Actor",
                    "ring");

            assertThat(result.code()).as(result.toString()).isZero();
            assertThat(result.out()).contains("rank 0 got 1", "rank 1 got 0");
            assertThat(result.err()).contains(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "qemu"})
    void shouldLoseNothingInADrill(String like) throws Exception {
        try (VerbsShim shim = VerbsShim.of(like.isEmpty() ? Map.of() : Map.of("like", like))) {
            DrillTest.assertRehearsed(drill(shim, "run", "-cp", Launch.CLASSES, "programs.Rehearsal", "1"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "allreduce", "bibw"})
    void shouldMeasureWhatIsRightInADrill(String name) throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            Command.Result result = drill(shim, "bench", name, "-c", "-i", "500", "-x", "2", "-m", "64:8k");

            assertValid(result, UD, 8);
            assertThat(result.err()).containsPattern("parley: drill: [1-9][0-9]* links broken");
        }
    }

    /** Runs {@code parley} over datagrams, whose queue pairs are lost again and again. */
    private Command.Result drill(VerbsShim shim, String command, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of("-n", "2", "--drill", "100ms", "--transports", "self,ud", "--bind-to", "none"));
        line.addAll(List.of(words));
        return run(shim, line.toArray(String[]::new));
    }
}
