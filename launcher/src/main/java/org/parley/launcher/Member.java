package org.parley.launcher;

import org.parley.wireup.LongWait;
import org.parley.wireup.WaitFile;

/** What the launcher knows of one rank. Used by the job's thread only. */
final class Member {
    /** Of a rank that has not ended. */
    static final int RUNNING = Integer.MIN_VALUE;

    final int rank;
    long pid = -1;
    long startedNanos;
    long endedNanos;
    int code = RUNNING;
    boolean joined;
    boolean left;
    boolean disconnected;
    boolean reported;
    boolean judged;

    /** What it waits for, as it said last; null: for nothing since long. */
    LongWait wait;

    /** What ended it, as far as it said so itself. */
    String exception;

    /** The rank whose failure that exception reports, or -1. */
    int blames = -1;

    /** Whether it was told to stop, because the job ends. */
    boolean toldToStop;

    boolean killed;

    /** Whether it has failed, and the job goes on without it. */
    boolean outlived;

    /** Its last long wait, read when it ended. */
    WaitFile.Wait lastWait;

    /** Where its JVM has written what it crashed of, or null. */
    String crashReport;

    Member(final int rank) {
        this.rank = rank;
    }

    /** Its host is lost, and with it all that could still be known of it. */
    void lost() {
        code = 1;
        endedNanos = System.nanoTime();
        judged = true;
    }

    boolean isRunning() {
        return pid >= 0 && code == RUNNING;
    }

    boolean hasEnded() {
        return code != RUNNING;
    }

    double seconds() {
        return ((hasEnded() ? endedNanos : System.nanoTime()) - startedNanos) / 1e9;
    }

    /** Says how it ended, for people. */
    String ending() {
        return exception != null && Signals.ofExitCode(code) == null ? "ended by an exception" : ending(code);
    }

    /** Says what an exit code tells, for people. */
    static String ending(final int code) {
        final String signal = Signals.ofExitCode(code);
        return signal != null ? "ended by SIG" + signal : "exited with code " + code;
    }
}
