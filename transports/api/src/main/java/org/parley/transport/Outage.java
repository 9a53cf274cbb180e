package org.parley.transport;

import java.util.concurrent.TimeUnit;

/**
 * That a link has broken, why, and for how long nothing goes: until both ends have begun with another one. One of these is one end of a
 * pair's link, however often it breaks.
 *
 * <p>Threads: as {@link Transport} says; its counts may be read by others, which may lag behind.
 */
public final class Outage {
    /** For how long whoever has lost a link tries; of every transport whose links come back. */
    public static final Option TIMEOUT = new Option(
            "reconnect.timeout",
            Option.Kind.TIME,
            "30s",
            "For how long a connection between ranks that broke is tried to be made again, before the peer has failed; 0s: not at"
                    + " all.");

    private String why;
    private String name;
    private long since;
    private long ended;
    private long longest;

    /** Nothing is broken. */
    public Outage() {}

    /**
     * The connection is of no use any more. What broke first counts.
     *
     * @param cause what was seen
     * @param connection its name
     */
    public void breaks(final String cause, final String connection) {
        begins();
        if (why == null) {
            why = cause;
            name = connection;
        }
    }

    private void begins() {
        if (since == 0) {
            since = System.nanoTime() | 1;
        }
    }

    /** There is another connection, on which both ends are to begin; the other end may have seen the break first. */
    public void connects() {
        begins();
        why = null;
    }

    /** Both ends have begun; returns how many nanoseconds it was. */
    public long ends() {
        final long nanos = nanos();
        ended++;
        longest = Math.max(longest, nanos);
        since = 0;
        return nanos;
    }

    /** Whether there is no connection that is of use. */
    public boolean isBroken() {
        return why != null;
    }

    /** Returns what broke first; null: nothing, or there is another connection. */
    public String cause() {
        return why;
    }

    /** Returns for how many nanoseconds nothing has gone, while something is broken. */
    public long nanos() {
        return System.nanoTime() - since;
    }

    /** Returns how many were overcome. */
    public long count() {
        return ended;
    }

    /** Returns how many milliseconds the longest took of those that were overcome. */
    public long longestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longest);
    }

    /**
     * Puts why there will be no other connection behind what broke the last one.
     *
     * @param reason why there will be none
     */
    public String text(final String reason) {
        return why == null ? reason : "lost its link: " + why + " (" + name + "); it " + reason;
    }
}
