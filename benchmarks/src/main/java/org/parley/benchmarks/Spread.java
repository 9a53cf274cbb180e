package org.parley.benchmarks;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Minimum, maximum and percentiles over all ranks that are timed. */
final class Spread {
    /** As OSU's tables have them. */
    static final List<Integer> PERCENTILES = List.of(50, 90, 99);

    private Spread() {}

    /**
     * Collective; the answer is rank 0's, others get an empty one. A bandwidth's percentile is what
     * so many of a hundred windows reached.
     *
     * @param control the ranks
     * @param own this rank's times, or null if it is not timed
     * @param metric to express them in
     * @param load what an iteration moves
     */
    static Map<String, Double> gather(
            final Control control, final Histogram own, final Metric metric, final Metric.Load load) {
        final List<byte[]> all = control.gather(encode(own));
        if (all == null) {
            return Map.of();
        }
        Histogram sum = null;
        for (final byte[] one : all) {
            if (one.length > 0) {
                final Histogram times = Histogram.decodeFromByteBuffer(ByteBuffer.wrap(one), 0);
                if (sum == null) {
                    sum = times;
                } else {
                    sum.add(times);
                }
            }
        }
        final boolean fastIsMax = !metric.isLatency();
        final double fast = metric.value(load, sum.getMinValue());
        final double slow = metric.value(load, sum.getMaxValue());
        final Map<String, Double> spread = new LinkedHashMap<>();
        spread.put("min", fastIsMax ? slow : fast);
        spread.put("max", fastIsMax ? fast : slow);
        for (final int percentile : PERCENTILES) {
            spread.put("p" + percentile, metric.value(load, sum.getValueAtPercentile(percentile)));
        }
        return spread;
    }

    private static byte[] encode(final Histogram histogram) {
        if (histogram == null) {
            return new byte[0];
        }
        final ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        final int length = histogram.encodeIntoByteBuffer(buffer);
        final byte[] bytes = new byte[length];
        System.arraycopy(buffer.array(), 0, bytes, 0, length);
        return bytes;
    }
}
