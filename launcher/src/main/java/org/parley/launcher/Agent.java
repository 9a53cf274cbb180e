package org.parley.launcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.parley.wireup.ControlFrame;

/** An agent that this process has started on another host, the shell that leads to it, and their link. */
final class Agent {
    private static final int KEPT_LINES = 8;
    private static final long EXIT_SECONDS = 2;
    private static final long LAST_WORDS_MILLIS = 300;
    private static final int STACK = 128 * 1024;

    /** Told of what happens, on threads of the agent's own. */
    interface Listener {
        void arrived(Agent agent, ControlFrame frame) throws IOException;

        /** It is no more; why, for people. */
        void gone(Agent agent, String why);

        /** The remote shell, or the agent, has said something on its standard error. */
        void said(Agent agent, String line);
    }

    final int host;

    /** The hosts that are reached by this one, itself first. */
    final List<Integer> branch;

    /** Whether it has said hello in a way that this Parley understands. */
    boolean isKnown;

    boolean isGone;

    private final List<String> command;
    private final String name;
    private final String shell;
    private final Listener listener;
    private final ArrayDeque<String> lastLines = new ArrayDeque<>();
    private final CountDownLatch exited = new CountDownLatch(1);
    private volatile Process process;
    private Thread errors;
    private AgentLink link;

    /**
     * Makes one; nothing is started yet.
     *
     * @param name the host's, for people
     * @param branch the hosts that are reached by this one, itself first
     * @param shell the remote shell's name, for people
     * @param command what starts it
     */
    Agent(
            final String name,
            final List<Integer> branch,
            final String shell,
            final List<String> command,
            final Listener listener) {
        this.name = name;
        this.shell = shell;
        this.host = branch.get(0);
        this.branch = branch;
        this.command = command;
        this.listener = listener;
    }

    /** Starts it, on a thread that lives as long as the shell: the kernel ends that with the thread. */
    void start() {
        final Thread thread = new Thread(null, this::run, "parley-agent-" + name, STACK);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        final Process started;
        try {
            started = new ProcessBuilder(command).start();
        } catch (final IOException e) {
            exited.countDown();
            listener.gone(this, "cannot run " + command.get(0) + ": " + e.getMessage());
            return;
        }
        final AgentLink made =
                new AgentLink(started.getInputStream(), started.getOutputStream(), name, new LinkEvents());
        synchronized (this) {
            process = started;
            link = made;
            errors = new Thread(null, this::readErrors, "parley-errors-" + name, STACK);
            errors.setDaemon(true);
            errors.start();
        }
        made.start(true);
        for (; ; ) {
            try {
                started.waitFor();
                break;
            } catch (final InterruptedException e) {
                // Nobody interrupts this thread; and if, it still has to wait.
                continue;
            }
        }
        exited.countDown();
    }

    private void readErrors() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line; (line = lines.readLine()) != null; ) {
                final String text = Failures.clean(line.strip());
                if (!text.isEmpty()) {
                    keep(text);
                    listener.said(this, text);
                }
            }
        } catch (final IOException e) {
            // The shell has ended.
            return;
        }
    }

    private synchronized void keep(final String line) {
        lastLines.add(line);
        if (lastLines.size() > KEPT_LINES) {
            lastLines.remove();
        }
    }

    synchronized void send(final ByteBuffer frame) {
        if (link != null) {
            link.send(frame);
        }
    }

    synchronized AgentLink link() {
        return link;
    }

    /** Says that nothing more is wanted of it; it then ends all that it has started. */
    synchronized void close() {
        if (link != null) {
            link.close();
        }
    }

    /** Ends the shell, and with it the link. */
    void kill() {
        final Process running = process;
        if (running != null) {
            running.destroyForcibly();
        }
    }

    /** Waits for the shell's end. */
    boolean awaitExit(final long nanos) {
        try {
            return exited.await(Math.max(1, nanos), TimeUnit.NANOSECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Says why the link has ended, from the shell's exit code and its last words. */
    private String cause(final String why) {
        if (!why.isEmpty()) {
            return why;
        }
        final boolean hasExited = awaitExit(TimeUnit.SECONDS.toNanos(EXIT_SECONDS));
        awaitLastWords();
        final String said;
        synchronized (this) {
            said = lastLines.isEmpty() ? "" : ": " + String.join("; ", lastLines);
        }
        if (!hasExited) {
            return "its agent has closed the link" + said;
        }
        final int code = process.exitValue();
        final String signal = Signals.ofExitCode(code);
        return (isKnown ? "its agent or " + shell + " to it " : shell + " ")
                + (signal != null ? "was ended by SIG" + signal : "exited with code " + code)
                + said;
    }

    /** A shell's connection that others share may keep its standard error open. */
    private void awaitLastWords() {
        try {
            errors.join(LAST_WORDS_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class LinkEvents implements AgentLink.Listener {
        @Override
        public void arrived(final ControlFrame frame) throws IOException {
            listener.arrived(Agent.this, frame);
        }

        @Override
        public void ended(final String why) {
            listener.gone(Agent.this, cause(why));
        }
    }
}
