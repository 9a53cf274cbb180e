package org.parley.wireup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The members of a communicator, by rank in the world and in the communicator's order, as runs of consecutive ranks: first
 * and count of each. All members have the same, and most communicators need few. Immutable.
 *
 * @param runs first and count of each run
 */
public record Members(List<Integer> runs) {

    /**
     * Makes them of ranks.
     *
     * @param members ranks in the world, or null for the whole world
     * @param size how many there are
     */
    public static Members of(final int[] members, final int size) {
        if (members == null) {
            return new Members(List.of(0, size));
        }
        final List<Integer> runs = new ArrayList<>();
        for (int i = 0; i < size; ) {
            int end = i + 1;
            while (end < size && members[end] == members[end - 1] + 1) {
                end++;
            }
            runs.add(members[i]);
            runs.add(end - i);
            i = end;
        }
        return new Members(List.copyOf(runs));
    }

    /**
     * Reads them from a frame.
     *
     * @param frame as {@link Petition#write} made it
     * @param ranks how many the world has
     * @throws IOException if they are not ranks of the world
     */
    static Members read(final ControlFrame frame, final int ranks) throws IOException {
        final List<Integer> runs = frame.numbers();
        long size = 0;
        for (int i = 0; i + 1 < runs.size(); i += 2) {
            final int first = runs.get(i);
            final int count = runs.get(i + 1);
            if (first < 0 || count < 1 || first > ranks - count) {
                throw new IOException("there are no " + count + " ranks from rank " + first + " on, of " + ranks);
            }
            size += count;
        }
        if (runs.isEmpty() || runs.size() % 2 != 0 || size > ranks) {
            throw new IOException("a communicator of " + size + " members, of " + ranks + " ranks");
        }
        return new Members(List.copyOf(runs));
    }

    /**
     * Shows every member.
     *
     * @param action takes the rank in the world
     */
    public void forEach(final IntConsumer action) {
        for (int i = 0; i < runs.size(); i += 2) {
            for (int rank = runs.get(i); rank < runs.get(i) + runs.get(i + 1); rank++) {
                action.accept(rank);
            }
        }
    }

    boolean contains(final int rank) {
        for (int i = 0; i < runs.size(); i += 2) {
            if (rank >= runs.get(i) && rank < runs.get(i) + runs.get(i + 1)) {
                return true;
            }
        }
        return false;
    }
}
