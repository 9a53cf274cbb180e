package org.parley.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Carries one stream of one rank to the launcher's, line by line, and perhaps into a file. */
final class Pump implements Runnable {
    private static final int START = 16 * 1024;

    /** Longer lines are not held back as a whole: the stream takes the floor instead. */
    private static final int LONGEST = 4 << 20;

    private static final long PROMPT_NANOS = 200_000_000L;

    private final InputStream in;
    private final Output.Sink sink;
    private final OutputStream file;
    private final byte[] tag;
    private final boolean holdsBack;
    private final boolean showsPrompts;
    private final Output.Speaker speaker = new Output.Speaker();
    private byte[] buffer = new byte[START];
    private int length;
    private boolean inLine;

    /**
     * Makes one.
     *
     * @param file a copy goes there, or null
     * @param tag what stands before each line, or empty
     * @param holdsBack whether lines are kept whole, because others write too
     * @param showsPrompts whether the begin of a line appears when nothing follows for a moment
     */
    Pump(
            final InputStream in,
            final Output.Sink sink,
            final OutputStream file,
            final String tag,
            final boolean holdsBack,
            final boolean showsPrompts) {
        this.in = in;
        this.sink = sink;
        this.file = file;
        this.tag = tag.getBytes(StandardCharsets.UTF_8);
        this.holdsBack = holdsBack;
        this.showsPrompts = showsPrompts;
    }

    @Override
    public void run() {
        try (in;
                file) {
            for (; ; ) {
                if (showsPrompts && length > 0 && isQuiet()) {
                    emit(length, false);
                }
                final int count = in.read(buffer, length, buffer.length - length);
                if (count < 0) {
                    break;
                }
                if (file != null) {
                    file.write(buffer, length, count);
                }
                length += count;
                pass();
            }
        } catch (final IOException e) {
            // The rank's end of the pipe, or the disk of the copy: what has come is shown below.
        } finally {
            emit(length, false);
            sink.end(speaker);
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
        if (tag.length == 0) {
            sink.write(speaker, buffer, 0, count, endsLine);
        } else {
            final byte[] tagged = tagged(count);
            sink.write(speaker, tagged, 0, tagged.length, endsLine);
        }
        inLine = count > 0 ? !endsLine : inLine;
        System.arraycopy(buffer, count, buffer, 0, length - count);
        length -= count;
    }

    private byte[] tagged(final int count) {
        int lines = 1;
        for (int i = 0; i < count; i++) {
            lines += buffer[i] == '\n' ? 1 : 0;
        }
        final byte[] result = new byte[count + lines * tag.length];
        boolean atStart = !inLine;
        int at = 0;
        for (int i = 0; i < count; i++) {
            if (atStart) {
                System.arraycopy(tag, 0, result, at, tag.length);
                at += tag.length;
            }
            result[at++] = buffer[i];
            atStart = buffer[i] == '\n';
        }
        return Arrays.copyOf(result, at);
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
