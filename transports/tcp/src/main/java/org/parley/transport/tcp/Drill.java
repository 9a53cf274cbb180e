package org.parley.transport.tcp;

import java.util.Random;

/** Says when a rank is to break one of its links, and which one: at random, so that all that can happen does. */
final class Drill {
    private final long meanNanos;
    private final Random random = new Random();
    private long next;
    private long cuts;

    /** @param meanNanos time between two breaks of this rank, on average */
    Drill(final long meanNanos) {
        this.meanNanos = meanNanos;
        next = System.nanoTime() + pause();
    }

    private long pause() {
        return (long) (-Math.log(1 - random.nextDouble()) * meanNanos);
    }

    boolean isDue() {
        if (System.nanoTime() - next < 0) {
            return false;
        }
        next = System.nanoTime() + pause();
        return true;
    }

    /**
     * Breaks one of the links that have brought something: where breaks come faster than links are made again, all still
     * moves on.
     *
     * @return whether there was one
     */
    boolean cut(final TcpEndpoint[] links) {
        final int first = random.nextInt(links.length);
        for (int i = 0; i < links.length; i++) {
            final TcpEndpoint link = links[(first + i) % links.length];
            if (link.hasMoved()) {
                link.cut("cut by the drill");
                cuts++;
                return true;
            }
        }
        return false;
    }

    long meanMicros() {
        return Math.max(1, meanNanos / 1000);
    }

    long cuts() {
        return cuts;
    }
}
