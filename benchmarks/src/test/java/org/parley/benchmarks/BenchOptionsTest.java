package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A wrong option is one sentence that names it, exit code 2, and no result. */
class BenchOptionsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "latencyy                     | there is no benchmark 'latencyy'; there are latency,",
                "latency --windov 4           | unknown option '--windov'; the nearest is --window",
                "latency --wat                | unknown option '--wat'",
                "latency -m x                 | -m takes MIN:MAX or MAX in bytes",
                "latency -m 8:                | -m takes MIN:MAX or MAX in bytes",
                "latency -m -8                | -m takes MIN:MAX or MAX in bytes",
                "latency -m 16:8              | -m 16:8: the first size is larger than the last",
                "latency -m 99999999999999999g| is too large",
                "latency -i 0                 | -i is 0, must be at least 1",
                "latency -i many              | 'many' is not an int",
                "latency -x -1                | -x is -1, must be at least 0",
                "latency -n 0                 | -n is 0, must be at least 1",
                "latency -n 1                 | a benchmark needs 2 ranks or more: give -n 2",
                "bw --window 0                | --window is 0, must be at least 1",
                "latency --buffer heap        | --buffer is 'heap', must be array or direct",
                "latency --format xml         | --format is 'xml', must be osu or csv or json",
                "latency -m                   | Expected parameter for option",
                "latency --compare tcp        | 'tcp' is neither array nor direct nor a file",
                "latency --baseline /no.json  | cannot read results from /no.json: there is no such file",
                "latency --baseline /etc/passwd | from /etc/passwd: it is not a file that --format json wrote",
                "latency --compare=           | --compare names nothing: it takes array, direct,",
                "latency --compare ,          | --compare names nothing: it takes array, direct,",
                "latency --hlog /dev/null/x   | --hlog /dev/null/x: it cannot be made: ",
                "latency --hlog /proc/x       | --hlog /proc/x: it cannot be made: there is no such",
                "bw --buffer array -m 4g      | use --buffer direct",
            })
    void shouldRefuse(final String line, final String sentence) {
        final Run run = Run.of(line.split(" +"));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        final String last = run.err().lines().reduce((first, second) -> second).orElse("");
        assertThat(last).startsWith("parley bench: ").contains(sentence);
    }

    @Test
    void shouldRunABenchmarkThatIsNamedTwiceOnce() {
        final Run run = Run.of("barrier", "barrier", "-i", "10", "-x", "1");
        assertThat(run.code()).isZero();
        assertThat(run.out().lines().filter(line -> line.contains("Barrier"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", \"results\": null", ", \"results\": {}", ", \"results\": [1, null]"})
    void shouldRefuseABaselineWithoutResults(final String rest) throws IOException {
        final Path file =
                Files.writeString(folder.resolve("none.json"), "{\"schema\": \"parley-bench-1\"" + rest + "}");
        final Run run = Run.of("latency", "--baseline", file.toString());
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(file + " has no list of results");
    }

    @Test
    void shouldRefuseABaselineOfAnotherKind() throws IOException {
        final Path file = Files.writeString(folder.resolve("other.json"), "{\"schema\":\"x\"}");
        final Run run = Run.of("latency", "--baseline", file.toString());
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("is not of schema parley-bench-1");
    }

    @Test
    void shouldShowHelp() {
        final Run run = Run.of("--help");
        assertThat(run.good())
                .contains("--window", "--buffer", "--hlog", "--validate", "--baseline")
                .doesNotContain("--cold");
        Arrays.stream(Benchmark.values())
                .forEach(benchmark -> assertThat(run.out()).contains(benchmark.id()));
    }

    @Test
    void shouldReadSizes() {
        final Sizes standard = new Sizes(4, 1 << 20);
        assertThat(Sizes.parse("8:100", standard).all()).containsExactly(8L, 16L, 32L, 64L);
        assertThat(Sizes.parse("16", standard).all()).containsExactly(4L, 8L, 16L);
        assertThat(Sizes.parse("1k:2K", standard).all()).containsExactly(1024L, 2048L);
        assertThat(Sizes.parse("1", standard).all()).containsExactly(1L);
        assertThat(Sizes.parse("0:2", standard).all()).containsExactly(0L, 1L, 2L);
        assertThat(Sizes.parse("6g:6g", standard).all()).containsExactly(6L << 30);
    }

    @Test
    void shouldHaveOsusDefaults() {
        assertThat(Benchmark.LATENCY.sizes(null)).isEqualTo(new Sizes(1, 4 << 20));
        assertThat(Benchmark.BW.sizes(null)).isEqualTo(new Sizes(1, 4 << 20));
        assertThat(Benchmark.ALLREDUCE.sizes(null)).isEqualTo(new Sizes(4, 1 << 20));
        assertThat(Benchmark.REDUCE.sizes("1:7").all()).containsExactly(4L);
        final Repetition latency = Benchmark.LATENCY.repetition();
        assertThat(latency.iterations(8192)).isEqualTo(100_000);
        assertThat(latency.iterations(8193)).isEqualTo(10_000);
        final BenchOptions options = BenchOptions.parse();
        assertThat(options.benchmarks()).isEqualTo(Benchmark.MAIN_JOB);
        assertThat(options.window()).isEqualTo(64);
        assertThat(options.buffer()).isEqualTo(BufferKind.DIRECT);
    }
}
