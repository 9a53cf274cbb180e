package org.parley.transport.verbs;

import java.util.concurrent.TimeUnit;

/** For how long a peer has not acknowledged what it was sent, and when that is sent again: after twice the time each time. */
final class Patience {
    private static final long SLOWEST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A peer that has not answered so often may have moved. */
    private static final int OFTEN = 4;

    private final long first;
    private final long last;
    private long since;
    private long lastSent;
    private long pause;
    private int tries;
    private boolean progressed;
    private boolean answered;

    enum Verdict {
        /** There is nothing to do. */
        WAIT,
        /** All is to be sent again. */
        AGAIN,
        /** The peer has had its time. */
        GIVE_UP
    }

    Patience(final long first, final long last) {
        this.first = first;
        this.last = last;
    }

    /** The peer has something more. */
    void progressed() {
        progressed = true;
    }

    /** The peer is there, and computes. */
    void answered() {
        answered = true;
    }

    /** There is another way to the peer. */
    void begins() {
        since = 0;
    }

    Verdict look(final long now, final boolean isAcknowledged) {
        Verdict verdict = Verdict.WAIT;
        if (isAcknowledged) {
            since = 0;
        } else if (since == 0 || progressed) {
            since = now;
            lastSent = now;
            pause = first;
            tries = 0;
        } else if (answered) {
            since = now;
            tries = 0;
        } else if (now - since > last) {
            verdict = Verdict.GIVE_UP;
        } else if (now - lastSent > pause) {
            lastSent = now;
            pause = Math.min(2 * pause, SLOWEST_NANOS);
            tries++;
            verdict = Verdict.AGAIN;
        }
        progressed = false;
        answered = false;
        return verdict;
    }

    /** Whether the peer is silent for more than datagrams that are lost now and then. */
    boolean isLong() {
        return tries >= OFTEN;
    }

    double seconds(final long now) {
        return TimeUnit.NANOSECONDS.toMillis(now - since) / 1e3;
    }
}
