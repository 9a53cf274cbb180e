package org.parley.schedule;

/** The collective operations (MPI-3.1 chapter 5). */
public enum Collective {
    /** MPI-3.1 section 5.3. */
    BARRIER,
    /** MPI-3.1 section 5.4. */
    BCAST,
    /** MPI-3.1 section 5.9.1. */
    REDUCE,
    /** MPI-3.1 section 5.9.6. */
    ALLREDUCE
}
