package org.parley.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One row.
 *
 * @param benchmark what was measured
 * @param transport what carried the messages; several are joined by a plus
 * @param ranks of the job
 * @param buffer where messages lay
 * @param bytes of a message
 * @param iterations that counted
 * @param warmup iterations before them
 * @param window messages under way at once, 0 where that means nothing
 * @param values by the metric's columns
 * @param spread of single iterations, in the unit of the first column: min, max, p50, p90, p99 and
 *     so on; empty if they were not timed
 * @param isValid whether all payloads were right; null if they were not checked
 */
record Result(
        Benchmark benchmark,
        String transport,
        int ranks,
        BufferKind buffer,
        long bytes,
        int iterations,
        int warmup,
        int window,
        List<Double> values,
        Map<String, Double> spread,
        Boolean isValid) {

    /** Returns the values by the names that JSON and CSV give them. */
    Map<String, Double> named() {
        final Map<String, Double> named = new LinkedHashMap<>();
        final List<Metric.Column> columns = benchmark.metric().columns();
        for (int i = 0; i < columns.size(); i++) {
            named.put(columns.get(i).key(), values.get(i));
        }
        return named;
    }
}
