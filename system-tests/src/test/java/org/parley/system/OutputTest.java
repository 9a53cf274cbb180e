package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What ranks print, and what they read. */
class OutputTest {
    @TempDir
    Path folder;

    /** The last lengths are more than is held back: such lines go through as they come. */
    @ParameterizedTest
    @CsvSource({"4, 1000, 50", "3, 10, 1048576", "2, 3, 10000000"})
    void shouldKeepLinesWhole(int ranks, int count, int length) throws Exception {
        String[] words = {"run", "-n", ranks + "", "-cp", Launch.CLASSES, "programs.Lines", count + "", length + ""};
        try (Launch job = Launch.parley(folder, words)) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            List<String> lines = result.out().lines().toList();
            assertThat(lines).hasSize(ranks * count + ranks);
            for (String line : lines) {
                assertThat(line.chars().distinct().count()).isEqualTo(1);
            }
            for (int rank = 0; rank < ranks; rank++) {
                String first = String.valueOf((char) ('a' + rank));
                assertThat(lines.stream().filter(line -> line.startsWith(first)).map(String::length))
                        .containsExactlyInAnyOrderElementsOf(lengths(count, length));
            }
        }
    }

    private static List<Integer> lengths(int count, int length) {
        return Stream.concat(Stream.generate(() -> length).limit(count), Stream.of(10))
                .toList();
    }

    @Test
    void shouldPassOneRanksOutputOnAsItIs() throws Exception {
        try (Launch job = Launch.parley(folder, "run", "--exec", "printf", "a\\n\\nb\\001c")) {
            assertThat(job.end().out()).isEqualTo("a\n\nb\001c");
        }
    }

    @Test
    void shouldKeepStreamsApart() throws Exception {
        try (Launch job = sh(2, "echo out; echo err >&2")) {
            Command.Result result = job.end();

            assertThat(result.out()).isEqualTo("out\nout\n");
            assertThat(result.err()).isEqualTo("err\nerr\n");
        }
    }

    @Test
    void shouldShowLinesAtOnce() throws Exception {
        try (Launch job = sh(2, "echo here; exec sleep 100")) {
            job.awaitOut("here\nhere\n");
        }
    }

    @Test
    void shouldTagLinesAsOpenMpiDoes() throws Exception {
        String line = "printf 'one\\ntwo'; echo three >&2";
        try (Launch job = Launch.parley(folder, "run", "-n", "2", "--tag-output", "--exec", "sh", "-c", line)) {
            Command.Result result = job.end();

            assertThat(result.out().lines())
                    .containsExactlyInAnyOrder(
                            "[1,0]<stdout>: one", "[1,0]<stdout>: two", "[1,1]<stdout>: one", "[1,1]<stdout>: two");
            assertThat(result.err().lines()).containsExactlyInAnyOrder("[1,0]<stderr>: three", "[1,1]<stderr>: three");
        }
    }

    @Test
    void shouldCopyOutputIntoFiles() throws Exception {
        String[] words = {
            "run", "-n", "2", "--output-filename", "logs", "--exec", "sh", "-c", "echo $PARLEY_RANK; echo e >&2"
        };
        try (Launch job = Launch.parley(folder, words)) {
            assertThat(job.end().out().lines()).containsExactlyInAnyOrder("0", "1");

            assertThat(folder.resolve("logs/1/rank.1/stdout")).hasContent("1\n");
            assertThat(folder.resolve("logs/1/rank.0/stderr")).hasContent("e\n");
        }
    }

    /** A job whose output somebody wanted to keep has not done all it was to do, unless something else is worse. */
    @ParameterizedTest
    @CsvSource({"0, 1, 'all ranks ended well, but not all they said is in '", "3, 3, 'rank 0 of 1 on '"})
    void shouldFailWhenACopyIsIncomplete(int end, int code, String why) throws Exception {
        Path full = Files.createDirectories(folder.resolve("logs/1/rank.0")).resolve("stdout");
        Files.createSymbolicLink(full, Path.of("/dev/full"));
        String line = "echo shown; exit " + end;
        try (Launch job = Launch.parley(folder, "run", "--output-filename", "logs", "--exec", "sh", "-c", line)) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(code);
            assertThat(result.out()).isEqualTo("shown\n");
            assertThat(result.err())
                    .contains("parley: incomplete: ", "logs/1/rank.0/stdout: No space left on device")
                    .contains("FAILED  " + why, "exit code " + code);
        }
    }

    /** Also where all ranks have ended when that is known. */
    @Test
    void shouldSayThatTheOutputCannotBeWritten() throws Exception {
        String parley =
                Path.of(System.getProperty("test.dist"), "bin", "parley").toString();
        String line = "exec " + parley + " run -n 2 --exec echo hi >/dev/full";
        Command.Result result = Command.run(folder, java.util.Map.of(), "bash", "-c", line);

        assertThat(result.err())
                .startsWith("FAILED  cannot write to the standard output: No space left on device\n")
                .endsWith("exit code 1\n");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void shouldGiveTheInputToRankZero() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "echo", "echo")) {
            try (OutputStream in = job.in()) {
                in.write("one\ntwo\n".getBytes(StandardCharsets.UTF_8));
            }
            List<String> lines = job.end().out().lines().toList();

            assertThat(lines).contains("echo one", "echo two");
            assertThat(lines.stream().filter("end of input"::equals)).hasSize(2);
        }
    }

    @Test
    void shouldStopWhenNobodyReads() throws Exception {
        String parley =
                Path.of(System.getProperty("test.dist"), "bin", "parley").toString();
        String line = "(" + parley + " run -n 2 --exec yes; echo $? >code) | head -n 1";
        Command.Result result = Command.run(folder, java.util.Map.of(), "bash", "-c", line);

        assertThat(result.out()).isEqualTo("y\n");
        assertThat(Files.readString(folder.resolve("code"))).isEqualTo("141\n");
    }

    /** Whoever holds a rank's pipe open must not hold up the job. */
    @Test
    void shouldEndWithItsRanks() throws Exception {
        try (Launch job = sh(2, "setsid sleep 90 & echo done")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            assertThat(result.out()).isEqualTo("done\ndone\n");
        }
    }

    private Launch sh(int ranks, String line) throws Exception {
        return Launch.parley(folder, "run", "-n", String.valueOf(ranks), "--exec", "sh", "-c", line);
    }

    @Test
    void shouldReportBindings() throws Exception {
        String[] words = {
            "run",
            "-n",
            "2",
            "--bind-to",
            "core",
            "--report-bindings",
            "--exec",
            "grep",
            "Cpus_allowed_list",
            "/proc/self/status"
        };
        try (Launch job = Launch.parley(folder, words)) {
            Command.Result result = job.end();

            assertThat(result.err()).contains("rank 0 on ", "bound to core 0");
            assertThat(Arrays.asList(result.out().split("\n")))
                    .hasSize(2)
                    .allMatch(l -> l.matches(".*\\s\\d+(,\\d+)*"));
        }
    }
}
