package org.parley.transport;

/**
 * One counter: the single place of its name and of what it means.
 *
 * @param name lower-case letters and dots, of a transport's own behind its name, such as {@code tcp.reconnects}
 * @param help one sentence: what it counts and, where it says that something is amiss, what to do
 * @param column where {@code parley top} adds it up
 */
public record Counter(String name, String help, Column column) {

    /** What {@code parley top} shows of a rank, beside what it sends and receives. */
    public enum Column {
        /** Told in full only. */
        NONE,
        /** Links that broke and were made again. */
        RECONNECTS,
        /** Frames that were sent again. */
        REPLAYS,
        /** What was dropped because it had come before, or out of turn. */
        DROPS,
        /** Bytes that waited to leave, and did not. */
        STALLS,
        /** Strangers, and what could not be right. */
        REJECTS,
        /** Where a slower way was taken than the best one. */
        FALLBACKS
    }

    /**
     * Makes one that is told in full only.
     *
     * @param name lower-case letters and dots
     * @param help one sentence
     */
    public Counter(final String name, final String help) {
        this(name, help, Column.NONE);
    }
}
