package org.parley.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.parley.config.Options;

/**
 * {@code parley quiesce} and {@code parley resume}: has the ranks of a host, or of a whole job, left alone while the host is
 * moved or stopped.
 */
final class QuiesceCommand implements Command {
    private static final String HOST = "--host";
    private static final String ALL = "--all";
    private static final String TIMEOUT = "--timeout";
    private static final String USUAL = "60s";

    private final boolean quiesces;

    private QuiesceCommand(final boolean quiesces) {
        this.quiesces = quiesces;
    }

    static QuiesceCommand quiesce() {
        return new QuiesceCommand(true);
    }

    static QuiesceCommand resume() {
        return new QuiesceCommand(false);
    }

    @Override
    public String name() {
        return quiesces ? "quiesce" : "resume";
    }

    @Override
    public String summary() {
        return quiesces
                ? "Have ranks of a running job send nothing to other hosts, nor be sent anything, until parley resume, because"
                        + " their host is to be moved; ends when all that they have sent is acknowledged. Where the job was"
                        + " started; JOB is its name as parley info lists it."
                : "End what parley quiesce has begun.";
    }

    @Override
    public String operands() {
        return "[JOB]";
    }

    @Override
    public List<Flag> flags() {
        final Flag host = Flag.of("NAME", "Only ranks on this host, as parley top names it; else all.", HOST);
        final Flag all = Flag.plain("All jobs of this user that were started on this machine; JOB is left out.", ALL);
        return quiesces
                ? List.of(
                        host,
                        all,
                        Flag.of(
                                "S",
                                "How long to wait at most (" + USUAL + "); then who is not ready is named, and"
                                        + " the exit code is 1.",
                                TIMEOUT))
                : List.of(host, all);
    }

    @Override
    public int run(final Arguments arguments) {
        final List<String> rest = arguments.rest();
        if (arguments.has(ALL) != rest.isEmpty() || rest.size() > 1) {
            final List<String> jobs = RunningJobs.names();
            throw new UsageException("it takes one JOB, or " + ALL + "; "
                    + (jobs.isEmpty()
                            ? "none of this user has its launcher on this machine"
                            : "there are: " + String.join(", ", jobs)));
        }
        final String host = arguments.value(HOST) == null ? "" : arguments.value(HOST);
        final HookServer.Request request = new HookServer.Request(quiesces, host, nanos(arguments.value(TIMEOUT)));
        int code = 0;
        for (final String job : arguments.has(ALL) ? RunningJobs.names() : rest) {
            code = Math.max(code, ask(job, request));
        }
        return code;
    }

    private static long nanos(final String text) {
        try {
            return Options.time(text == null ? USUAL : text);
        } catch (final IllegalArgumentException e) {
            throw new UsageException(TIMEOUT + ": " + e.getMessage());
        }
    }

    private int ask(final String job, final HookServer.Request request) {
        final Path folder = RunningJobs.socketOf(job).getParent();
        try {
            final HookServer.Answer answer = HookServer.ask(folder, request);
            if (answer != null && answer.isDone()) {
                System.out.println("job " + job + ": " + answer.text());
                return 0;
            }
            final String text = answer == null ? "it has ended" : answer.text();
            text.lines().forEach(line -> System.err.println("parley " + name() + ": job " + job + ": " + line));
        } catch (final IOException e) {
            System.err.println("parley " + name() + ": cannot ask job " + job + ": " + e.getMessage());
        }
        return 1;
    }
}
