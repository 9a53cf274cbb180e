package org.parley.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import org.parley.ParleyException;

/**
 * The members of a communicator: whether a receive from any source can still hear from one, which have failed, and whether
 * the communicator is still of use. Belongs to the holder of the progress word.
 */
public final class Group {
    private final int context;
    private final int[] members;
    private final int rank;
    private final int size;

    /** The communicator's cache, by rank in it: empty once it is closed, so that no call finds its peer without asking. */
    private final Session[] sessions;

    /** All members before this one are gone, or this rank itself: who is gone does not come back. */
    private int reached;

    /** Members whose failure the program knows of. */
    private final BitSet acknowledged = new BitSet();

    /** Why no collective can be: the ranks may be out of step, so that a later one could wait for ever. */
    private ParleyException broken;

    /** Why there are no messages at all any more. */
    private ParleyException closed;

    /**
     * Makes one.
     *
     * @param context the communicator's
     * @param members the members' ranks in the world, or null for the identity
     * @param rank this rank in the communicator
     * @param sessions the communicator's cache of sessions, by rank in it
     */
    public Group(final int context, final int[] members, final int rank, final Session[] sessions) {
        this.context = context;
        this.members = members;
        this.rank = rank;
        this.size = sessions.length;
        this.sessions = sessions;
    }

    int context() {
        return context;
    }

    private int inWorld(final int member) {
        return members == null ? member : members[member];
    }

    boolean contains(final int worldRank) {
        if (members == null) {
            return worldRank < size;
        }
        return Arrays.stream(members).anyMatch(member -> member == worldRank);
    }

    /** Adds the ranks of all but this one. */
    void addOthers(final Collection<Integer> ranks) {
        for (int member = 0; member < size; member++) {
            if (member != rank) {
                ranks.add(inWorld(member));
            }
        }
    }

    /** Whether there were others, and all are gone; or the communicator is closed. */
    boolean isDeserted(final Peers peers) {
        while (reached < size && (reached == rank || peers.isGone(inWorld(reached)))) {
            reached++;
        }
        return reached == size && (size > 1 || closed != null);
    }

    /** Returns the first failed member of whom the program does not know, or null. */
    Session unacknowledged(final Peers peers) {
        for (int member = 0; member < size; member++) {
            if (peers.hasFailed(inWorld(member)) && !acknowledged.get(member)) {
                return peers.ofRank(inWorld(member));
            }
        }
        return null;
    }

    /** Returns the members that have failed, by rank in the communicator. */
    List<Integer> failed(final Peers peers) {
        final List<Integer> result = new ArrayList<>();
        for (int member = 0; member < size; member++) {
            if (peers.hasFailed(inWorld(member))) {
                result.add(member);
            }
        }
        return result;
    }

    void acknowledge(final List<Integer> failed) {
        failed.forEach(acknowledged::set);
    }

    /** Says why no later collective can be; the first reason stays. */
    public void breakBy(final ParleyException cause) {
        if (broken == null) {
            broken = cause;
        }
    }

    /** Returns why no collective can be, or null. */
    public ParleyException broken() {
        return broken;
    }

    void close(final ParleyException cause) {
        closed = cause;
        broken = cause;
        reached = size;
        Arrays.fill(sessions, null);
    }

    /** Returns why there are no messages any more, or null. */
    public ParleyException closed() {
        return closed;
    }
}
