package org.parley.transport.verbs;

/**
 * How long short frames wait for others to leave with them, by one message and one doorbell. The first after a poll leaves at once, so that
 * who sends one and waits for the answer waits for nothing else; then four together, sixteen, and so on. The next poll sends what waits, the
 * {@link Keeper} where none comes.
 */
final class Company {
    private static final int GROWTH = 4;
    private static final int MOST = 64;

    private int waiting;
    private int wanted = 1;

    /** One more was committed; returns whether it is to wait. */
    boolean waits() {
        if (++waiting < wanted) {
            return true;
        }
        waiting = 0;
        wanted = Math.min(MOST, GROWTH * wanted);
        return false;
    }

    /** The rank polls: what waited leaves. */
    void polled() {
        waiting = 0;
        wanted = 1;
    }
}
