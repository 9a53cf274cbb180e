package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.testbed.VerbsShim;

/** Ranks that go on without one that has gone, over verbs, whose links tell of a death in their own ways, or not at all. */
class VerbsSurvivorsTest extends OnShim {
    @ParameterizedTest
    @ValueSource(strings = {"rc", "ud"})
    void shouldGoOnWithoutARankThatHasGone(String transport) throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            Command.Result result = run(
                    shim,
                    "run",
                    "--ft",
                    "continue",
                    "-n",
                    "4",
                    "--transports",
                    "self," + transport,
                    "-cp",
                    Launch.CLASSES,
                    "programs.Survivor",
                    "1",
                    "all-reduce",
                    "halt",
                    "all-reduce");

            assertThat(result.code()).as(result.toString()).isZero();
            for (int rank : new int[] {0, 2, 3}) {
                assertThat(result.out()).contains("rank " + rank + ": 3 are left, sum 5");
            }
            assertThat(result.err()).contains("parley: 1 of 4 ranks has failed:", "\n    rank 1 on ");
        }
    }
}
