package org.parley.launcher;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A small shell that sends signals to the ranks' process groups, which Java cannot, and that
 * outlives the launcher by a moment: when its standard input ends before it was told so, the
 * launcher was killed, and the guard kills ranks that are left and removes the job's folder. Any thread.
 */
final class Guard implements AutoCloseable {
    private static final String SCRIPT = """
            left=
            over=
            while read -r what groups; do
              case $what in
                left) left=$groups ;;
                over) over=yes ;;
                *) kill -s "$what" -- $groups ;;
              esac
            done
            [ -z "$left" ] || kill -s KILL -- $left
            [ -n "$over" ] || rm -rf -- "$1"
            """;

    private final Process process;
    private final OutputStream commands;

    /**
     * Starts one. Where that fails, signals can end the ranks' first processes only.
     *
     * @param folder the job's folder
     */
    Guard(final Path folder) {
        final List<String> command = new ArrayList<>(Tools.ownSession());
        command.addAll(List.of("/bin/sh", "-c", SCRIPT, "parley-guard", folder.toString()));
        Process started = null;
        try {
            started = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (final IOException e) {
            // Every machine that we know has /bin/sh; without it the job runs all the same.
            started = null;
        }
        process = started;
        commands = started == null ? OutputStream.nullOutputStream() : started.getOutputStream();
    }

    /**
     * Sends a signal.
     *
     * @param name such as {@code TERM}
     * @param groups whose leaders' process ids
     */
    void signal(final String name, final List<Long> groups) {
        if (!groups.isEmpty() && !say(name, groups) && !isHarmless(name)) {
            // The guard is gone: at least the leaders can be ended without it.
            groups.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        }
    }

    private static boolean isHarmless(final String name) {
        return name.startsWith("USR") || name.equals("QUIT") || name.equals("CONT");
    }

    /**
     * Says which ranks are left, to be killed when the launcher is.
     *
     * @param groups their leaders' process ids
     */
    void left(final List<Long> groups) {
        say("left", groups);
    }

    private synchronized boolean say(final String what, final List<Long> groups) {
        if (process == null) {
            return false;
        }
        final StringBuilder line = new StringBuilder(what);
        groups.forEach(pid -> line.append(Tools.hasSessions() ? " -" : " ").append(pid));
        try {
            commands.write(line.append('\n').toString().getBytes(StandardCharsets.US_ASCII));
            commands.flush();
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    /** Ends the guard; ranks that it was told of are killed. */
    @Override
    public void close() {
        say("over", List.of());
        try {
            commands.close();
            if (process != null) {
                process.waitFor();
            }
        } catch (final IOException e) {
            process.destroy();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
