package org.parley.launcher;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.parley.JobException;
import org.parley.config.Options;
import org.parley.wireup.JobFolder;
import org.parley.wireup.RankEvents;
import org.parley.wireup.Rendezvous;
import org.parley.wireup.WaitFile;

/**
 * A job's life, from its folder's making to its removal. Everything that happens, on whatever
 * thread, comes as an event to the one thread that {@link #run} is called by; no other touches the
 * state.
 */
final class Job {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Between the request and the blow, after a failure and after the user's signal. */
    private static final long FAILURE_GRACE = 2 * SECOND;

    private static final long SIGNAL_GRACE = 5 * SECOND;

    /** How long the process of a rank may outlive its own last words, or its line. */
    private static final long END_GRACE = 2 * SECOND;

    /** How long a rank that blames another waits for that one to prove guilty. */
    private static final long BLAME_GRACE = SECOND / 2;

    private static final long REPORT_GRACE = 2 * SECOND;
    private static final long OUTPUT_GRACE = 2 * SECOND;
    private static final long UNKILLABLE_GRACE = 10 * SECOND;
    private static final int OUTPUT_CLOSED = Signals.BASE + Signals.number("PIPE");
    private static final int TIMED_OUT = 124;

    private final JobSpec spec;
    private final String name;
    private final String host = Machine.hostName();
    private final Output output;
    private final Failures failures;
    private final Member[] members;
    private final EventLoop loop = new EventLoop();
    private final long began = System.nanoTime();

    private JobFolder folder;
    private Guard guard;
    private Rendezvous rendezvous;
    private Failure failure;
    private boolean wiredUp;
    private boolean stopping;
    private boolean givenUp;
    private long stoppedAt;
    private String signalled;
    private int undecided;
    private long lastComplaint;
    private int complaints;

    Job(final JobSpec spec) {
        this.spec = spec;
        this.name = ProcessHandle.current().pid()
                + "-"
                + Integer.toHexString(ThreadLocalRandom.current().nextInt(1 << 24));
        this.output = new Output(() -> post(this::outputClosed));
        this.members = new Member[spec.ranks()];
        for (int rank = 0; rank < members.length; rank++) {
            members[rank] = new Member(rank);
        }
        this.failures = new Failures(spec, host, members);
    }

    /**
     * Runs the job.
     *
     * @return its exit code
     */
    int run() {
        JobFolder.removeAbandoned();
        folder = JobFolder.create(name);
        try {
            // Ranks first: while their JVMs start, there is time for all that they need then.
            start();
            guard = new Guard(folder.path());
            openRendezvous();
            Signals.listen(signal -> post(() -> signalled(signal)));
            while (!isOver()) {
                step();
            }
            return finish();
        } finally {
            if (rendezvous != null) {
                rendezvous.close();
            }
            if (guard != null) {
                guard.close();
            }
            folder.close();
        }
    }

    private void openRendezvous() {
        final boolean sharesCores = members.length > Runtime.getRuntime().availableProcessors();
        final List<Rendezvous.Seat> seats = new ArrayList<>();
        for (int i = 0; i < members.length; i++) {
            seats.add(new Rendezvous.Seat(host, sharesCores));
        }
        try {
            rendezvous = new Rendezvous(
                    name,
                    folder.path(),
                    seats,
                    spec.options().number(Options.WIREUP_TIMEOUT),
                    spec.options().number(Options.SILENCE_TIMEOUT),
                    new LineEvents());
        } catch (final JobException e) {
            failed(new Failure(null, "ranks could not join: " + e.getMessage(), null, 1));
        }
    }

    private void start() {
        final Bindings bindings = spec.bindToCore() ? Bindings.toCores() : Bindings.none();
        if (spec.displayMap()) {
            output.say(bindings.map(name, host, members.length));
        } else if (spec.reportBindings()) {
            output.say(bindings.report(host, members.length));
        }
        final boolean several = members.length > 1;
        final RankProcess.Streams streams = new RankProcess.Streams(
                output,
                spec.outputFolder() == null ? null : spec.outputFolder().resolve("1"),
                spec.tagOutput(),
                several,
                several && Output.isInteractive());
        for (final Member member : members) {
            final List<String> command = new ArrayList<>(Tools.ownSession());
            command.addAll(Tools.dieWithParent());
            command.addAll(bindings.command(member.rank));
            command.addAll(spec.program().command());
            member.process = new RankProcess(
                    member.rank, command, environment(member.rank), spec.folder(), streams, new ProcessEvents(member));
            member.process.start();
        }
        if (spec.timeoutNanos() > 0) {
            after(spec.timeoutNanos(), this::timedOut);
        }
    }

    private Map<String, String> environment(final int rank) {
        final Map<String, String> result = new HashMap<>(spec.environment());
        result.put("PARLEY_RANK", String.valueOf(rank));
        result.put("PARLEY_SIZE", String.valueOf(members.length));
        result.put("PARLEY_LOCAL_RANK", String.valueOf(rank));
        result.put("PARLEY_LOCAL_SIZE", String.valueOf(members.length));
        result.put("PARLEY_JOB", name);
        result.put("PARLEY_RENDEZVOUS", Rendezvous.addressIn(folder.path()));
        result.put("PARLEY_TOKEN_FILE", Rendezvous.tokenFileIn(folder.path()).toString());
        return result;
    }

    // --- events and time -------------------------------------------------------------------

    private void post(final Runnable event) {
        loop.post(event);
    }

    private void after(final long nanos, final Runnable what) {
        loop.after(nanos, what);
    }

    private void step() {
        try {
            loop.step();
        } catch (final InterruptedException e) {
            signalled("TERM");
        }
    }

    private boolean isOver() {
        if (givenUp) {
            return true;
        }
        boolean isJudged = undecided == 0;
        for (final Member member : members) {
            if (!member.hasEnded()) {
                return false;
            }
            isJudged &= member.judged;
        }
        return stopping || isJudged;
    }

    private List<Long> groups() {
        final List<Long> result = new ArrayList<>();
        for (final Member member : members) {
            if (member.isRunning()) {
                result.add(member.pid);
            }
        }
        return result;
    }

    // --- processes -------------------------------------------------------------------------

    private void started(final Member member, final long pid) {
        member.pid = pid;
        member.startedNanos = System.nanoTime();
        guard.left(groups());
        if (spec.verbose()) {
            output.say("parley: rank " + member.rank + " is pid " + pid + " on " + host);
        }
        if (stopping) {
            tellToStop(member, "TERM");
        }
    }

    private void notStarted(final Member member, final IOException why) {
        member.code = 1;
        member.startedNanos = System.nanoTime();
        member.endedNanos = member.startedNanos;
        failed(new Failure(member, "could not be started: " + why.getMessage(), null, 1));
    }

    private void ended(final Member member, final int code) {
        member.lastWait = WaitFile.read(folder.path(), member.rank);
        member.endedNanos = System.nanoTime();
        // Whatever it has started and left behind in its group ends with it.
        guard.signal("KILL", List.of(member.pid));
        member.code = code;
        guard.left(groups());
        if (spec.verbose()) {
            output.say("parley: rank " + member.rank + " " + member.ending());
        }
        if (!member.joined || member.disconnected) {
            judge(member);
        } else {
            // What it said last is still on its line.
            after(SECOND, () -> judge(member));
        }
    }

    /** All is known that will be known of a rank's end. */
    private void judge(final Member member) {
        if (stopping || member.judged) {
            return;
        }
        member.judged = true;
        if (member.code != 0) {
            suspect(member);
        } else if (member.joined && !member.left) {
            failed(new Failure(
                    member,
                    "exited with code 0" + Failures.after(member),
                    "without leaving the job: Parley must be closed, best by try (Parley parley =" + " Parley.init())",
                    1));
        } else {
            checkStrangers();
        }
    }

    /** A program that never joins is no error, unless others wait for it. */
    private void checkStrangers() {
        if (wiredUp || stopping) {
            return;
        }
        Member waiting = null;
        Member stranger = null;
        for (final Member member : members) {
            if (member.joined && member.isRunning()) {
                waiting = member;
            } else if (member.hasEnded() && member.code == 0 && !member.joined) {
                stranger = member;
            }
        }
        if (waiting != null && stranger != null) {
            failed(new Failure(
                    stranger,
                    "exited with code 0" + Failures.after(stranger),
                    "without joining the job, and rank "
                            + waiting.rank
                            + " waits for it: either all ranks call Parley.init() or none",
                    1));
        }
    }

    private void disconnected(final Member member) {
        member.disconnected = true;
        if (member.hasEnded()) {
            judge(member);
        } else if (!member.left) {
            after(END_GRACE, () -> {
                if (!member.hasEnded()) {
                    failed(new Failure(
                            member, "has closed its line to the launcher without leaving" + " the job", null, 1));
                }
            });
        }
    }

    // --- failures --------------------------------------------------------------------------

    /** A rank has failed; it may be the first cause, or a consequence of another's failure. */
    private void suspect(final Member member) {
        final Member blamed = member.blames >= 0 && member.blames < members.length ? members[member.blames] : null;
        if (blamed == null || blamed == member) {
            failed(failures.of(member));
        } else if (blamed.exception != null || blamed.hasEnded()) {
            final boolean isGuilty = blamed.exception != null || blamed.code != 0;
            failed(failures.of(isGuilty ? blamed : member));
        } else {
            undecided++;
            after(BLAME_GRACE, () -> {
                undecided--;
                failed(failures.of(member));
            });
        }
    }

    private void failed(final Failure first) {
        if (stopping) {
            return;
        }
        failure = first;
        if (first.member() != null && rendezvous != null) {
            rendezvous.stopping();
            rendezvous.died(first.member().rank, first.how());
        }
        stop("TERM", FAILURE_GRACE);
    }

    private void stop(final String signal, final long grace) {
        stopping = true;
        stoppedAt = System.nanoTime();
        if (rendezvous != null) {
            rendezvous.stopping();
        }
        for (final Member member : members) {
            if (member.isRunning()) {
                tellToStop(member, signal);
            }
        }
        after(grace, this::kill);
    }

    private void tellToStop(final Member member, final String signal) {
        member.toldToStop = true;
        guard.signal(signal, List.of(member.pid));
        // A stopped process hears nothing before it continues.
        guard.signal("CONT", List.of(member.pid));
    }

    private void kill() {
        for (final Member member : members) {
            member.killed |= member.isRunning();
        }
        guard.signal("KILL", groups());
        after(UNKILLABLE_GRACE, () -> givenUp = true);
    }

    private void signalled(final String signal) {
        if (signal.startsWith("USR")) {
            guard.signal(signal, groups());
        } else if (stopping) {
            kill();
        } else {
            signalled = signal;
            stop(signal, SIGNAL_GRACE);
        }
    }

    private void outputClosed() {
        if (!stopping) {
            failure = new Failure(null, "nobody reads the output any more", null, OUTPUT_CLOSED);
            stop("TERM", FAILURE_GRACE);
        }
    }

    private void timedOut() {
        if (stopping) {
            return;
        }
        if (rendezvous != null) {
            rendezvous.requestReports();
        }
        for (final Member member : members) {
            if (member.isRunning() && !member.joined && spec.program().isJava()) {
                guard.signal("QUIT", List.of(member.pid));
            }
        }
        output.say("parley: the job has reached its limit of "
                + Failures.seconds(spec.timeoutNanos() / 1e9)
                + "; what its ranks are doing:");
        awaitReports(System.nanoTime() + REPORT_GRACE);
    }

    private void awaitReports(final long deadline) {
        boolean allThere = true;
        for (final Member member : members) {
            allThere &= !member.joined || member.reported || member.hasEnded();
        }
        if (!allThere && System.nanoTime() < deadline) {
            after(SECOND / 50, () -> awaitReports(deadline));
            return;
        }
        for (final Member member : members) {
            if (!member.reported) {
                output.say(failures.withoutReport(member));
            }
        }
        if (!stopping) {
            failure = new Failure(
                    null, "the job did not end within " + Failures.seconds(spec.timeoutNanos() / 1e9), null, TIMED_OUT);
            stop("TERM", FAILURE_GRACE);
        }
    }

    // --- the end ---------------------------------------------------------------------------

    private int finish() {
        final long deadline = System.nanoTime() + OUTPUT_GRACE;
        for (final Member member : members) {
            member.process.awaitOutput(deadline);
        }
        if (signalled != null && failure == null) {
            if (!spec.quiet()) {
                output.say("parley: stopped by SIG" + signalled + "; no rank is left");
            }
            return Signals.BASE + Signals.number(signalled);
        }
        if (failure == null) {
            return 0;
        }
        if (failure.code() != OUTPUT_CLOSED
                && !(failure.code() == 2 && spec.program().explainsUsage())) {
            output.say(failures.block(failure, (System.nanoTime() - stoppedAt) / 1e9));
        }
        return failure.code();
    }

    /** At most one line a minute about strangers that knock: a port scan is no reason to shout. */
    private void complain(final String why) {
        final long now = System.nanoTime();
        complaints++;
        if (complaints == 1 || now - lastComplaint > 60 * SECOND) {
            lastComplaint = now;
            output.say("parley: " + why + (complaints > 1 ? " (" + complaints + " so far)" : ""));
        }
    }

    /** What becomes of a process, brought to the job's thread. */
    private final class ProcessEvents implements RankProcess.Listener {
        private final Member member;

        ProcessEvents(final Member member) {
            this.member = member;
        }

        @Override
        public void started(final long pid) {
            post(() -> Job.this.started(member, pid));
        }

        @Override
        public void notStarted(final IOException why) {
            post(() -> Job.this.notStarted(member, why));
        }

        @Override
        public void ended(final int code) {
            post(() -> Job.this.ended(member, code));
        }
    }

    /** What comes over the lines, brought to the job's thread. */
    private final class LineEvents implements RankEvents {
        @Override
        public void joined(final int rank, final long pid) {
            post(() -> {
                members[rank].joined = true;
                checkStrangers();
            });
        }

        @Override
        public void wiredUp() {
            post(() -> {
                wiredUp = true;
                if (spec.verbose()) {
                    output.say("parley: all "
                            + members.length
                            + " ranks have joined after "
                            + Failures.seconds((System.nanoTime() - began) / 1e9));
                }
            });
        }

        @Override
        public void hopeless(final int rank, final String how) {
            post(() -> Job.this.failed(new Failure(rank < 0 ? null : members[rank], how, null, 1)));
        }

        @Override
        public void left(final int rank) {
            post(() -> members[rank].left = true);
        }

        @Override
        public void failed(final int rank, final String what, final int blames) {
            post(() -> {
                final Member member = members[rank];
                member.exception = what;
                member.blames = blames;
                after(END_GRACE, () -> {
                    if (!member.hasEnded()) {
                        suspect(member);
                    }
                });
            });
        }

        @Override
        public void aborted(final int rank, final int code, final String why) {
            post(() -> Job.this.failed(new Failure(
                    members[rank],
                    "ended the job with code " + code + Failures.after(members[rank]),
                    why,
                    code == 0 ? 1 : code & 0xff)));
        }

        @Override
        public void disconnected(final int rank) {
            post(() -> Job.this.disconnected(members[rank]));
        }

        @Override
        public void reported(final int rank, final Report report) {
            post(() -> {
                members[rank].reported = true;
                output.say(failures.report(members[rank], report, spec.allStacks()));
            });
        }

        @Override
        public void silent(final int rank, final long seconds, final boolean isDead) {
            post(() -> {
                if (isDead) {
                    Job.this.failed(new Failure(members[rank], "has given no sign for " + seconds + " s", null, 1));
                } else {
                    output.say("parley: rank "
                            + rank
                            + " has given no sign for "
                            + seconds
                            + " s: is it stopped, or the machine overloaded?");
                }
            });
        }

        @Override
        public void refused(final String why) {
            post(() -> complain(why));
        }
    }
}
