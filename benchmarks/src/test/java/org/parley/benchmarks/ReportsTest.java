package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What machines read: JSON, CSV, histogram logs, and earlier runs beside a new one. */
class ReportsTest {
    @TempDir
    private Path folder;

    @Test
    void shouldWriteOneJsonObject() throws IOException {
        final Map<String, Object> all = JSON.std.mapFrom(
                Run.of("--format", "json", "-m", "8:16", "-i", "20", "-x", "5").good());
        assertThat(all).containsOnlyKeys("schema", "environment", "results");
        assertThat(all).containsEntry("schema", "parley-bench-1");
        final Map<?, ?> environment = (Map<?, ?>) all.get("environment");
        assertThat(environment.keySet())
                .extracting(Object::toString)
                .contains("machine", "cpu", "cores", "kernel", "jdk", "gc", "versions", "pinning", "transports");
        assertThat(environment.get("transports")).isEqualTo(Map.of("0-1", "shm"));
        final List<Map<String, Object>> results = results(all);
        assertThat(results)
                .extracting(row -> row.get("test"))
                .containsExactly("latency", "latency", "bw", "bw", "allreduce", "allreduce");
        assertThat(results).allSatisfy(row -> {
            assertThat(row)
                    .containsEntry("transport", "shm")
                    .containsEntry("ranks", 2)
                    .containsEntry("buffer", "direct")
                    .containsEntry("iterations", 20)
                    .containsEntry("warmup", 5);
            assertThat(row.get("bytes")).isIn(8, 16);
        });
        assertThat(results.get(0).get("latency_us")).isInstanceOf(Number.class);
        assertThat(results.get(2).get("bandwidth_mb_s")).isInstanceOf(Number.class);
        assertThat(results.get(2)).containsEntry("window", 64);
    }

    @Test
    void shouldWriteCsvWithOneHeader() {
        final List<String> lines = Run.of(
                        "latency", "mbw_mr", "--format", "csv", "-m", "8:8", "-i", "9", "--full", "-c")
                .good()
                .lines()
                .toList();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0))
                .isEqualTo("test,transport,ranks,buffer,bytes,iterations,latency_us,bandwidth_mb_s,"
                        + "messages_s,min,max,p50,p90,p99,valid");
        assertThat(lines.get(1)).matches("latency,shm,2,direct,8,9,[\\d.]+,,(,[\\d.]+){5},true");
        assertThat(lines.get(2)).matches("mbw_mr,shm,2,direct,8,9,(,[\\d.]+){7},true");
    }

    @Test
    void shouldLogEachRanksTimes() throws IOException {
        Run.of("barrier", "latency", "--hlog", folder.toString(), "-m", "8:16", "-i", "30")
                .good();
        assertThat(histograms(0))
                .extracting(EncodableHistogram::getTag)
                .containsExactly("barrier-direct-0", "latency-direct-8", "latency-direct-16");
        assertThat(histograms(0))
                .allSatisfy(times -> assertThat(times.getTotalCount()).isEqualTo(30));
        assertThat(histograms(1)).extracting(EncodableHistogram::getTag).containsExactly("barrier-direct-0");
    }

    private List<Histogram> histograms(final int rank) throws IOException {
        final List<Histogram> all = new ArrayList<>();
        try (HistogramLogReader reader =
                new HistogramLogReader(folder.resolve("rank-" + rank + ".hlog").toFile())) {
            while (reader.hasNext()) {
                all.add((Histogram) reader.nextIntervalHistogram());
            }
        }
        return all;
    }

    @Test
    void shouldShowOtherRunsAndBuffersBesideIt() throws IOException {
        final String text =
                Run.of("latency", "--format", "json", "-m", "8:8", "-i", "20").good();
        final Path file = Files.writeString(folder.resolve("metal.json"), text);
        final double before = ((Number) results(JSON.std.mapFrom(text)).get(0).get("latency_us")).doubleValue();
        final OsuTable table = Run.of(
                        "latency",
                        "-m",
                        "8:16",
                        "-i",
                        "20",
                        "--baseline",
                        file.toString(),
                        "--compare",
                        "array," + file)
                .table();
        assertThat(table.columns()).containsExactly("Size", "Avg Latency(us)", "array", "metal", "Baseline");
        assertThat(table.fields("Baseline")).containsExactly(String.format(java.util.Locale.ROOT, "%.2f", before), "-");
        assertThat(table.fields("metal")).isEqualTo(table.fields("Baseline"));
        assertThat(table.numbers("array")).allMatch(value -> value > 0);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> results(final Map<String, Object> all) {
        return (List<Map<String, Object>>) all.get("results");
    }
}
