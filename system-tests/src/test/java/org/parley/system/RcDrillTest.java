package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.parley.testbed.VerbsShim;

/** Jobs over queue pairs that are broken again and again end right: as a device that reads, and as one that has only sends. */
class RcDrillTest extends OnShim {
    static Stream<Map<String, String>> devices() {
        return Stream.of(Map.of(), Map.of("like", "qemu"));
    }

    @ParameterizedTest
    @MethodSource("devices")
    void shouldLoseNothingOfWhatIsUnderWay(Map<String, String> device) throws Exception {
        try (VerbsShim shim = VerbsShim.of(device)) {
            DrillTest.assertRehearsed(run(
                    shim,
                    "run",
                    "-n",
                    "2",
                    "--drill",
                    "50ms",
                    "--transports",
                    "rc",
                    "-cp",
                    Launch.CLASSES,
                    "programs.Rehearsal",
                    "3"));
        }
    }

    @Test
    void shouldKeepEachPayloadOfABenchmark() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            Command.Result result =
                    run(shim, "bench", "bw", "--transports", "rc", "--validate", "-m", "8:1m", "--drill", "50ms");

            assertThat(result.code()).as(result.toString()).isZero();
            assertThat(result.err()).containsPattern("parley: drill: [1-9]\\d* links broken");
            assertThat(result.out().lines().filter(line -> !line.isBlank() && !line.startsWith("#")))
                    .isNotEmpty()
                    .allMatch(line -> line.endsWith("Pass"));
        }
    }
}
