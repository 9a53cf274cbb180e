package org.parley.launcher;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code parley top}: what the ranks of a running job do, again each second. */
final class TopCommand implements Command {
    private static final String ONCE = "--once";
    private static final String AS_JSON = "--json";

    /** So many states, a second each, a rank that does not answer is waited for. */
    private static final int MOST_STATES = 4;

    @Override
    public String name() {
        return "top";
    }

    @Override
    public String summary() {
        return "Show what the ranks of a running job send, receive and wait for, and what went wrong on their links,"
                + " each second until the job ends. JOB is its name as parley info lists it.";
    }

    @Override
    public String operands() {
        return "JOB";
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                Flag.plain("Show it once, of about a second, and end.", ONCE),
                Flag.plain("Print JSON, an object a line, with all counters.", AS_JSON));
    }

    @Override
    public int run(final Arguments arguments) {
        final List<String> rest = arguments.rest();
        if (rest.isEmpty()) {
            final List<String> jobs = RunningJobs.names();
            throw new UsageException("which job? "
                    + (jobs.isEmpty()
                            ? "none of this user has its launcher on this machine"
                            : "There are: " + String.join(", ", jobs)));
        }
        if (rest.size() > 1) {
            throw new UsageException(rest.get(1) + " is one word too many");
        }
        final Path socket = RunningJobs.socketOf(rest.get(0));
        final boolean isOnce = arguments.has(ONCE);
        final boolean isJson = arguments.has(AS_JSON);
        final Screen screen = isOnce || isJson ? Screen.plain() : Screen.ofOutput();
        try (StatusLink link = new StatusLink(socket)) {
            Rates rates = null;
            int states = 0;
            for (JobStatus status; (status = link.next()) != null && !System.out.checkError(); ) {
                rates = Rates.of(status, rates);
                final boolean isEnough = rates.areComplete() || ++states == MOST_STATES;
                if (!isOnce || isEnough) {
                    show(rates, isJson, screen);
                }
                if (isOnce && isEnough) {
                    return 0;
                }
            }
            if (rates == null) {
                throw new IOException("its launcher says nothing: the job has ended just now, or too many look at it");
            }
            if (isOnce) {
                // It has ended before there was a second to tell of.
                show(rates, isJson, screen);
            }
        } catch (final IOException e) {
            System.err.println("parley top: cannot look at job " + rest.get(0) + ": " + e.getMessage());
            return 1;
        }
        if (!isJson) {
            System.out.println("job " + rest.get(0) + " has ended");
        }
        return 0;
    }

    private static void show(final Rates rates, final boolean isJson, final Screen screen) throws IOException {
        if (isJson) {
            System.out.println(JSON.std.asString(rates.toJson()));
        } else {
            final Screen now = screen.measured();
            now.show(TopTable.lines(rates, now));
        }
    }
}
