package org.parley.engine;

import java.util.Collection;

/** The members of a communicator, and whether a receive from any source can still hear from one. */
public final class Group {
    private final int[] members;
    private final int rank;
    private final int size;

    /** All members before this one are gone, or this rank itself: who is gone does not come back. */
    private int reached;

    /**
     * Makes one.
     *
     * @param members the members' ranks in the world, or null for the identity
     * @param rank this rank in the communicator
     * @param size how many members there are
     */
    public Group(final int[] members, final int rank, final int size) {
        this.members = members;
        this.rank = rank;
        this.size = size;
    }

    /** Adds the ranks of all but this one. */
    void addOthers(final Collection<Integer> ranks) {
        for (int member = 0; member < size; member++) {
            if (member != rank) {
                ranks.add(members == null ? member : members[member]);
            }
        }
    }

    /** Whether there were others, and all are gone. */
    boolean isDeserted(final Peers peers) {
        while (reached < size && (reached == rank || peers.isGone(members == null ? reached : members[reached]))) {
            reached++;
        }
        return reached == size && size > 1;
    }
}
