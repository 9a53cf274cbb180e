package org.parley.schedule;

/**
 * One way of doing a collective. Stateless; any thread.
 *
 * <p>Conventions of plans: INPUT holds the caller's contribution, OUTPUT its result (for BCAST both
 * are the one buffer, named OUTPUT; for REDUCE, OUTPUT exists at the root only). Where the call is
 * in place they are the same memory: then a plan reads each part of INPUT before it writes the same
 * part of OUTPUT.
 */
public interface CollectiveAlgorithm {

    /** Returns the operation that it does. */
    Collective collective();

    /** Returns the algorithm's name in the literature. */
    String name();

    /**
     * Whether the algorithm can do a call at all: number of ranks, commutativity.
     *
     * @param call the call
     */
    boolean fits(CollectiveCall call);

    /**
     * Estimates the time of a call by the algorithm's cost formula; the choice is the {@link CollectiveTable}'s.
     *
     * @param ranks size of the communicator
     * @param bytes message length
     * @param latency seconds per message
     * @param secondsPerByte transfer time per byte
     * @return seconds
     */
    double cost(int ranks, long bytes, double latency, double secondsPerByte);

    /**
     * Plans the calling rank's steps.
     *
     * @param call the call
     * @return steps that, run by all ranks, do the operation
     */
    Schedule plan(CollectiveCall call);
}
