package org.parley.engine;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The wait of a rank that closes: until all has gone, or nothing moves any more. */
final class Flush implements Pending {
    private final BooleanSupplier isFlushed;
    private final LongSupplier progress;
    private final long patience;
    private long seen;
    private long since = System.nanoTime();

    /**
     * Begins it.
     *
     * @param isFlushed whether all has gone
     * @param progress a number that changes while something moves
     * @param patience nanoseconds that it may stand still
     */
    Flush(final BooleanSupplier isFlushed, final LongSupplier progress, final long patience) {
        this.isFlushed = isFlushed;
        this.progress = progress;
        this.patience = patience;
        this.seen = progress.getAsLong();
    }

    @Override
    public boolean isDone() {
        if (isFlushed.getAsBoolean()) {
            return true;
        }
        final long now = System.nanoTime();
        final long moved = progress.getAsLong();
        if (moved != seen) {
            seen = moved;
            since = now;
        }
        return now - since > patience;
    }

    @Override
    public String describe() {
        return "close: sending what is under way";
    }
}
