package org.parley.wireup;

import org.parley.JobException;

/** A rank that a launcher started, or whose variables somebody set. */
public final class LaunchedPlace {
    private LaunchedPlace() {}

    /** Whether the environment names a rank. */
    public static boolean isLaunched() {
        return System.getenv("PARLEY_RANK") != null;
    }

    /** Joins the job that the environment names. */
    public static Place join() {
        throw new JobException("not yet");
    }
}
