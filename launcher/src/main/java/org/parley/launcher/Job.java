package org.parley.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.parley.config.Options;
import org.parley.wireup.Petition;
import org.parley.wireup.Placement;
import org.parley.wireup.WireUp;

/**
 * A job's life, from the start of its hosts to the end of the last rank. Everything that happens, on
 * whatever thread, comes as an event to the one thread that {@link #run} is called by; no other
 * touches the state.
 */
final class Job implements HostEvents {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Between the request and the blow, after a failure and after the user's signal. */
    private static final long FAILURE_GRACE = 2 * SECOND;

    private static final long SIGNAL_GRACE = 5 * SECOND;

    /** How long the process of a rank may outlive its own last words, or its line. */
    private static final long END_GRACE = 2 * SECOND;

    private static final long UNKILLABLE_GRACE = 10 * SECOND;
    private static final int OUTPUT_CLOSED = Signals.BASE + Signals.number("PIPE");

    private final JobSpec spec;
    private final String name;
    private final Placement placement;
    private final Output output;
    private final Tallies tallies;
    private final Failures failures;
    private final Blame blame;
    private final Survival survival;
    private final Member[] members;
    private final TransportMap map;
    private final WireUp wireUp;
    private final Complaints complaints;
    private final Waiters waiters;
    private final StatusServer status;
    private final EventLoop loop = new EventLoop();
    private final List<Host> hosts = new ArrayList<>();
    private final long began = System.nanoTime();

    private Plan plan;
    private RemoteHosts remote;
    private HostStart hostStart;
    private boolean ranksStarted;
    private long lastTick = System.nanoTime();
    private Failure failure;
    private boolean stopping;
    private boolean givenUp;
    private boolean looksForMissing;
    private long stoppedAt;
    private String signalled;

    /** When the last rank ended, or 0. */
    private long endedAt;

    /** Ranks that have left since the others were last told. */
    private final List<Integer> leaving = new ArrayList<>();

    Job(final JobSpec spec) {
        this.spec = spec;
        this.name = ProcessHandle.current().pid()
                + "-"
                + Integer.toHexString(ThreadLocalRandom.current().nextInt(1 << 24));
        this.placement = spec.layout().placement();
        this.output = new Output(
                new Output.Style(
                        spec.tagOutput(),
                        spec.outputFolder() == null ? null : spec.outputFolder().resolve("1")),
                new OutputEvents());
        this.tallies = new Tallies(output, spec.verbose(), spec.isDrill());
        this.members = new Member[placement.size()];
        for (int rank = 0; rank < members.length; rank++) {
            members[rank] = new Member(rank);
        }
        this.complaints = new Complaints(output);
        this.waiters = new Waiters(members, output::say);
        this.status = new StatusServer(name, placement, members, loop, () -> requestReports(false));
        this.map = new TransportMap(placement);
        this.failures = new Failures(placement, members);
        this.blame = new Blame(members, loop, cause -> failed(failures.of(cause)));
        this.survival = new Survival(spec.options(), members, hosts, loop, this::failed);
        this.wireUp = new WireUp(members.length, spec.options().number(Options.WIREUP_TIMEOUT));
    }

    /**
     * Runs the job.
     *
     * @return its exit code
     */
    int run() {
        try {
            start();
            Signals.listen(signal -> loop.post(() -> signalled(signal)));
            while (!isOver() || loop.hasEvents()) {
                step();
            }
            return finish();
        } finally {
            status.close();
            hosts.forEach(Host::close);
        }
    }

    private void start() {
        final List<Integer> others = spec.layout().remote();
        plan = Plans.of(spec, name);
        if (others.isEmpty()) {
            startRanks();
            return;
        }
        remote = new RemoteHosts(loop, plan, others, spec.verbose(), output, this);
        hosts.add(remote);
        hostStart = new HostStart(spec, plan, remote, output, new StartEvents());
        remote.connect();
        tick();
        after(plan.launching().timeoutNanos(), hostStart::check);
    }

    private void tick() {
        final long now = System.nanoTime();
        remote.tick(now, now - lastTick > 3 * SECOND);
        lastTick = now;
        after(SECOND, this::tick);
    }

    private void startRanks() {
        if (stopping) {
            return;
        }
        final int local = spec.layout().local();
        final String map = RankMap.text(name, spec, hostStart == null ? new Facts[1] : hostStart.facts());
        if (!map.isEmpty()) {
            output.say(map);
        }
        if (local >= 0) {
            hosts.add(new LocalHost(plan, local, "", null, output, new Posted(loop, this)));
        }
        ranksStarted = true;
        hosts.forEach(Host::start);
        status.open(output::say);
        if (spec.timeoutNanos() > 0) {
            after(spec.timeoutNanos(), this::timedOut);
        }
        if (spec.options().flag(Options.CHECK)) {
            after(Waiters.INTERVAL, this::lookForDeadlock);
        }
    }

    private void requestReports(final boolean stacks) {
        hosts.forEach(host -> host.requestReports(stacks));
    }

    private void lookForDeadlock() {
        waiters.look();
        requestReports(false);
        after(Waiters.INTERVAL, this::lookForDeadlock);
    }

    // --- events and time -------------------------------------------------------------------

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
        if (!ranksStarted) {
            return stopping;
        }
        boolean isJudged = blame.isSettled();
        for (final Member member : members) {
            if (!member.hasEnded()) {
                return false;
            }
            isJudged &= member.judged;
        }
        return (stopping || isJudged) && isDrained();
    }

    private boolean isDrained() {
        if (endedAt == 0) {
            endedAt = System.nanoTime();
        }
        if (output.isDrained(endedAt, signalled == null)) {
            return true;
        }
        // An end of a stream wakes the loop; what is given up does not.
        after(SECOND / 4, () -> {});
        return false;
    }

    private List<Integer> running() {
        return IntStream.range(0, members.length)
                .filter(rank -> members[rank].isRunning())
                .boxed()
                .collect(Collectors.toList());
    }

    // --- hosts -----------------------------------------------------------------------------

    @Override
    public void ready(final int host, final Facts facts) {
        hostStart.ready(host, facts);
    }

    @Override
    public void copied(final int host, final long bytes) {
        hostStart.copied(host, bytes);
    }

    @Override
    public void lost(final List<Integer> which, final String how) {
        final List<Integer> ranks = new ArrayList<>();
        for (final int host : which) {
            remote.endOutput(host);
            for (final int rank : placement.ranksOn(host)) {
                if (ranksStarted && !members[rank].hasEnded()) {
                    ranks.add(rank);
                    members[rank].lost();
                }
            }
        }
        final Failure lost = failures.ofHosts(which, hostStart.facts()[which.get(0)] != null, how, ranks);
        if (survival.isOn() && wireUp.isComplete()) {
            ranks.forEach(rank -> failed(new Failure(members[rank], "was lost: " + lost.how(), null, 1)));
        } else {
            failed(lost);
        }
    }

    @Override
    public void quiet(final int host, final long seconds) {
        output.say("parley: host " + failures.host(host) + " has given no sign for " + seconds
                + " s: is it stopped, or the network cut?");
    }

    // --- processes -------------------------------------------------------------------------

    @Override
    public void started(final int rank, final long pid) {
        final Member member = members[rank];
        member.pid = pid;
        member.startedNanos = System.nanoTime();
        if (spec.verbose()) {
            output.say("parley: rank " + rank + " is pid " + pid + " on " + placement.host(rank));
        }
        if (stopping) {
            tellToStop(List.of(rank), "TERM");
        }
    }

    @Override
    public void notStarted(final int rank, final String why) {
        final Member member = members[rank];
        member.code = 1;
        member.startedNanos = System.nanoTime();
        member.endedNanos = member.startedNanos;
        failed(new Failure(member, "could not be started: " + why, null, 1));
    }

    @Override
    public void ended(final int rank, final Ending ending) {
        final Member member = members[rank];
        member.endedNanos = System.nanoTime();
        member.code = ending.code();
        member.lastWait = ending.lastWait();
        member.crashReport = ending.crashReport();
        if (spec.verbose()) {
            output.say("parley: rank " + rank + " " + member.ending());
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
        if (member.code != 0 && !survival.isResult(member)) {
            suspect(member);
        } else if (member.joined && !member.left) {
            failed(Failures.ofCareless(member));
        } else {
            blame.reconsider();
            checkStrangers();
        }
    }

    /** Where the others go on it does not matter whose failure was first. */
    private void suspect(final Member member) {
        if (survival.isOn()) {
            failed(failures.of(member));
        } else {
            blame.suspect(member);
        }
    }

    /** A program that never joins is no error, unless others wait for it. */
    private void checkStrangers() {
        if (wireUp.isComplete() || stopping) {
            return;
        }
        final Failure stranger = failures.ofStranger();
        if (stranger != null) {
            failed(stranger);
        }
    }

    // --- lines -----------------------------------------------------------------------------

    @Override
    public void joined(final int rank, final long pid) {
        members[rank].joined = true;
        checkStrangers();
    }

    @Override
    public void contributed(final int rank, final String options, final byte[] address) {
        final WireUp.Trouble trouble = wireUp.contribute(rank, options, address, System.nanoTime());
        if (trouble != null) {
            hopeless(trouble);
        } else if (wireUp.isComplete()) {
            final byte[] everybody = wireUp.everybody();
            hosts.forEach(host -> host.everybody(everybody));
            if (spec.verbose() || Output.isTerminal() && !spec.quiet()) {
                output.say("parley: " + members.length + (members.length == 1 ? " rank" : " ranks") + " on "
                        + RankMap.hosts(placement) + "; ready in "
                        + Failures.precise((System.nanoTime() - began) / 1e9));
            }
        } else if (!looksForMissing) {
            looksForMissing = true;
            lookForMissing();
        }
    }

    private void lookForMissing() {
        final WireUp.Trouble missing = wireUp.missing(System.nanoTime());
        if (missing != null) {
            hopeless(missing);
        } else if (!wireUp.isComplete() && !stopping) {
            after(SECOND, this::lookForMissing);
        }
    }

    private void hopeless(final WireUp.Trouble trouble) {
        hosts.forEach(host -> host.hopeless(trouble.sentence()));
        failed(new Failure(trouble.rank() < 0 ? null : members[trouble.rank()], trouble.how(), null, 1));
    }

    @Override
    public void broken(final String why) {
        failed(new Failure(null, why, null, 1));
    }

    @Override
    public void mapped(final int rank, final List<String> transports) {
        if (map.put(rank, transports)) {
            output.say(map.text());
        }
    }

    /** Others are told once of all whose leaving has come meanwhile. */
    @Override
    public void left(final int rank, final String counters) {
        members[rank].left = true;
        tallies.left(rank, counters);
        leaving.add(rank);
        if (leaving.size() == 1) {
            loop.post(() -> {
                hosts.forEach(host -> host.left(List.copyOf(leaving)));
                survival.left(leaving);
                leaving.clear();
            });
        }
    }

    @Override
    public void failed(final int rank, final String what, final int blames) {
        final Member member = members[rank];
        member.exception = what;
        member.blames = blames;
        after(END_GRACE, () -> {
            if (!member.hasEnded()) {
                suspect(member);
            }
        });
    }

    @Override
    public void aborted(final int rank, final int code, final String why) {
        end(new Failure(
                members[rank],
                "ended the job with code " + code + Failures.after(members[rank]),
                why,
                code == 0 ? 1 : code & 0xff));
    }

    @Override
    public void asked(final int rank, final Petition petition) {
        survival.asked(rank, petition);
    }

    @Override
    public void disconnected(final int rank) {
        final Member member = members[rank];
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

    @Override
    public void reported(final int rank, final Report report) {
        waiters.reported(rank, report.waitsFor());
        status.reported(rank, report);
        if (report.isFull()) {
            members[rank].reported = true;
            output.say(failures.report(members[rank], report, spec.allStacks()));
        }
    }

    @Override
    public void silent(final int rank, final long seconds, final boolean isDead) {
        if (isDead) {
            failed(new Failure(members[rank], "has given no sign for " + seconds + " s", null, 1));
        } else {
            output.say("parley: rank " + rank + " has given no sign for " + seconds
                    + " s: is it stopped, or the machine overloaded?");
        }
    }

    @Override
    public void refused(final String why) {
        if (!stopping) {
            status.refused();
            complaints.add(why);
        }
    }

    // --- failures --------------------------------------------------------------------------

    private void failed(final Failure what) {
        if (survival.isOn() && what.member() != null && wireUp.isComplete() && !stopping) {
            survival.outlive(what);
        } else {
            end(what);
        }
    }

    private void end(final Failure first) {
        if (stopping) {
            return;
        }
        failure = first;
        if (first.member() != null) {
            hosts.forEach(Host::stopping);
            hosts.forEach(host -> host.died(first.member().rank, first.how()));
        }
        stop("TERM", FAILURE_GRACE);
    }

    private void stop(final String signal, final long grace) {
        stopping = true;
        stoppedAt = System.nanoTime();
        hosts.forEach(Host::stopping);
        tellToStop(running(), signal);
        after(grace, this::kill);
    }

    private void tellToStop(final List<Integer> ranks, final String signal) {
        ranks.forEach(rank -> members[rank].toldToStop = true);
        hosts.forEach(host -> host.signal(signal, ranks));
        // A stopped process hears nothing before it continues.
        hosts.forEach(host -> host.signal("CONT", ranks));
    }

    private void kill() {
        final List<Integer> ranks = running();
        ranks.forEach(rank -> members[rank].killed = true);
        hosts.forEach(host -> host.signal("KILL", ranks));
        after(UNKILLABLE_GRACE, () -> givenUp = true);
    }

    private void signalled(final String signal) {
        if (signal.startsWith("USR")) {
            hosts.forEach(host -> host.signal(signal, running()));
        } else if (stopping) {
            kill();
        } else {
            signalled = signal;
            stop(signal, SIGNAL_GRACE);
        }
    }

    private void outputClosed(final String why) {
        if (!stopping) {
            failure = new Failure(null, why, null, why == null ? OUTPUT_CLOSED : 1);
            stop("TERM", FAILURE_GRACE);
        }
    }

    private void timedOut() {
        if (stopping) {
            return;
        }
        new LastReports(spec, members, hosts, loop, output, failures, waiters).tell(() -> {
            if (!stopping) {
                failure = Failures.ofTimeout(spec.timeoutNanos());
                stop("TERM", FAILURE_GRACE);
            }
        });
    }

    // --- the end ---------------------------------------------------------------------------

    private int finish() {
        tallies.sayDrill();
        if (signalled != null && failure == null) {
            if (!spec.quiet()) {
                output.say("parley: stopped by SIG" + signalled + "; no rank is left");
            }
            return Signals.BASE + Signals.number(signalled);
        }
        if (failure == null) {
            failure = survival.failure(failures);
            if (!survival.outlived().isEmpty()) {
                output.say(failures.outlived(survival.outlived()));
            }
        }
        if (failure == null && output.incomplete() != null) {
            failure = new Failure(
                    null, "all ranks ended well, but not all they said is in " + output.incomplete(), null, 1);
        }
        if (failure == null) {
            return 0;
        }
        final boolean isExplained = failure.code() == 2 && spec.program().explainsUsage();
        if (failure.code() != OUTPUT_CLOSED && !isExplained) {
            output.say(failures.block(failure, (endedAt == 0 ? System.nanoTime() : endedAt) / 1e9 - stoppedAt / 1e9));
        }
        return failure.code();
    }

    private final class StartEvents implements HostStart.Listener {
        @Override
        public void failed(final Failure why) {
            Job.this.failed(why);
        }

        @Override
        public void complete() {
            startRanks();
        }
    }

    private final class OutputEvents implements Output.Listener {
        @Override
        public void closed(final String why) {
            loop.post(() -> outputClosed(why));
        }

        @Override
        public void ended() {
            loop.post(() -> {});
        }
    }
}
