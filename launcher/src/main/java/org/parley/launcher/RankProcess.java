package org.parley.launcher;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One rank's process. A thread starts it, waits for it, and so lives exactly as long: the kernel
 * kills the process when that thread, with the launcher, ends.
 */
final class RankProcess {
    private static final long STACK = 128 * 1024;

    /** Told what becomes of the process; on a thread of its own. */
    interface Listener {
        void started(long pid);

        void notStarted(IOException why);

        /** Exit code, or 128 + signal. */
        void ended(int code);
    }

    /** How output is passed on. */
    record Streams(Output output, Path folder, boolean isTagged, boolean holdsBack, boolean showsPrompts) {}

    private final int rank;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Path folder;
    private final Streams streams;
    private final Listener listener;
    private final List<Thread> pumps = new ArrayList<>();

    RankProcess(
            final int rank,
            final List<String> command,
            final Map<String, String> environment,
            final Path folder,
            final Streams streams,
            final Listener listener) {
        this.rank = rank;
        this.command = command;
        this.environment = environment;
        this.folder = folder;
        this.streams = streams;
        this.listener = listener;
    }

    void start() {
        thread(this::run, "parley-rank-" + rank).start();
    }

    private static Thread thread(final Runnable what, final String name) {
        final Thread thread = new Thread(null, what, name, STACK);
        thread.setDaemon(true);
        return thread;
    }

    private void run() {
        final ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(environment);
        // As with mpirun: rank 0 has the standard input, and is not disturbed by a pump of it.
        builder.redirectInput(
                rank == 0
                        ? ProcessBuilder.Redirect.INHERIT
                        : ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        final Process process;
        try {
            process = builder.start();
        } catch (final IOException e) {
            listener.notStarted(e);
            return;
        }
        listener.started(process.pid());
        pump(process.getInputStream(), streams.output.out(), "stdout");
        pump(process.getErrorStream(), streams.output.err(), "stderr");
        for (; ; ) {
            try {
                listener.ended(process.waitFor());
                return;
            } catch (final InterruptedException e) {
                // Nobody interrupts this thread; and if, it still has to wait.
                continue;
            }
        }
    }

    private void pump(final java.io.InputStream in, final Output.Sink sink, final String name) {
        final OutputStream file = streams.folder == null
                ? null
                : Output.open(streams.folder.resolve("rank." + rank).resolve(name));
        final String tag = streams.isTagged ? "[1," + rank + "]<" + name + ">: " : "";
        final Pump pump = new Pump(in, sink, file, tag, streams.holdsBack, streams.showsPrompts);
        final Thread thread = thread(pump, "parley-" + name + "-" + rank);
        synchronized (pumps) {
            pumps.add(thread);
        }
        thread.start();
    }

    /** Waits until all output has been passed on, but not for a pipe that somebody else holds. */
    void awaitOutput(final long deadline) {
        final List<Thread> threads;
        synchronized (pumps) {
            threads = List.copyOf(pumps);
        }
        for (final Thread thread : threads) {
            final long left = deadline - System.nanoTime();
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
