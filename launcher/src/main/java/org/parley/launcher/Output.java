package org.parley.launcher;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The launcher's standard output and standard error, shared by all ranks, with lines kept whole. A
 * stream that has begun a line it cannot hold back has the floor: others wait, unless it pauses.
 * Any thread.
 */
final class Output {
    private static final long PAUSE_NANOS = 1_000_000_000L;

    /** Who writes: one stream of one rank, or the launcher. */
    static final class Speaker {}

    private final Speaker launcher = new Speaker();
    private final Sink out;
    private final Sink err;
    private final Runnable whenClosed;
    private boolean closed;

    /**
     * Makes one.
     *
     * @param whenClosed told when nobody reads the output any more
     */
    Output(final Runnable whenClosed) {
        this.whenClosed = whenClosed;
        final Floor floor = new Floor();
        out = new Sink(new FileOutputStream(FileDescriptor.out), floor);
        // Lines of both mix where both go to one place, and only there.
        err = new Sink(new FileOutputStream(FileDescriptor.err), isSame() ? floor : new Floor());
    }

    /** Whether a person sits at both ends. */
    static boolean isInteractive() {
        return target(0).startsWith("/dev/pts/") && target(1).startsWith("/dev/pts/");
    }

    private static boolean isSame() {
        final String target = target(1);
        return !target.isEmpty() && target.equals(target(2));
    }

    private static String target(final int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (final IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    Sink out() {
        return out;
    }

    Sink err() {
        return err;
    }

    /** Writes the launcher's own words, a line or several, to standard error. */
    void say(final String text) {
        final byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
        err.write(launcher, bytes, 0, bytes.length, true);
    }

    /** Writes the launcher's own words, a line or several, to standard output. */
    void print(final String text) {
        final byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
        out.write(launcher, bytes, 0, bytes.length, true);
    }

    private void lost() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        whenClosed.run();
    }

    /** Whose line it is. */
    private static final class Floor {
        private Speaker owner;
        private long touched;

        /**
         * Whether the last thing written was not the end of a line, though nobody has the floor.
         */
        private boolean midLine;
    }

    /** One of the two. */
    final class Sink {
        private final OutputStream stream;
        private final Floor floor;

        private Sink(final OutputStream stream, final Floor floor) {
            this.stream = stream;
            this.floor = floor;
        }

        /**
         * Writes bytes of whole lines, or the next part of a line that is not held back.
         *
         * @param endsLine whether the last line is complete, or may be followed by another's
         */
        void write(
                final Speaker speaker, final byte[] bytes, final int offset, final int length, final boolean endsLine) {
            if (length == 0) {
                return;
            }
            synchronized (floor) {
                takeFloor(speaker);
                try {
                    if (floor.midLine) {
                        stream.write('\n');
                    }
                    stream.write(bytes, offset, length);
                } catch (final IOException e) {
                    lost();
                }
                floor.midLine = false;
                floor.touched = System.nanoTime();
                if (endsLine) {
                    release(bytes[offset + length - 1] != '\n');
                } else {
                    floor.owner = speaker;
                }
            }
        }

        /** The speaker is gone, perhaps within a line. */
        void end(final Speaker speaker) {
            synchronized (floor) {
                if (floor.owner == speaker) {
                    release(true);
                }
            }
        }

        private void release(final boolean midLine) {
            floor.midLine = midLine;
            floor.owner = null;
            floor.notifyAll();
        }

        private void takeFloor(final Speaker speaker) {
            boolean interrupted = false;
            while (floor.owner != null && floor.owner != speaker) {
                final long left = floor.touched + PAUSE_NANOS - System.nanoTime();
                if (left <= 0) {
                    // It may itself wait for a rank whose output is held up here.
                    release(true);
                } else {
                    try {
                        floor.wait(1 + left / 1_000_000);
                    } catch (final InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Opens a rank's file for a copy of its output. */
    static OutputStream open(final Path file) {
        try {
            Files.createDirectories(file.getParent());
            return Files.newOutputStream(file);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
