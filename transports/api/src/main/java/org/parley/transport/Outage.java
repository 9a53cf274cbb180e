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

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int MOST_DOUBLINGS = 5;

    private boolean broken;
    private int breaks;
    private String why;
    private String name;
    private long since;
    private long sinceBefore;
    private long endedAt;
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
        broken = true;
        breaks++;
        if (why == null) {
            why = cause;
            name = connection;
        }
    }

    /**
     * The link that ended the last outage is of no use, and has brought nothing: if it has not lasted either, that outage goes on. Some
     * paths carry first words and nothing longer; who tries them again and again would wait for ever.
     *
     * @param nanos how long a link has lasted that was of use
     */
    public void goesOn(final long nanos) {
        if (since == 0 && sinceBefore != 0 && System.nanoTime() - endedAt < nanos) {
            since = sinceBefore;
        }
    }

    private void begins() {
        if (since == 0) {
            since = System.nanoTime() | 1;
            breaks = 0;
        }
    }

    /** There is another connection, on which both ends are to begin; the other end may have seen the break first. */
    public void connects() {
        begins();
        broken = false;
    }

    /** Both ends have begun; returns how many nanoseconds it was. */
    public long ends() {
        endedAt = System.nanoTime();
        final long nanos = endedAt - since;
        ended++;
        longest = Math.max(longest, nanos);
        sinceBefore = since;
        since = 0;
        why = null;
        return nanos;
    }

    /** Whether there is no connection that is of use. */
    public boolean isBroken() {
        return broken;
    }

    /** Returns what broke first; null: nothing, or the other end has seen it. */
    public String cause() {
        return why;
    }

    /** Returns for how many nanoseconds nothing has gone, while something is broken. */
    public long nanos() {
        return System.nanoTime() - since;
    }

    /** Returns for how many nanoseconds to wait before another try: the more links were of no use, the longer; none before the first. */
    public long pauseNanos() {
        return breaks < 2
                ? 0
                : Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(breaks - 2, MOST_DOUBLINGS));
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
