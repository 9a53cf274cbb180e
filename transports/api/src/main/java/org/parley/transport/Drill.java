package org.parley.transport;

import java.util.Random;

/**
 * Says when a rank is to break one of its links, and which one: at random, so that all that can happen does.
 *
 * <p>Threads: as {@link Transport} says; its counts may be read by others.
 */
public final class Drill {
    /** How often; of every transport whose links come back. */
    public static final Option INTERVAL = new Option(
            "drill.interval",
            Option.Kind.TIME,
            "0s",
            "Breaks a connection between ranks at random about so often in the job, as a rehearsal; 0s: never. What --drill sets.");

    private final long meanNanos;
    private final Random random = new Random();
    private long next;
    private long cuts;

    /** A link that can be broken. */
    public interface Breakable {
        /** Whether it has brought a frame, or the acknowledgement of one. */
        boolean hasMoved();

        /**
         * Breaks it.
         *
         * @param why what is to be said of it
         */
        void cut(String why);
    }

    private Drill(final long meanNanos) {
        this.meanNanos = meanNanos;
        next = System.nanoTime() + pause();
    }

    /**
     * Makes a rank's.
     *
     * @param context where the rank is; its options say how often
     * @return null where nothing is to be broken
     */
    public static Drill of(final TransportContext context) {
        final long interval = context.options().number(INTERVAL.key());
        return interval == 0 ? null : new Drill(interval * context.size());
    }

    private long pause() {
        return (long) (-Math.log(1 - random.nextDouble()) * meanNanos);
    }

    /** Whether it is time for {@link #cut}. */
    public boolean isDue() {
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
     * @param links of the rank
     * @return whether there was one
     */
    public boolean cut(final Breakable... links) {
        final int first = links.length == 0 ? 0 : random.nextInt(links.length);
        for (int i = 0; i < links.length; i++) {
            final Breakable link = links[(first + i) % links.length];
            if (link.hasMoved()) {
                link.cut("cut by the drill");
                cuts++;
                return true;
            }
        }
        return false;
    }

    /** Returns how many microseconds lie between two breaks of this rank, on average. */
    public long meanMicros() {
        return Math.max(1, meanNanos / 1000);
    }

    /** Returns how many links were broken. */
    public long cuts() {
        return cuts;
    }
}
