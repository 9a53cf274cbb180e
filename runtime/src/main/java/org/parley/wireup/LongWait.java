package org.parley.wireup;

import java.io.IOException;
import java.util.List;

/**
 * What a rank waits for since long, and for whom.
 *
 * @param call the call, for people
 * @param turn which wait of the rank's this is: another number means that something has happened there meanwhile
 * @param millis for how long the call has waited
 * @param any whether it ends when one of the ranks does its part, rather than all
 * @param ranks whom it waits for, by their ranks in the world; empty if that is not known
 */
public record LongWait(String call, long turn, long millis, boolean any, List<Integer> ranks) {
    private static final int NONE = 0;
    private static final int ALL = 1;
    private static final int ANY = 2;

    /**
     * Adds a wait to a frame.
     *
     * @param wait the wait, or null
     * @param frame where to
     */
    public static void write(final LongWait wait, final ControlFrame.Builder frame) {
        if (wait == null) {
            frame.number(NONE);
        } else {
            frame.number(wait.any ? ANY : ALL)
                    .text(wait.call)
                    .longNumber(wait.turn)
                    .longNumber(wait.millis)
                    .numbers(wait.ranks);
        }
    }

    /**
     * Reads what {@link #write} has added.
     *
     * @param frame from where
     * @return the wait, or null
     * @throws IOException if there is none in the frame
     */
    public static LongWait read(final ControlFrame frame) throws IOException {
        final int kind = frame.number();
        return kind == NONE
                ? null
                : new LongWait(
                        frame.text(),
                        frame.longNumber(),
                        frame.longNumber(),
                        kind == ANY,
                        List.copyOf(frame.numbers()));
    }
}
