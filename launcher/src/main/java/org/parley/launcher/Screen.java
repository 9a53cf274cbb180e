package org.parley.launcher;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import java.util.List;

/**
 * Where a table is shown again and again: in its place on a terminal, one below the other elsewhere.
 *
 * @param isTerminal whether its cursor can be moved
 * @param width characters of a line
 * @param height lines
 */
record Screen(boolean isTerminal, int width, int height) {
    private static final int UNBOUNDED = Integer.MAX_VALUE;
    private static final int STANDARD_WIDTH = 80;
    private static final int STANDARD_HEIGHT = 24;

    /** Asks a terminal for its size; of Linux. */
    private static final int WINDOW_SIZE = 0x5413;

    private static final String HOME = "\033[H";
    private static final String REST_OF_LINE = "\033[K";
    private static final String REST_OF_SCREEN = "\033[J";
    private static final String ALL = "\033[2J";

    /** Returns one without bounds, and without codes for a terminal. */
    static Screen plain() {
        return new Screen(false, UNBOUNDED, UNBOUNDED);
    }

    /** Returns what the standard output leads to. */
    static Screen ofOutput() {
        if (!Output.isOutputTerminal() || "dumb".equals(System.getenv("TERM"))) {
            return plain();
        }
        System.out.print(ALL);
        return new Screen(true, STANDARD_WIDTH, STANDARD_HEIGHT).measured();
    }

    /** Returns it with the size that it has now: users change it. */
    Screen measured() {
        if (!isTerminal) {
            return this;
        }
        try (Memory size = new Memory(Long.BYTES)) {
            final Object[] arguments = {1, new NativeLong(WINDOW_SIZE), size};
            final boolean isKnown =
                    Function.getFunction("c", "ioctl").invokeInt(arguments) == 0 && size.getShort(2) > 0;
            return isKnown ? new Screen(true, size.getShort(2), size.getShort(0)) : this;
        } catch (final UnsatisfiedLinkError e) {
            // As wide as terminals always were.
            return this;
        }
    }

    /** Shows lines instead of those before. */
    void show(final List<String> lines) {
        final StringBuilder text = new StringBuilder(isTerminal ? HOME : "");
        for (final String line : lines) {
            text.append(line).append(isTerminal ? REST_OF_LINE : "").append('\n');
        }
        System.out.print(text.append(isTerminal ? REST_OF_SCREEN : "\n"));
        System.out.flush();
    }
}
