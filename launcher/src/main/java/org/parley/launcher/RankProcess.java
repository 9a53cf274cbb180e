package org.parley.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

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

    private final int rank;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Plan plan;
    private final RankInput input;
    private final Sink.Source sinks;
    private final Listener listener;

    RankProcess(
            final int rank,
            final List<String> command,
            final Map<String, String> environment,
            final Plan plan,
            final RankInput input,
            final Sink.Source sinks,
            final Listener listener) {
        this.rank = rank;
        this.command = command;
        this.environment = environment;
        this.plan = plan;
        this.input = input;
        this.sinks = sinks;
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
        final ProcessBuilder builder =
                new ProcessBuilder(command).directory(plan.folder().toFile());
        builder.environment().putAll(environment);
        builder.redirectInput(input());
        final Process process;
        final Sink out;
        final Sink err;
        try {
            out = sinks.open(rank, false);
        } catch (final UncheckedIOException e) {
            listener.notStarted(e.getCause());
            return;
        }
        try {
            err = sinks.open(rank, true);
        } catch (final UncheckedIOException e) {
            out.end();
            listener.notStarted(e.getCause());
            return;
        }
        try {
            process = builder.start();
        } catch (final IOException e) {
            out.end();
            err.end();
            listener.notStarted(e);
            return;
        }
        if (rank == 0 && input != null) {
            input.attach(process.getOutputStream());
        }
        listener.started(process.pid());
        pump(process.getInputStream(), out, "stdout");
        pump(process.getErrorStream(), err, "stderr");
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

    /** As with mpirun: rank 0 has the standard input, and where it can have it as it is, it does. */
    private ProcessBuilder.Redirect input() {
        if (rank != 0) {
            return ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile());
        }
        return input == null ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.PIPE;
    }

    private void pump(final InputStream in, final Sink sink, final String name) {
        final boolean keepsLines = plan.keepsLines();
        thread(new Pump(in, sink, keepsLines, keepsLines && plan.showsPrompts()), "parley-" + name + "-" + rank)
                .start();
    }
}
