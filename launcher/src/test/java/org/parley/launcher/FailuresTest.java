package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FailuresTest {
    @Test
    void shouldShortenRunsOfRanks() {
        assertThat(Failures.ranges(List.of())).isEmpty();
        assertThat(Failures.ranges(List.of(3))).isEqualTo("3");
        assertThat(Failures.ranges(List.of(0, 1))).isEqualTo("0,1");
        assertThat(Failures.ranges(List.of(0, 1, 2, 5, 7, 8))).isEqualTo("0-2,5,7,8");
    }

    @Test
    void shouldTellTimesAsPeopleDo() {
        assertThat(Failures.seconds(0.04)).isEqualTo("0.0 s");
        assertThat(Failures.seconds(9.96)).isEqualTo("10.0 s");
        assertThat(Failures.seconds(61.4)).isEqualTo("61 s");
    }

    @Test
    void shouldKnowSignalsByTheExitCode() {
        assertThat(Signals.ofExitCode(137)).isEqualTo("KILL");
        assertThat(Signals.ofExitCode(139)).isEqualTo("SEGV");
        assertThat(Signals.ofExitCode(1)).isNull();
        assertThat(Signals.ofExitCode(255)).isNull();
    }

    @Test
    void shouldReadListsOfCpus() {
        assertThat(Bindings.allowed("0-3,8,10-11")).containsExactly(0, 1, 2, 3, 8, 10, 11);
        assertThat(Bindings.allowed("5")).containsExactly(5);
        assertThat(Bindings.allowed("")).isEmpty();
    }

    @Test
    void shouldBindRanksToCoresInTurn() {
        Bindings bindings = Bindings.toCores();

        assertThat(bindings.command(0)).startsWith("taskset", "-c");
        assertThat(bindings.place(0)).startsWith("bound to core 0 (cpu ");
        assertThat(Bindings.none().command(0)).isEmpty();
    }
}
