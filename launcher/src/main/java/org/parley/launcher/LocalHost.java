package org.parley.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.parley.JobException;
import org.parley.wireup.JobFolder;
import org.parley.wireup.Rendezvous;
import org.parley.wireup.Ruling;
import org.parley.wireup.WaitFile;

/** A job's ranks on this machine: their folder, their processes, their lines. */
final class LocalHost implements Host {
    private static final int ABORT_CODE = Signals.BASE + Signals.number("ABRT");

    private final Plan plan;
    private final int host;
    private final String suffix;
    private final RankInput input;
    private final Sink.Source sinks;
    private final HostEvents events;
    private JobFolder folder;
    private Guard guard;
    private Rendezvous rendezvous;

    /** The process of each rank that runs. */
    private final Map<Integer, Long> running = new TreeMap<>();

    /**
     * Makes one; nothing is started yet.
     *
     * @param host the number of this machine in the plan
     * @param suffix of the folder's name: agents of one job may share a machine, and its shared memory
     * @param input rank 0's standard input, if it is here; null: this process' own
     */
    LocalHost(
            final Plan plan,
            final int host,
            final String suffix,
            final RankInput input,
            final Sink.Source sinks,
            final HostEvents events) {
        this.plan = plan;
        this.host = host;
        this.suffix = suffix;
        this.input = input;
        this.sinks = sinks;
        this.events = events;
    }

    /** Ranks first: while their JVMs start, there is time for all that they need then. */
    @Override
    public synchronized void start() {
        JobFolder.removeAbandoned();
        folder = JobFolder.create(plan.job() + suffix);
        // Until signals are listened to, and somebody guards it, they end this process where it stands.
        Runtime.getRuntime().addShutdownHook(new Thread(folder::close, "parley-folder"));
        Rendezvous.createToken(folder.path(), plan.secret());
        final List<Integer> ranks = plan.placement().ranksOn(host);
        final Bindings bindings = plan.bindToCore() ? Bindings.toCores() : Bindings.none();
        for (int i = 0; i < ranks.size(); i++) {
            final List<String> command = new ArrayList<>(Tools.ownSession());
            command.addAll(Tools.dieWithParent());
            command.addAll(bindings.command(i));
            command.addAll(plan.command());
            new RankProcess(
                            ranks.get(i),
                            command,
                            environment(ranks.get(i), i, ranks.size()),
                            plan,
                            input,
                            sinks,
                            new ProcessEvents(ranks.get(i)))
                    .start();
        }
        guard = new Guard(folder.path());
        try {
            rendezvous = new Rendezvous(
                    plan.job(), folder.path(), plan.placement(), host, plan.wantsMap(), plan.silenceNanos(), events);
        } catch (final JobException e) {
            events.broken("ranks could not join: " + e.getMessage());
        }
    }

    private Map<String, String> environment(final int rank, final int localRank, final int localSize) {
        final Map<String, String> result = new HashMap<>(plan.environment());
        result.put("PARLEY_RANK", String.valueOf(rank));
        result.put("PARLEY_SIZE", String.valueOf(plan.placement().size()));
        result.put("PARLEY_LOCAL_RANK", String.valueOf(localRank));
        result.put("PARLEY_LOCAL_SIZE", String.valueOf(localSize));
        result.put("PARLEY_JOB", plan.job());
        result.put("PARLEY_RENDEZVOUS", Rendezvous.addressIn(folder.path()));
        result.put("PARLEY_TOKEN_FILE", Rendezvous.tokenFileIn(folder.path()).toString());
        return result;
    }

    // --- what the owner says ---------------------------------------------------------------

    @Override
    public void everybody(final byte[] addresses) {
        if (rendezvous != null) {
            rendezvous.everybody(addresses);
        }
    }

    @Override
    public void hopeless(final String why) {
        if (rendezvous != null) {
            rendezvous.hopeless(why);
        }
    }

    @Override
    public void left(final List<Integer> ranks) {
        if (rendezvous != null) {
            rendezvous.left(ranks);
        }
    }

    @Override
    public void died(final int rank, final String cause) {
        if (rendezvous != null) {
            rendezvous.died(rank, cause);
        }
    }

    @Override
    public void tell(final List<Integer> ranks, final Ruling ruling) {
        if (rendezvous != null) {
            rendezvous.tell(ranks, ruling);
        }
    }

    @Override
    public void stopping() {
        if (rendezvous != null) {
            rendezvous.stopping();
        }
    }

    @Override
    public void requestReports(final boolean stacks) {
        if (rendezvous != null) {
            rendezvous.requestReports(stacks);
        }
    }

    @Override
    public synchronized void signal(final String name, final List<Integer> ranks) {
        final List<Long> groups = new ArrayList<>();
        for (final int rank : ranks) {
            if (running.containsKey(rank)) {
                groups.add(running.get(rank));
            }
        }
        if (guard != null) {
            guard.signal(name, groups);
        }
    }

    @Override
    public synchronized void close() {
        if (rendezvous != null) {
            rendezvous.close();
        }
        if (guard != null) {
            guard.close();
        }
        if (folder != null) {
            folder.close();
        }
    }

    // --- what processes do -----------------------------------------------------------------

    private synchronized void started(final int rank, final long pid) {
        running.put(rank, pid);
        guard.left(List.copyOf(running.values()));
        events.started(rank, pid);
    }

    private synchronized void ended(final int rank, final int code) {
        final long pid = running.remove(rank);
        // Whatever it has started and left behind in its group ends with it.
        guard.signal("KILL", List.of(pid));
        guard.left(List.copyOf(running.values()));
        final WaitFile.Wait lastWait = WaitFile.read(folder.path(), rank);
        events.ended(rank, new HostEvents.Ending(code, lastWait, code == ABORT_CODE ? crashReport(pid) : null));
    }

    private String crashReport(final long pid) {
        for (final Path place : List.of(plan.folder(), Path.of("/tmp"))) {
            final Path report = place.resolve("hs_err_pid" + pid + ".log");
            if (Files.exists(report)) {
                return report.toAbsolutePath().toString();
            }
        }
        return null;
    }

    private final class ProcessEvents implements RankProcess.Listener {
        private final int rank;

        ProcessEvents(final int rank) {
            this.rank = rank;
        }

        @Override
        public void started(final long pid) {
            LocalHost.this.started(rank, pid);
        }

        @Override
        public void notStarted(final IOException why) {
            events.notStarted(rank, why.getMessage());
        }

        @Override
        public void ended(final int code) {
            LocalHost.this.ended(rank, code);
        }
    }
}
