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

    TcpEndpoint choose(final TcpEndpoint[] links) {
        cuts++;
        return links[random.nextInt(links.length)];
    }

    long meanMicros() {
        return Math.max(1, meanNanos / 1000);
    }

    long cuts() {
        return cuts;
    }
}
