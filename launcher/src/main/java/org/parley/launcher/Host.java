package org.parley.launcher;

import java.util.List;
import org.parley.wireup.Ruling;

/**
 * The ranks of this machine, or of others, as a job's owner has them. What happens to them comes by
 * {@link HostEvents}. Any thread; no call waits for another process.
 */
interface Host extends AutoCloseable {
    /** Starts the ranks' processes. */
    void start();

    /** Gives ranks everybody's address: {@link org.parley.wireup.WireUp#everybody}. */
    void everybody(byte[] addresses);

    /** Tells ranks that the wire-up will not succeed. */
    void hopeless(String why);

    /** Tells ranks who has left. */
    void left(List<Integer> ranks);

    /** Tells ranks that one has died, and how. */
    void died(int rank, String cause);

    /** Tells some ranks what the job's arbiter has found. */
    void tell(List<Integer> ranks, Ruling ruling);

    /** Tells ranks that the job ends, so that they do not report what fails from now on. */
    void stopping();

    /** Asks ranks what they are doing, with the stacks of their threads or without. */
    void requestReports(boolean stacks);

    /**
     * Sends a signal to the process groups of ranks; those that are not here or do not run are left out.
     *
     * @param name such as {@code TERM}
     */
    void signal(String name, List<Integer> ranks);

    /** Ends what is left of the ranks and removes all that was made for them. */
    @Override
    void close();
}
