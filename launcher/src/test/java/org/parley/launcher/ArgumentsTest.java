package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain lines mean the same to both readers; others are left to picocli. */
class ArgumentsTest {
    private final Command run = new RunCommand();

    private static String show(Arguments arguments, Command command) {
        StringBuilder text = new StringBuilder();
        for (Flag flag : command.flags()) {
            if (arguments.has(flag.key())) {
                text.append(flag.key())
                        .append('=')
                        .append(arguments.all(flag.key()))
                        .append(' ');
            }
        }
        return text.append(arguments.rest()).toString();
    }

    private Arguments byPicocli(String line) {
        List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(List.of(line.split(" ")));
        return new Picocli(Main.commands()).read(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Main",
                "-n 4 Main -n 5 --help",
                "-np 4 --tag-output Main a b",
                "--np 4 -cp x:y Main",
                "-n 4 --exec prog --exec -n 1",
                "-x A -x B=1 -x C=x=y Main",
                "--set a=b --set c=d Main",
                "--set=a=b --timeout=5 Main",
                "-wdir /tmp -H localhost:2,localhost -ppn 3 app.jar x",
                "-n 2 -- Main -- -n",
                "-q -v --oversubscribe --bind-to core --report-bindings Main",
                "--java-opt -Xmx1g --java-opt -ea Main",
                "-n 1 -n 2 Main"
            })
    void shouldReadPlainLinesAsPicocliDoes(String line) {
        Arguments plain = Arguments.readPlain(run, List.of(line.split(" ")));

        assertThat(plain).isNotNull();
        assertThat(show(plain, run)).isEqualTo(show(byPicocli(line), run));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run -n 2 -np 3 Main",
                "run --np 2 -n 3 Main",
                "run -n2 -np 3 Main",
                "bench -n 2 --np 3 bw",
                "perf -np 2 --np 3 write_bw -n 5"
            })
    void shouldTakeTheLastOfAnOptionHoweverItIsSpelled(String line) {
        List<String> words = List.of(line.split(" "));
        Command command = Main.commands().stream()
                .filter(each -> each.name().equals(words.get(0)))
                .findFirst()
                .orElseThrow();

        assertThat(new Picocli(Main.commands()).read(words).value("-n")).isEqualTo("3");
        Arguments plain = Arguments.readPlain(command, words.subList(1, words.size()));
        assertThat(plain == null ? "3" : plain.value("-n")).isEqualTo("3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-f a --hostfile b Main", "--hostfile a -f b Main", "-f a --machinefile b Main"})
    void shouldKnowOneHostFile(String line) {
        assertThat(Arguments.readPlain(run, List.of(line.split(" "))).value("--hostfile"))
                .isEqualTo("b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-n", "--nope Main", "-n4 Main", "-qv Main", "--tag-output=true Main"})
    void shouldLeaveOtherLinesToPicocli(String line) {
        assertThat(Arguments.readPlain(run, List.of(line.split(" ")))).isNull();
    }

    @Test
    void shouldUnderstandShortFormsByPicocli() {
        assertThat(show(byPicocli("-n4 -qv Main x"), run)).isEqualTo("-n=[4] -q=[] -v=[] [Main, x]");
    }

    @Test
    void shouldHandOnWhatABenchmarkKnowsInOrder() {
        Command bench = BenchCommand.bench();
        Arguments arguments =
                Arguments.readPlain(bench, List.of("latency", "-m", "1:8", "-n", "3", "-x", "10", "--full", "bw"));

        assertThat(arguments.value("-n")).isEqualTo("3");
        assertThat(arguments.rest()).containsExactly("latency", "-m", "1:8", "-x", "10", "--full", "bw");
    }
}
