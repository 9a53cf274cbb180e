package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a drill came to is told once, also where there was nothing to break. */
class TalliesTest {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final Output output =
            new Output(new ByteArrayOutputStream(), said, false, new Output.Style(false, null), new Output.Listener() {
                @Override
                public void closed(String why) {
                    // Nobody waits for it.
                }

                @Override
                public void ended() {
                    // Nobody waits for it.
                }
            });

    private String told(boolean isDrill, String... counters) {
        Tallies tallies = new Tallies(output, false, isDrill);
        for (int rank = 0; rank < counters.length; rank++) {
            tallies.left(rank, counters[rank]);
        }
        tallies.sayDrill();
        return said.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldAddUpWhatAllRanksBroke() {
        assertThat(told(
                        true,
                        "tcp.drill.cuts 2, tcp.drill.interval.us 100, tcp.stall.longest.ms 7",
                        "tcp.drill.cuts 3, tcp.drill.interval.us 100, tcp.stall.longest.ms 5"))
                .startsWith("parley: drill: 5 links broken, ")
                .endsWith("longest stall 7 ms\n");
    }

    @Test
    void shouldSayThatThereWasNothingToBreak() {
        assertThat(told(true, "shm.frames 5", ""))
                .startsWith("parley: drill: 0 links broken: no pair of ranks has a link that can be broken")
                .contains("--transports tcp")
                .hasLineCount(1);
    }

    @Test
    void shouldSayNothingWithoutADrillOrWithoutWordOfARank() {
        assertThat(told(false, "shm.frames 5")).isEmpty();
        assertThat(told(true)).isEmpty();
    }
}
