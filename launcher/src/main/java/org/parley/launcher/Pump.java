package org.parley.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Carries one stream of one rank to its sink, line by line. */
final class Pump implements Runnable {
    private static final int START = 16 * 1024;

    /** Longer lines are not held back as a whole: the stream takes the floor instead. */
    private static final int LONGEST = 4 << 20;

    private static final long PROMPT_NANOS = 200_000_000L;

    private final InputStream in;
    private final Sink sink;
    private final boolean holdsBack;
    private final boolean showsPrompts;
    private byte[] buffer = new byte[START];
    private int length;

    /**
     * Makes one.
     *
     * @param holdsBack whether lines are kept whole, because others write too
     * @param showsPrompts whether the begin of a line appears when nothing follows for a moment
     */
    Pump(final InputStream in, final Sink sink, final boolean holdsBack, final boolean showsPrompts) {
        this.in = in;
        this.sink = sink;
        this.holdsBack = holdsBack;
        this.showsPrompts = showsPrompts;
    }

    @Override
    public void run() {
        try (in) {
            for (; ; ) {
                if (showsPrompts && length > 0 && isQuiet()) {
                    emit(length, false);
                }
                final int count = in.read(buffer, length, buffer.length - length);
                if (count < 0) {
                    break;
                }
                length += count;
                pass();
            }
        } catch (final IOException e) {
            // The rank's end of the pipe: what has come is shown below.
        } finally {
            emit(length, false);
            sink.end();
        }
    }

    /** Passes on what may be passed on. */
    private void pass() {
        int end = length;
        while (end > 0 && buffer[end - 1] != '\n') {
            end--;
        }
        if (end > 0) {
            emit(end, true);
        } else if (length == buffer.length && length < LONGEST) {
            buffer = Arrays.copyOf(buffer, length * 2);
        } else if (length == buffer.length) {
            emit(length, false);
        }
        if (!holdsBack && length > 0) {
            emit(length, false);
        }
        if (length == 0 && buffer.length > START) {
            buffer = new byte[START];
        }
    }

    private void emit(final int count, final boolean endsLine) {
        if (count > 0) {
            sink.write(buffer, 0, count, endsLine);
            System.arraycopy(buffer, count, buffer, 0, length - count);
            length -= count;
        }
    }

    private boolean isQuiet() throws IOException {
        final long end = System.nanoTime() + PROMPT_NANOS;
        while (in.available() == 0) {
            if (System.nanoTime() >= end) {
                return true;
            }
            try {
                Thread.sleep(10);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        }
        return false;
    }
}
