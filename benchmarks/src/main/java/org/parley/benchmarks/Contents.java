package org.parley.benchmarks;

/** What messages hold that are checked: no two of them the same. */
final class Contents {
    private Contents() {}

    static long seed(final int sender, final int iteration, final int slot) {
        return ((long) sender << 48) + ((long) iteration << 16) + slot + 1;
    }

    /** Returns what is wrong with a message, or null. */
    static String check(
            final Block block,
            final long offset,
            final long bytes,
            final int sender,
            final int iteration,
            final int slot) {
        final long wrong = block.mismatch(offset, bytes, seed(sender, iteration, slot));
        return wrong < 0
                ? null
                : "message "
                        + slot
                        + " from rank "
                        + sender
                        + " in iteration "
                        + iteration
                        + " is wrong from byte "
                        + wrong
                        + " of "
                        + bytes;
    }
}
