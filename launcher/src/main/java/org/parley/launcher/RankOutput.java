package org.parley.launcher;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/** A stream of one rank on its way to the launcher's, with a tag before each line, and perhaps into a file. */
final class RankOutput implements Sink {
    private final Output.Stream stream;
    private final byte[] tag;
    private final Consumer<IOException> whenIncomplete;
    private final Runnable whenEnded;
    private final Output.Speaker speaker = new Output.Speaker();
    private OutputStream file;
    private boolean inLine;
    private boolean hasEnded;

    /**
     * Makes one.
     *
     * @param tag what stands before each line, or empty
     * @param file a copy goes there, or null
     * @param whenIncomplete told once why the copy is
     * @param whenEnded told of the end of the stream
     */
    RankOutput(
            final Output.Stream stream,
            final String tag,
            final OutputStream file,
            final Consumer<IOException> whenIncomplete,
            final Runnable whenEnded) {
        this.stream = stream;
        this.tag = tag.getBytes(StandardCharsets.UTF_8);
        this.file = file;
        this.whenIncomplete = whenIncomplete;
        this.whenEnded = whenEnded;
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length, final boolean endsLine) {
        copy(bytes, offset, length);
        if (tag.length == 0) {
            stream.write(speaker, bytes, offset, length, endsLine);
        } else {
            final byte[] tagged = tagged(bytes, offset, length);
            stream.write(speaker, tagged, 0, tagged.length, endsLine);
        }
        inLine = length > 0 ? !endsLine : inLine;
    }

    private void copy(final byte[] bytes, final int offset, final int length) {
        if (file != null) {
            try {
                file.write(bytes, offset, length);
            } catch (final IOException e) {
                // The disk of the copy is full; what the rank says is shown all the same.
                incomplete(e);
            }
        }
    }

    private void incomplete(final IOException why) {
        file = null;
        whenIncomplete.accept(why);
    }

    private byte[] tagged(final byte[] bytes, final int offset, final int length) {
        int lines = 1;
        for (int i = offset; i < offset + length; i++) {
            lines += bytes[i] == '\n' ? 1 : 0;
        }
        final byte[] result = new byte[length + lines * tag.length];
        boolean atStart = !inLine;
        int at = 0;
        for (int i = offset; i < offset + length; i++) {
            if (atStart) {
                System.arraycopy(tag, 0, result, at, tag.length);
                at += tag.length;
            }
            result[at++] = bytes[i];
            atStart = bytes[i] == '\n';
        }
        return Arrays.copyOf(result, at);
    }

    @Override
    public void end() {
        if (hasEnded) {
            return;
        }
        hasEnded = true;
        stream.end(speaker);
        try {
            if (file != null) {
                file.close();
            }
        } catch (final IOException e) {
            // What could be written has been.
            incomplete(e);
        } finally {
            whenEnded.run();
        }
    }
}
