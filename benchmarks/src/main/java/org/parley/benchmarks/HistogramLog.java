package org.parley.benchmarks;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.parley.transport.Reason;

/**
 * One rank's times of single iterations, {@code rank-N.hlog}: one histogram per size, tagged {@code
 * latency-direct-8}, in nanoseconds (of a round trip for latency and multi_lat, of a window for
 * bandwidths), with the maximum in microseconds beside it.
 */
final class HistogramLog {
    private static final double MICROSECONDS = 1_000;

    private final HistogramLogWriter writer;

    private HistogramLog(final HistogramLogWriter writer) {
        this.writer = writer;
    }

    static HistogramLog open(final Path folder, final int rank) {
        final Path file = folder.resolve("rank-" + rank + ".hlog");
        try {
            Files.createDirectories(folder);
            final HistogramLogWriter writer = new HistogramLogWriter(file.toFile());
            writer.outputComment("[Parley "
                    + Environment.version(HistogramLog.class)
                    + ", rank "
                    + rank
                    + "; histograms in nanoseconds]");
            writer.outputLogFormatVersion();
            writer.outputStartTime(System.currentTimeMillis());
            writer.outputLegend();
            return new HistogramLog(writer);
        } catch (final FileNotFoundException e) {
            throw new UsageException("--hlog " + folder + ": cannot write " + file + ": " + Reason.of(e));
        } catch (final IOException e) {
            throw new UsageException("--hlog " + folder + ": it cannot be made: " + Reason.of(e));
        }
    }

    void write(
            final Benchmark benchmark,
            final BufferKind buffer,
            final long bytes,
            final long beginMillis,
            final Histogram histogram) {
        histogram.setTag(String.format(Locale.ROOT, "%s-%s-%d", benchmark.id(), buffer, bytes));
        histogram.setStartTimeStamp(beginMillis);
        histogram.setEndTimeStamp(System.currentTimeMillis());
        writer.outputIntervalHistogram(
                beginMillis / 1_000.0, histogram.getEndTimeStamp() / 1_000.0, histogram, MICROSECONDS);
    }

    void close() {
        writer.close();
    }
}
