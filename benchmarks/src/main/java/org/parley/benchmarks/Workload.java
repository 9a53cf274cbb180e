package org.parley.benchmarks;

/** What one rank does in a benchmark. Loops allocate nothing and look at no clock within. */
abstract class Workload {

    /** Whether this rank's time counts. */
    abstract boolean isTimed();

    /**
     * Turns to a size.
     *
     * @param bytes of a message
     */
    abstract void prepare(long bytes);

    /**
     * Runs; all ranks of the world do it at once, also those that only stand by.
     *
     * @param iterations how many
     * @param recorder gets the time of each iteration; null: nobody does
     * @return nanoseconds that count
     */
    abstract long run(int iterations, Recorder recorder);

    /**
     * Writes what one iteration sends, different in each.
     *
     * @param iteration its number
     */
    abstract void fill(int iteration);

    /**
     * Checks what one iteration received.
     *
     * @param iteration its number
     * @return what is wrong, or null
     */
    abstract String check(int iteration);

    /** Gives the memory back. */
    abstract void close();
}
