package org.parley.benchmarks.perf;

import java.util.Arrays;
import java.util.Locale;

/** perftest's tables. */
final class PerfTable {
    static final String LATENCY = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]   "
            + " t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]";
    static final String BANDWIDTH = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]";

    private static final double NANOS = 1000;
    private static final double MEGABYTE = 1 << 20;

    private PerfTable() {}

    /**
     * Returns a row.
     *
     * @param bytes the size
     * @param nanos time of each iteration; sorted here
     */
    static String latency(final long bytes, final long[] nanos) {
        Arrays.sort(nanos);
        final double mean = Arrays.stream(nanos).average().orElse(0);
        final double variance = Arrays.stream(nanos)
                .mapToDouble(time -> (time - mean) * (time - mean))
                .average()
                .orElse(0);
        return String.format(
                Locale.ROOT,
                " %-7d %-14d %-14.2f %-14.2f %-16.2f %-14.2f %-15.2f %-22.2f %.2f",
                bytes,
                nanos.length,
                nanos[0] / NANOS,
                nanos[nanos.length - 1] / NANOS,
                nanos[nanos.length / 2] / NANOS,
                mean / NANOS,
                Math.sqrt(variance) / NANOS,
                nanos[(int) (nanos.length * 0.99)] / NANOS,
                nanos[(int) (nanos.length * 0.999)] / NANOS);
    }

    /**
     * Returns a row; no peak, as perftest's option -N.
     *
     * @param bytes the size
     * @param iterations how many messages
     * @param nanos the time of all
     */
    static String bandwidth(final long bytes, final int iterations, final long nanos) {
        return String.format(
                Locale.ROOT,
                " %-10d %-15d %-18.2f %-19.2f %.6f",
                bytes,
                iterations,
                0.0,
                iterations * 1e9 / nanos * bytes / MEGABYTE,
                iterations * NANOS / nanos);
    }
}
