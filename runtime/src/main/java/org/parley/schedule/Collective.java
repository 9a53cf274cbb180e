package org.parley.schedule;

import java.util.Locale;

/** The collective operations (MPI-3.1 chapter 5). */
public enum Collective {
    /** MPI-3.1 section 5.3. */
    BARRIER,
    /** MPI-3.1 section 5.4. */
    BCAST,
    /** MPI-3.1 section 5.9.1. */
    REDUCE,
    /** MPI-3.1 section 5.9.6. */
    ALLREDUCE;

    private final String title = name().toLowerCase(Locale.ROOT);

    /** Returns its name for people. */
    public String title() {
        return title;
    }
}
