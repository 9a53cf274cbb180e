package org.parley.transport.verbs;

/**
 * Datagrams to one peer that it has not acknowledged, in order: for each, the position in the stream of frames behind it, which is a frame's
 * number and an offset in it.
 *
 * <p>How many there may be follows from both ends. The peer says how many it takes, its share of the one pool of receives. The sender halves its own
 * number after a loss and begins with one after a time without an answer; it grows back with each datagram that is acknowledged, from where the loss was
 * one by one with each window.
 */
final class Flight {
    static final int MOST = 64;
    private static final int FIRST = 16;

    private final int[] numbers = new int[MOST];
    private final int[] offsets = new int[MOST];
    private int first;
    private int count;
    private int window = FIRST;
    private int peers = FIRST;
    private int steady = MOST;
    private int grown;

    /** Whether one more may leave. */
    boolean hasRoom() {
        return count < Math.min(window, peers);
    }

    boolean isEmpty() {
        return count == 0;
    }

    void add(final int number, final int offset) {
        final int at = (first + count++) % MOST;
        numbers[at] = number;
        offsets[at] = offset;
    }

    /** The peer has everything before a position. */
    void acknowledged(final int number, final int offset) {
        while (count > 0 && isUpTo(numbers[first], offsets[first], number, offset)) {
            first = (first + 1) % MOST;
            count--;
            if (window < steady || ++grown >= window) {
                grown = 0;
                window = Math.min(MOST, window + 1);
            }
        }
    }

    /** Whether a position is not behind another one. */
    static boolean isUpTo(final int number, final int offset, final int otherNumber, final int otherOffset) {
        return number - otherNumber < 0 || number == otherNumber && offset <= otherOffset;
    }

    /** The peer takes so many. */
    void peerTakes(final int datagrams) {
        peers = Math.max(1, Math.min(MOST, datagrams));
    }

    /** All are sent again, over another way. */
    void begins() {
        count = 0;
    }

    /** All are sent again, fewer at a time: one of them was lost. */
    void lost() {
        count = 0;
        grown = 0;
        window = Math.max(1, window / 2);
        steady = window;
    }

    /** All are sent again, one at a time: nothing is heard of them. */
    void unanswered() {
        lost();
        window = 1;
    }
}
