package org.parley.collectives;

/** How parts of a message are cut, the same on all ranks. */
final class Segments {
    /**
     * Bytes of a piece that is passed on, or combined, while the next one is on its way: it should
     * stay in a core's cache meanwhile.
     */
    static final long SIZE = 128 * 1024;

    /** Most pieces of one part: what may be under way to one peer is bounded. */
    private static final long MOST = 32;

    private static final long PAGE = 4096;

    private Segments() {}

    /** What is done with each piece. */
    interface Action {
        void on(long offset, long bytes);
    }

    /** Cuts a part of a message into pieces, in order. */
    static void each(final long from, final long to, final long element, final Action action) {
        final long step = step(to - from, element);
        for (long at = from; at < to; at += step) {
            action.on(at, Math.min(step, to - at));
        }
    }

    /** Returns how many pieces a message is cut into. */
    static long count(final long bytes) {
        return Math.max(1, (bytes + step(bytes, 1) - 1) / step(bytes, 1));
    }

    private static long step(final long bytes, final long element) {
        final long even = (bytes + MOST - 1) / MOST;
        return Math.max(SIZE, (even + element - 1) / element * element);
    }

    /** Cuts a part in two: where the second half begins; on a page if the part is long. */
    static long middle(final long from, final long to, final long element) {
        final long half = (to - from) / 2;
        final long unit = half >= 4 * PAGE ? PAGE : element;
        return from + half / unit * unit;
    }
}
