package org.parley.engine;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.parley.wireup.LongWait;
import org.parley.wireup.Place;

/**
 * What this rank waits for, once that has become long: noted in the place, for who looks after the rank was killed, and
 * told with whom it waits for to who asks. Written by the holder of the progress word, {@link #current} by any thread.
 */
final class Waits {
    /** @param began by {@link System#nanoTime} */
    private record Noted(String call, long turn, long began, boolean any, List<Integer> ranks) {}

    private final Place place;
    private final boolean multiple;
    private Pending pending;
    private long began;
    private long turns;
    private volatile Noted noted;

    /** @param multiple whether several threads may wait at once, so that the others of one may still do its part */
    Waits(final Place place, final boolean multiple) {
        this.place = place;
        this.multiple = multiple;
    }

    /** Nothing has happened for a while, and this is waited for. */
    void note(final Pending what) {
        if (pending != what) {
            pending = what;
            began = System.nanoTime();
        }
        final Needs needs = new Needs();
        if (!multiple) {
            what.needs(needs);
        }
        final String call = what.describe();
        noted = new Noted(call, ++turns, began, needs.isAny(), needs.ranks());
        place.waiting(call);
    }

    /** A wait has ended. */
    void over() {
        if (noted != null) {
            noted = null;
            pending = null;
            place.waiting(null);
        }
    }

    /** Returns what is waited for since a while, or null. Any thread. */
    LongWait current() {
        final Noted now = noted;
        return now == null
                ? null
                : new LongWait(
                        now.call,
                        now.turn,
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - now.began),
                        now.any,
                        now.ranks);
    }
}
