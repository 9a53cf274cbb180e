package org.parley.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/** Reads the launcher's standard input for a rank 0 on another host, no faster than that takes it. */
final class InputPump {
    private static final int WINDOW = 64 * 1024;
    private static final int STACK = 128 * 1024;
    private static final long LOOK_MILLIS = 500;

    private final InputStream in;
    private final Consumer<byte[]> way;
    private int underWay;

    /**
     * Makes one.
     *
     * @param way where bytes go; none: the end
     */
    InputPump(final InputStream in, final Consumer<byte[]> way) {
        this.in = in;
        this.way = way;
    }

    void start() {
        final Thread thread = new Thread(null, this::run, "parley-input", STACK);
        thread.setDaemon(true);
        thread.start();
    }

    /** So many bytes have been taken. */
    synchronized void taken(final int bytes) {
        underWay -= bytes;
        notifyAll();
    }

    private synchronized int room() throws InterruptedException {
        while (underWay >= WINDOW) {
            wait();
        }
        return WINDOW - underWay;
    }

    private void run() {
        final byte[] buffer = new byte[WINDOW];
        try {
            for (; ; ) {
                final int room = room();
                while (isInBackground()) {
                    // To read from a terminal there would stop the whole job.
                    Thread.sleep(LOOK_MILLIS);
                }
                final int count = in.read(buffer, 0, room);
                if (count < 0) {
                    break;
                }
                synchronized (this) {
                    underWay += count;
                }
                way.accept(Arrays.copyOf(buffer, count));
            }
        } catch (final IOException e) {
            // It ends here, whatever the reason.
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        way.accept(new byte[0]);
    }

    /** Whether a terminal is the input, and another process group has it. */
    private static boolean isInBackground() {
        if (!Output.isInputTerminal()) {
            return false;
        }
        try {
            final String stat = Files.readString(Path.of("/proc/self/stat"));
            // Behind the name: state, parent, group, session, terminal, the terminal's group.
            final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return !fields[2].equals(fields[5]);
        } catch (final IOException e) {
            return false;
        }
    }
}
