package org.parley.schedule;

/** Selects algorithms; found by {@link java.util.ServiceLoader}. Stateless; any thread. */
public interface CollectiveTable {

    /**
     * Selects the algorithm for a call: the same on all ranks of the communicator.
     *
     * @param call the call
     * @return the algorithm
     */
    CollectiveAlgorithm select(CollectiveCall call);
}
