package org.parley.launcher;

import java.util.List;
import org.parley.wireup.RankEvents;
import org.parley.wireup.WaitFile;

/** Told what ranks of a host do, and what becomes of their processes; on any thread, so it must not wait. */
interface HostEvents extends RankEvents {
    /** An agent has the plan for its host. */
    void ready(int host, Facts facts);

    /** A host is lost, the first, and others that were reached through it. */
    void lost(List<Integer> hosts, String how);

    /** A host has taken so many bytes of the program's files. */
    void copied(int host, long bytes);

    /** Nothing has been heard of a host for long. */
    void quiet(int host, long seconds);

    /** A rank's process runs. */
    void started(int rank, long pid);

    /** A rank's process could not be made. */
    void notStarted(int rank, String why);

    /** A rank's process has ended. */
    void ended(int rank, Ending ending);

    /**
     * How a process ended.
     *
     * @param code its exit code, or 128 + signal
     * @param lastWait the rank's last long wait, or null
     * @param crashReport where the JVM has written what it crashed of, or null
     */
    record Ending(int code, WaitFile.Wait lastWait, String crashReport) {}
}
