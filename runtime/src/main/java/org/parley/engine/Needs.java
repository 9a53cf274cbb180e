package org.parley.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Whom a wait is for, by rank in the world. */
public final class Needs {
    private final TreeSet<Integer> ranks = new TreeSet<>();
    private boolean any;

    Needs() {}

    /** The wait needs something of this peer. */
    public void of(final Session session) {
        ranks.add(session.rank());
    }

    /** The wait needs something of this rank. */
    void of(final int rank) {
        ranks.add(rank);
    }

    /** The wait does not need this rank. */
    void not(final int rank) {
        ranks.remove(rank);
    }

    /** The wait needs something of one of these peers. */
    public void ofAny(final Group group) {
        any = true;
        group.addOthers(ranks);
    }

    /** The wait ends with the first of several that it is for. */
    public void any() {
        any = true;
    }

    boolean isAny() {
        return any;
    }

    List<Integer> ranks() {
        return new ArrayList<>(ranks);
    }
}
