package org.parley.collectives;

/** Arithmetic on numbers of ranks. */
final class Ranks {
    private Ranks() {}

    /** Returns the base-2 logarithm, rounded up: the rounds that reach all ranks. */
    static int rounds(final int ranks) {
        return 32 - Integer.numberOfLeadingZeros(ranks - 1);
    }

    /** Returns the largest power of two that is not above the number of ranks. */
    static int powerBelow(final int ranks) {
        return Integer.highestOneBit(ranks);
    }
}
