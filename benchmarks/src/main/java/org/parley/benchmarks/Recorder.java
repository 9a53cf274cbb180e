package org.parley.benchmarks;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Times single calls, for {@code --full} and {@code --hlog}; costs two dozen nanoseconds each. */
final class Recorder {
    private static final long LONGEST = TimeUnit.HOURS.toNanos(1);

    private final Histogram histogram = new Histogram(LONGEST, 3);
    private long last;

    /** A lap begins. */
    void start() {
        last = System.nanoTime();
    }

    /** A lap has ended and the next one begins. */
    void lap() {
        final long now = System.nanoTime();
        record(now - last);
        last = now;
    }

    void record(final long nanos) {
        histogram.recordValue(Math.min(LONGEST, nanos));
    }

    Histogram histogram() {
        return histogram;
    }
}
