package org.parley.benchmarks;

import java.util.Locale;

/** Where messages lie. */
enum BufferKind {
    /** In arrays on the heap, which the collector may move. */
    ARRAY,
    /** In native memory, page-aligned. */
    DIRECT;

    private static final long LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    /** Whether messages of a size can lie there. */
    boolean holds(final long bytes) {
        return this == DIRECT || bytes <= LONGEST_ARRAY;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
