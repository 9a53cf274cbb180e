package org.parley.foam.parallel;

/** How halos travel, by OpenFOAM's names. */
public enum CommsType {
    /** Buffered sends, then receives patch by patch. */
    BLOCKING("blocking"),
    /** Pairs of ranks one after another, in an order that all ranks share. */
    SCHEDULED("scheduled"),
    /** All receives and sends are started, work goes on, then all are awaited. */
    NON_BLOCKING("nonBlocking");

    private final String word;

    CommsType(final String word) {
        this.word = word;
    }

    /**
     * Returns the type that a dictionary names.
     *
     * @param word as OpenFOAM spells it
     * @throws IllegalArgumentException if there is none of that name
     */
    public static CommsType of(final String word) {
        for (final CommsType type : values()) {
            if (type.word.equals(word)) {
                return type;
            }
        }
        throw new IllegalArgumentException("commsType " + word + ": use blocking, scheduled or nonBlocking");
    }
}
