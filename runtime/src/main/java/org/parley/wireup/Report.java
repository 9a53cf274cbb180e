package org.parley.wireup;

import java.nio.ByteBuffer;
import java.util.Map;

/** A rank's answer to "what are you doing?". */
final class Report {
    /** Characters of all stacks together: what is longer helps nobody and must fit into a frame. */
    private static final int LONGEST = 256 * 1024;

    private Report() {}

    /**
     * Makes the frame: what the rank waits for, its counters, the stacks of the threads that run its
     * program, and those of all others.
     *
     * @param news the rank's engine, or null if it is not that far
     * @param stacks whether stacks are wanted, or only the wait and the counters
     */
    static ByteBuffer make(final Place.News news, final boolean stacks) {
        final ControlFrame.Builder frame = new ControlFrame.Builder(ControlFrame.REPORT);
        LongWait.write(news == null ? null : news.currentWait(), frame);
        final StringBuilder program = new StringBuilder();
        final StringBuilder others = new StringBuilder();
        final Map<Thread, StackTraceElement[]> threads = stacks ? Thread.getAllStackTraces() : Map.of();
        for (final Map.Entry<Thread, StackTraceElement[]> entry : threads.entrySet()) {
            final Thread thread = entry.getKey();
            // Java's launcher names it so; its number is 1 or 3, by the version.
            final boolean isProgram = "main".equals(thread.getName()) || isInLibrary(entry.getValue());
            if (thread != Thread.currentThread()) {
                append(isProgram ? program : others, thread, entry.getValue());
            }
        }
        return frame.text(news == null ? "" : news.counters())
                .text(shortened(program))
                .text(shortened(others))
                .build();
    }

    private static boolean isInLibrary(final StackTraceElement[] stack) {
        for (final StackTraceElement frame : stack) {
            if (frame.getClassName().startsWith("org.parley.")) {
                return true;
            }
        }
        return false;
    }

    private static void append(final StringBuilder text, final Thread thread, final StackTraceElement[] stack) {
        text.append('"').append(thread.getName()).append("\" ").append(thread.getState());
        text.append(thread.isDaemon() ? ", daemon\n" : "\n");
        for (final StackTraceElement frame : stack) {
            text.append("    at ").append(frame).append('\n');
        }
    }

    private static String shortened(final StringBuilder text) {
        return text.length() <= LONGEST ? text.toString() : text.substring(0, LONGEST) + "...\n";
    }
}
