package org.parley.launcher;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.parley.wireup.ControlFrame;

/** Examines all hosts of a job at once, starts nothing there but agents, and prints what is wrong. */
final class Preflight implements Branches.Listener {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Behind the last connection that can time out. */
    private static final long REACH_NANOS = 10 * SECOND;

    private static final String OK = "ok";

    /** Others try to reach this machine, and say it in their rows. */
    private static final String OK_BY_OTHERS = "-";

    /** This machine, as one of those that are tried. */
    private static final int HERE = -1;

    private final Plan plan;
    private final int local;
    private final List<Integer> others;
    private final EventLoop loop = new EventLoop();
    private final Branches branches;
    private final Reachability here;
    private final Map<Integer, Facts> facts = new HashMap<>();
    private final Map<Integer, String> lost = new HashMap<>();

    /** For each host, what could not be reached, from it or from here. */
    private final Map<Integer, List<String>> unreached = new HashMap<>();

    private final Set<Integer> answers = new HashSet<>();

    /** Those that had answered when connections began to be tried: the round is among them. */
    private List<Integer> living = List.of();

    private boolean reaching;
    private boolean isOver;

    Preflight(final JobSpec spec) {
        this.local = spec.layout().local();
        this.others = spec.layout().remote();
        // All at once and each by itself: one that is broken hides no other.
        final Plan general =
                Plans.of(spec, "preflight-" + ProcessHandle.current().pid(), true);
        this.plan = general.flat(Math.max(1, others.size()));
        this.here = new Reachability(plan.environment());
        this.branches = new Branches(loop, plan, others, this);
    }

    /**
     * Examines them.
     *
     * @return 0 if a job can run there, else 1
     */
    int run() {
        if (others.isEmpty()) {
            return print() ? 0 : 1;
        }
        try {
            branches.start();
            loop.after(plan.launching().timeoutNanos(), this::reach);
            while (!isOver) {
                loop.step();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        } finally {
            here.close();
            branches.close();
        }
        return print() ? 0 : 1;
    }

    @Override
    public void arrived(final ControlFrame frame) {
        try {
            final int host = frame.number();
            if (frame.type() == AgentFrame.READY) {
                facts.put(host, Facts.read(frame));
                reachWhenAllAreThere();
            } else if (frame.type() == AgentFrame.REACHED) {
                final List<String> results = Facts.texts(frame);
                final List<Integer> tried = triedBy(host);
                for (int i = 0; i < Math.min(tried.size(), results.size()); i++) {
                    if (results.get(i).isEmpty()) {
                        failedToReach(tried.get(i), host);
                    }
                }
                answered(host);
            }
        } catch (final IOException e) {
            // It is as good as lost: the time is over without its answer.
            return;
        }
    }

    @Override
    public void lost(final List<Integer> hosts, final String how) {
        hosts.forEach(host -> lost.putIfAbsent(host, how));
        reachWhenAllAreThere();
        answered(hosts.get(0));
    }

    @Override
    public void quiet(final int host, final long seconds) {
        // The time limit says it.
    }

    @Override
    public void said(final int host, final String line) {
        // What matters of it is in the reason of a loss.
    }

    private void reachWhenAllAreThere() {
        if (facts.size() + lost.size() >= others.size()) {
            reach();
        }
    }

    // --- connections -----------------------------------------------------------------------

    private void reach() {
        if (reaching) {
            return;
        }
        reaching = true;
        living = others.stream().filter(facts::containsKey).toList();
        final List<String> places = living.stream()
                .map(host -> String.join(",", facts.get(host).listens()))
                .toList();
        for (final int host : living) {
            final List<String> itsPlaces = new ArrayList<>();
            for (final int other : triedBy(host)) {
                itsPlaces.add(String.join(
                        ",", other == HERE ? here.listens() : facts.get(other).listens()));
            }
            branches.send(
                    host,
                    Facts.texts(new ControlFrame.Builder(AgentFrame.REACH).number(host), itsPlaces)
                            .build());
        }
        here.reach(
                places,
                results -> loop.post(() -> {
                    for (int i = 0; i < results.size(); i++) {
                        if (results.get(i).isEmpty()) {
                            failedToReach(living.get(i), HERE);
                        }
                    }
                    answered(HERE);
                }));
        loop.after(REACH_NANOS, () -> isOver = true);
    }

    /** A host tries this machine and its neighbour. */
    private List<Integer> triedBy(final int host) {
        final int next = living.get((living.indexOf(host) + 1) % living.size());
        return next == host ? List.of(HERE) : List.of(HERE, next);
    }

    private void failedToReach(final int host, final int from) {
        final String place = "from " + (from == HERE ? "here" : name(from)) + " ("
                + String.join(
                        ", ", host == HERE ? here.listens() : facts.get(host).listens())
                + ")";
        final int shown = host == HERE ? from : host;
        unreached
                .computeIfAbsent(shown, h -> new ArrayList<>())
                .add((host == HERE ? "this machine not reached " : "not reached ") + place);
    }

    private void answered(final int host) {
        answers.add(host);
        if (reaching && answers.contains(HERE) && answers.containsAll(living)) {
            isOver = true;
        }
    }

    // --- the table -------------------------------------------------------------------------

    private String name(final int host) {
        return Failures.clean(plan.placement().hosts().get(host));
    }

    private boolean print() {
        final String hash = Library.hash();
        boolean isWell = true;
        final List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"host", "ssh", "java", "parley", "folder", "connections"});
        if (local >= 0) {
            final String java = System.getProperty("java.version") + " in " + System.getProperty("java.home");
            rows.add(new String[] {name(local), OK + " (here)", OK + " (" + java + ")", OK, OK, OK_BY_OTHERS});
        }
        for (final int host : others) {
            final Facts there = facts.get(host);
            final String[] row = there == null
                    ? new String[] {name(host), "failed: " + lost.getOrDefault(host, "no answer in time")}
                    : new String[] {
                        name(host),
                        OK,
                        OK + " (" + there.java() + ")",
                        there.library().equals(hash) ? OK : difference(there),
                        folder(there),
                        connections(host)
                    };
            for (int i = 1; i < row.length; i++) {
                isWell &= row[i].startsWith(OK);
            }
            rows.add(row);
        }
        System.out.println(table(rows));
        return isWell;
    }

    private static String difference(final Facts there) {
        return "failed: other files than here: " + there.version() + " in " + there.home() + ", here " + Main.version()
                + " in " + Main.home();
    }

    private String folder(final Facts there) {
        final String text = there.trouble() + there.warning();
        return text.isEmpty() ? OK : (there.trouble().isEmpty() ? OK + ", but " : "failed: ") + text;
    }

    private String connections(final int host) {
        if (unreached.containsKey(host)) {
            return "failed: " + String.join("; ", unreached.get(host));
        }
        return answers.contains(host) ? OK : "failed: no answer in time";
    }

    private static String table(final List<String[]> rows) {
        final int[] widths = new int[rows.get(0).length];
        for (final String[] row : rows) {
            for (int i = 0; i < row.length - 1; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        final List<String> lines = new ArrayList<>();
        for (final String[] row : rows) {
            final StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                line.append(row[i]);
                if (i < row.length - 1) {
                    line.append(" ".repeat(Math.max(0, widths[i] - row[i].length()) + 2));
                }
            }
            lines.add(line.toString());
        }
        return String.join("\n", lines);
    }
}
