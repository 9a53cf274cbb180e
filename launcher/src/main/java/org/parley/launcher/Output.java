package org.parley.launcher;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.parley.transport.Reason;

/**
 * The launcher's standard output and standard error, shared by all ranks, with lines kept whole. A
 * stream that has begun a line it cannot hold back has the floor: others wait, unless it pauses.
 * Any thread.
 */
final class Output implements Sink.Source {
    private static final String BROKEN_PIPE = "Broken pipe";
    private static final long PAUSE_NANOS = 1_000_000_000L;

    /** How long an end of a stream may be away after the last that came of any. */
    private static final long QUIET_NANOS = 2_000_000_000L;

    /**
     * How ranks' output is shown.
     *
     * @param isTagged whether each line tells its rank and stream
     * @param folder copies go there, or null
     */
    record Style(boolean isTagged, Path folder) {}

    /** Who writes: one stream of one rank, or the launcher. */
    static final class Speaker {}

    /** Told of what concerns the job. */
    interface Listener {
        /**
         * The output cannot be written any more.
         *
         * @param why for people; null: nobody reads it
         */
        void closed(String why);

        /** A rank's stream has ended. */
        void ended();
    }

    private final Speaker launcher = new Speaker();
    private final Stream out;
    private final Stream err;
    private final Style style;
    private final Listener listener;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger writing = new AtomicInteger();
    private final AtomicReference<String> incomplete = new AtomicReference<>();
    private volatile long written = System.nanoTime();
    private boolean closed;

    Output(final Style style, final Listener listener) {
        // Lines of both mix where both go to one place, and only there.
        this(
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                isSame(),
                style,
                listener);
    }

    Output(
            final OutputStream out,
            final OutputStream err,
            final boolean isSame,
            final Style style,
            final Listener listener) {
        this.style = style;
        this.listener = listener;
        final Floor floor = new Floor();
        this.out = new Stream("output", out, floor);
        this.err = new Stream("error", err, isSame ? floor : new Floor());
    }

    @Override
    public Sink open(final int rank, final boolean isError) {
        final String name = isError ? "stderr" : "stdout";
        final Path copy = style.folder == null
                ? null
                : style.folder.resolve("rank." + rank).resolve(name);
        open.incrementAndGet();
        return new RankOutput(
                isError ? err : out,
                style.isTagged ? "[1," + rank + "]<" + name + ">: " : "",
                copy == null ? null : open(copy),
                why -> incomplete(copy + ": " + Reason.of(why)),
                this::ended);
    }

    private void incomplete(final String what) {
        incomplete.compareAndSet(null, what);
        say("parley: incomplete: " + what);
    }

    /** Returns which copy of a rank's output lacks something, the first of them, and why; null if none does. */
    String incomplete() {
        return incomplete.get();
    }

    private void ended() {
        open.decrementAndGet();
        listener.ended();
    }

    /**
     * Whether all that ranks have said is out, as far as can be known: who else holds a rank's pipe
     * may keep it open for ever.
     *
     * @param since when the last rank ended
     * @param isPatient whether a reader that is slow is waited for
     */
    boolean isDrained(final long since, final boolean isPatient) {
        if (open.get() == 0) {
            return true;
        }
        final long now = System.nanoTime();
        final boolean isQuiet = now - since > QUIET_NANOS && now - written > QUIET_NANOS;
        return isQuiet && !(isPatient && writing.get() > 0);
    }

    /** Whether a person sits at both ends. */
    static boolean isInteractive() {
        return target(0).startsWith("/dev/pts/") && target(1).startsWith("/dev/pts/");
    }

    /** Whether a person writes the standard input. */
    static boolean isInputTerminal() {
        return target(0).startsWith("/dev/pts/");
    }

    /** Whether a person reads the standard output. */
    static boolean isOutputTerminal() {
        return target(1).startsWith("/dev/pts/");
    }

    /** Whether a person reads standard error. */
    static boolean isTerminal() {
        return target(2).startsWith("/dev/pts/");
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

    Stream out() {
        return out;
    }

    /** Writes the launcher's own words, a line or several, to standard error. */
    void say(final String text) {
        final byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
        err.write(launcher, bytes, 0, bytes.length, true);
    }

    private void lost(final String stream, final IOException e) {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        final String why = Reason.of(e);
        listener.closed(
                BROKEN_PIPE.equalsIgnoreCase(why) ? null : "cannot write to the standard " + stream + ": " + why);
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
    final class Stream {
        private final String name;
        private final OutputStream stream;
        private final Floor floor;

        private Stream(final String name, final OutputStream stream, final Floor floor) {
            this.name = name;
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
            writing.incrementAndGet();
            synchronized (floor) {
                takeFloor(speaker);
                try {
                    if (floor.midLine) {
                        stream.write('\n');
                    }
                    stream.write(bytes, offset, length);
                } catch (final IOException e) {
                    lost(name, e);
                }
                floor.midLine = false;
                floor.touched = System.nanoTime();
                written = floor.touched;
                writing.decrementAndGet();
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
    private static OutputStream open(final Path file) {
        try {
            Files.createDirectories(file.getParent());
            return Files.newOutputStream(file);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
