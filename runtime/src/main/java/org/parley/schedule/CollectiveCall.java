package org.parley.schedule;

import org.parley.Datatype;

/**
 * What a plan depends on: everything about a call but the buffers.
 *
 * @param collective which operation
 * @param rank the calling rank in the communicator
 * @param ranks size of the communicator
 * @param root the root; 0 where there is none
 * @param count elements
 * @param type type of the elements
 * @param commutative whether the reduction may be reordered; true where there is none
 * @param inPlace whether this rank's INPUT is its OUTPUT; ranks may differ, so it does not choose
 *     the algorithm
 */
public record CollectiveCall(
        Collective collective,
        int rank,
        int ranks,
        int root,
        long count,
        Datatype type,
        boolean commutative,
        boolean inPlace) {

    /** Returns the message's length in bytes. */
    public long bytes() {
        return count * type.size();
    }
}
