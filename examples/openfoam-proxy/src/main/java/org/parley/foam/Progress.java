package org.parley.foam;

import java.util.function.Consumer;
import org.parley.foam.dictionary.Numbers;

/** Says on stderr from time to time how far a run is. */
final class Progress implements Consumer<RunTime> {
    private static final long EACH = 5_000_000_000L;

    private final long started = System.nanoTime();
    private long said = started;

    @Override
    public void accept(final RunTime time) {
        final long now = System.nanoTime();
        if (now - said < EACH) {
            return;
        }
        said = now;
        final double done = (time.value() - time.startValue()) / (time.endTime() - time.startValue());
        final double left = (now - started) * 1e-9 * (1 - done) / done;
        System.err.println("icofoam: time " + time.name() + " of " + time.name(time.endTime()) + ", "
                + Numbers.format(100 * done, 2) + " %, " + (long) left + " s left");
    }
}
