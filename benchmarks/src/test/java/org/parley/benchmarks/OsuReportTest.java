package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The tables, to the character. */
class OsuReportTest {
    private static final Map<String, Double> SPREAD =
            Map.of("min", 0.2, "max", 12.0, "p50", 0.26, "p90", 0.3, "p99", 1.456);

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final OsuReport report = new OsuReport(new PrintStream(bytes, true, StandardCharsets.UTF_8), "0.1.0");

    @Test
    void shouldPrintLatencyAsOsuDoes() {
        report.begin(table(Benchmark.LATENCY, false, false));
        row(Benchmark.LATENCY, 8, 0.267);
        row(Benchmark.LATENCY, 4194304, 1234.5);
        assertThat(printed()).isEqualTo("""

                        # OSU MPI Latency Test v7.4 (equivalent; Parley 0.1.0)
                        # Datatype: MPI_CHAR.
                        # Size       Avg Latency(us)
                        8                       0.27
                        4194304              1234.50
                        """);
    }

    @Test
    void shouldPrintBandwidthAsOsuDoes() {
        report.begin(table(Benchmark.BW, false, false));
        row(Benchmark.BW, 65536, 20700.125);
        assertThat(printed()).isEqualTo("""

                        # OSU MPI Bandwidth Test v7.4 (equivalent; Parley 0.1.0)
                        # Datatype: MPI_CHAR.
                        # Size      Bandwidth (MB/s)
                        65536               20700.13
                        """);
    }

    @Test
    void shouldPrintMessageRateAsOsuDoes() {
        report.begin(table(Benchmark.MBW_MR, false, false));
        row(Benchmark.MBW_MR, 8, 98.4, 12300000);
        assertThat(printed()).isEqualTo("""

                        # OSU MPI Multiple Bandwidth / Message Rate Test v7.4 (equivalent; Parley 0.1.0)
                        # [ pairs: 1 ] [ window size: 64 ]
                        # Size                  MB/s        Messages/s
                        8                      98.40       12300000.00
                        """);
    }

    @Test
    void shouldPrintBarrierAsOsuDoes() {
        report.begin(table(Benchmark.BARRIER, false, false));
        row(Benchmark.BARRIER, 0, 0.34);
        assertThat(printed()).isEqualTo("""

                        # OSU MPI Barrier Latency Test v7.4 (equivalent; Parley 0.1.0)
                        # Avg Latency(us)
                                     0.34
                        """);
    }

    @Test
    void shouldPrintAllColumnsInOsusOrder() {
        report.begin(table(Benchmark.BCAST, true, true, "Baseline"));
        report.row(result(Benchmark.BCAST, 8, SPREAD, true, 0.33), Arrays.asList((Double) null));
        assertThat(printed()).isEqualTo("""

                        # OSU MPI Broadcast Latency Test v7.4 (equivalent; Parley 0.1.0)
                        # Datatype: MPI_CHAR.
                        # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\
                                Validation  P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail Lat(us)\
                                  Baseline
                        8                       0.33              0.20             12.00       10000\
                                      Pass              0.26              0.30              1.46\
                                         -
                        """);
    }

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static Report.Table table(
            final Benchmark benchmark, final boolean isFull, final boolean isChecked, final String... extras) {
        return new Report.Table(benchmark, benchmark.sizes(null), 1, 64, isFull, isChecked, List.of(extras));
    }

    private void row(final Benchmark benchmark, final long size, final double... values) {
        report.row(result(benchmark, size, Map.of(), null, values), List.of());
    }

    private static Result result(
            final Benchmark benchmark,
            final long size,
            final Map<String, Double> spread,
            final Boolean isValid,
            final double... values) {
        return new Result(
                benchmark,
                "shm",
                2,
                BufferKind.DIRECT,
                size,
                10_000,
                200,
                0,
                Arrays.stream(values).boxed().toList(),
                spread,
                isValid);
    }
}
