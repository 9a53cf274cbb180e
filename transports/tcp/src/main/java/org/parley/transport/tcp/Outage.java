package org.parley.transport.tcp;

import java.util.concurrent.TimeUnit;

/** That a link has broken, why, and for how long nothing goes: until both ends have begun with another one. */
final class Outage {
    private String why;
    private String name;
    private long since;
    private long ended;
    private long longest;

    /**
     * The connection is of no use any more. What broke first counts.
     *
     * @param cause what was seen
     * @param connection its name
     */
    void breaks(final String cause, final String connection) {
        begins();
        if (why == null) {
            why = cause;
            name = connection;
        }
    }

    /** The other end may have seen it first. */
    void begins() {
        if (since == 0) {
            since = System.nanoTime() | 1;
        }
    }

    /** There is another connection, on which both ends are to begin. */
    void connects() {
        begins();
        why = null;
    }

    /** Returns how long it was. */
    long ends() {
        final long nanos = nanos();
        ended++;
        longest = Math.max(longest, nanos);
        since = 0;
        return nanos;
    }

    /** Whether there is no connection that is of use. */
    boolean isBroken() {
        return why != null;
    }

    /** Whether the peer's machine has not answered for as long as the kernel waits. */
    boolean isOfSilence() {
        return why.contains("timed out");
    }

    long nanos() {
        return System.nanoTime() - since;
    }

    /** Returns how many were overcome. */
    long count() {
        return ended;
    }

    long longestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longest);
    }

    /** Puts why there will be no other connection behind what broke the last one. */
    String text(final String reason) {
        return why == null ? reason : "lost its link: " + why + " (" + name + "); it " + reason;
    }
}
