package org.parley;

/** A program that runs as one rank; see {@link Parley#local(int, Program)}. */
@FunctionalInterface
public interface Program {

    /**
     * Runs one rank.
     *
     * @param parley the rank's place in the job; closed after the return
     * @throws Exception to fail the job
     */
    void run(Parley parley) throws Exception;
}
