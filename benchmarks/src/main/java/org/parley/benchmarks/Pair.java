package org.parley.benchmarks;

import org.parley.Communicator;

/**
 * Whom a rank talks to.
 *
 * @param peer its partner, or itself if it stands by
 * @param isFirst whether it is the one that begins
 * @param takesPart whether it has a partner
 */
record Pair(int peer, boolean isFirst, boolean takesPart) {

    /** Ranks 0 and 1; others stand by. */
    static Pair only(final Communicator world) {
        final int rank = world.rank();
        return rank > 1 ? new Pair(rank, false, false) : new Pair(1 - rank, rank == 0, true);
    }

    /** Rank i of the first half with rank i of the second; a last odd one stands by. */
    static Pair ofHalves(final Communicator world) {
        final int rank = world.rank();
        final int pairs = world.size() / 2;
        if (rank >= 2 * pairs) {
            return new Pair(rank, false, false);
        }
        return rank < pairs ? new Pair(rank + pairs, true, true) : new Pair(rank - pairs, false, true);
    }
}
