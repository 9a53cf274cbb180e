package org.parley.benchmarks;

import java.util.List;

/** What a table tells, each a function of the mean time of an iteration. */
enum Metric {
    /** Microseconds one way. */
    HALF_ROUND_TRIP(List.of(new Column("latency_us", "Avg Latency(us)"))) {
        @Override
        double value(final Load load, final double nanos) {
            return nanos / 2_000;
        }
    },
    /** Microseconds per call. */
    CALL(List.of(new Column("latency_us", "Avg Latency(us)"))) {
        @Override
        double value(final Load load, final double nanos) {
            return nanos / 1_000;
        }
    },
    /** Megabytes (10^6 bytes) per second. */
    BANDWIDTH(List.of(new Column("bandwidth_mb_s", "Bandwidth (MB/s)"))) {
        @Override
        double value(final Load load, final double nanos) {
            return load.bytes() * load.messages() * 1_000 / nanos;
        }
    },
    /** Megabytes, and messages, per second. */
    RATE(List.of(new Column("bandwidth_mb_s", "MB/s"), new Column("messages_s", "Messages/s"))) {
        @Override
        double value(final Load load, final double nanos) {
            return BANDWIDTH.value(load, nanos);
        }

        @Override
        List<Double> values(final Load load, final double nanos) {
            return List.of(value(load, nanos), load.messages() * 1e9 / nanos);
        }
    };

    /**
     * A column of numbers.
     *
     * @param key name in JSON and CSV
     * @param title name in OSU's tables
     */
    record Column(String key, String title) {}

    /**
     * What an iteration moves.
     *
     * @param bytes of a message
     * @param messages of all pairs, both ways
     */
    record Load(long bytes, double messages) {}

    private final List<Column> columns;

    Metric(final List<Column> columns) {
        this.columns = columns;
    }

    /** Returns the columns of {@link #values}. */
    List<Column> columns() {
        return columns;
    }

    boolean isLatency() {
        return this == HALF_ROUND_TRIP || this == CALL;
    }

    /** Returns the first column's value. */
    abstract double value(Load load, double nanos);

    /**
     * Returns a row.
     *
     * @param load what an iteration moves
     * @param nanos time of an iteration
     */
    List<Double> values(final Load load, final double nanos) {
        return List.of(value(load, nanos));
    }
}
