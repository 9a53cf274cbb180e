package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each benchmark delivers every byte, whatever the number of ranks, and prints what OSU prints. */
class EveryBenchmarkTest {
    /** Sizes that no power of two divides as well as such that one does. */
    private static final String SMALL = "5:700";

    static Stream<Arguments> shouldDeliverEveryPayload() {
        return Arrays.stream(Benchmark.values())
                .flatMap(benchmark -> Stream.of(
                        Arguments.of(benchmark, 2, BufferKind.DIRECT),
                        Arguments.of(benchmark, 2, BufferKind.ARRAY),
                        Arguments.of(benchmark, 3, BufferKind.DIRECT),
                        Arguments.of(benchmark, 4, BufferKind.ARRAY)));
    }

    @ParameterizedTest
    @MethodSource
    void shouldDeliverEveryPayload(final Benchmark benchmark, final int ranks, final BufferKind buffer) {
        final OsuTable table = Run.of(
                        benchmark.id(),
                        "-c",
                        "-n",
                        String.valueOf(ranks),
                        "-m",
                        SMALL,
                        "-i",
                        "3",
                        "-x",
                        "1",
                        "--window",
                        "5",
                        "--buffer",
                        buffer.toString())
                .table();
        assertThat(table.test()).isEqualTo(benchmark.title());
        assertThat(table.fields("Validation")).isNotEmpty().containsOnly("Pass");
        if (benchmark.hasSizes()) {
            assertThat(table.sizes()).isEqualTo(benchmark.sizes(SMALL).all()).hasSizeGreaterThan(4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldDeliverLongPayloads(final Benchmark benchmark) {
        final OsuTable table = Run.of(benchmark.id(), "-c", "-m", "65536:1m", "-i", "2", "--window", "3")
                .table();
        assertThat(table.fields("Validation")).containsOnly("Pass");
    }

    @Test
    void shouldPrintOneRowOfPlainNumbersPerSize() {
        final OsuTable table = Run.of("latency", "-m", "8:64", "-i", "50").table();
        assertThat(table.notes()).containsExactly("Datatype: MPI_CHAR.");
        assertThat(table.columns()).containsExactly("Size", "Avg Latency(us)");
        assertThat(table.sizes()).containsExactly(8L, 16L, 32L, 64L);
        assertThat(table.numbers("Avg Latency(us)")).allMatch(value -> value > 0);
    }

    @Test
    void shouldReportRateOfAllPairs() {
        final OsuTable table = Run.of("mbw_mr", "-n", "4", "-m", "8:8", "-i", "20", "--window", "16")
                .table();
        assertThat(table.notes()).containsExactly("[ pairs: 2 ] [ window size: 16 ]");
        final double bandwidth = table.numbers("MB/s").get(0);
        final double rate = table.numbers("Messages/s").get(0);
        assertThat(rate * 8 / 1e6).isCloseTo(bandwidth, within(0.01));
    }

    @Test
    void shouldReportSpreadOfSingleIterations() {
        for (final String name : List.of("latency", "allreduce")) {
            final OsuTable table =
                    Run.of(name, "--full", "-m", "8:8", "-i", "100").table();
            final double min = table.numbers("Min Latency(us)").get(0);
            final double median = table.numbers("P50 Tail Lat(us)").get(0);
            final double p99 = table.numbers("P99 Tail Lat(us)").get(0);
            final double max = table.numbers("Max Latency(us)").get(0);
            assertThat(List.of(min, median, p99, max)).isSorted();
            assertThat(table.numbers("Avg Latency(us)").get(0)).isBetween(min, max);
            assertThat(table.fields("Iterations")).containsExactly("100");
        }
        final OsuTable table = Run.of("bw", "--full", "-m", "8:8", "-i", "100").table();
        assertThat(table.numbers("P50 Tail BW(MB/s)").get(0))
                .isGreaterThanOrEqualTo(table.numbers("P99 Tail BW(MB/s)").get(0))
                .isBetween(
                        table.numbers("Min BW(MB/s)").get(0),
                        table.numbers("Max BW(MB/s)").get(0));
    }

    @Test
    void shouldRunTheMainJobAndSumItUp() {
        final Run run = Run.of("-m", "8:1024", "-i", "10", "-x", "0");
        assertThat(run.tables().stream().map(OsuTable::test))
                .containsExactly("Latency", "Bandwidth", "Allreduce Latency");
        assertThat(run.err())
                .contains("Summary")
                .contains("latency, shm, us")
                .contains("bw, shm, MB/s")
                .contains("allreduce, shm, us");
    }

    @Test
    void shouldTellTheEnvironmentOnStandardError() {
        final Run run = Run.of("barrier", "-i", "10");
        assertThat(run.err()).contains("jdk: ", "kernel: ", "cores: ", "rank 1: ", "0-1=shm");
        assertThat(run.good().lines()).allMatch(line -> line.matches("|#.*|[ .0-9]+"));
    }

    @Test
    void shouldGiveTheCompilerItsTime() {
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final int code = BenchRank.run(
                new PrintStream(new ByteArrayOutputStream()),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                "bw",
                "-m",
                "8:64k",
                "-i",
                "10");
        assertThat(code).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).containsPattern("bw: the JIT had \\d+\\.\\d s");
    }
}
