package org.parley.benchmarks;

import java.util.List;

/** Prints results as they come; only rank 0 has one. */
interface Report {

    /**
     * A benchmark begins.
     *
     * @param table what it will print
     */
    void begin(Table table);

    /**
     * A size has been measured.
     *
     * @param result the row
     * @param extras the table's extra columns; null: nothing is known
     */
    void row(Result result, List<Double> extras);

    /** All is done. */
    void end();

    /**
     * What a benchmark prints.
     *
     * @param benchmark which
     * @param sizes of its messages
     * @param pairs that talk at once
     * @param window messages under way at once
     * @param isFull whether rows have minimum, maximum and percentiles
     * @param isChecked whether payloads are checked
     * @param extras titles of more columns
     */
    record Table(
            Benchmark benchmark,
            Sizes sizes,
            int pairs,
            int window,
            boolean isFull,
            boolean isChecked,
            List<String> extras) {}
}
