package org.parley.benchmarks;

import java.util.Locale;

/** Where messages lie. */
enum BufferKind {
    /** In arrays on the heap, which the collector may move. */
    ARRAY,
    /** In native memory, page-aligned. */
    DIRECT;

    /** Returns the length of an array, which is limited. */
    int arrayLength(final long elements) {
        if (elements > Integer.MAX_VALUE - 8) {
            throw new UsageException("an array cannot have " + elements + " elements: use --buffer direct");
        }
        return (int) elements;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
