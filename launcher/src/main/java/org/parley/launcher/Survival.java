package org.parley.launcher;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.parley.config.Options;
import org.parley.wireup.Arbiter;
import org.parley.wireup.Petition;
import org.parley.wireup.Ruling;

/**
 * A job that goes on without ranks that fail: which have, and what becomes of the others. Keeps the job's arbiter, since
 * the launcher is the one who knows in which order ranks fail. Used by the job's thread only.
 */
final class Survival {
    private final boolean isOn;
    private final Member[] members;
    private final List<Host> hosts;
    private final EventLoop loop;
    private final Consumer<Failure> verdict;
    private final Arbiter arbiter = new Arbiter(this::tell);

    /** Of ranks that the others have outlived, in this order. */
    private final List<Failure> outlived = new ArrayList<>();

    /**
     * Makes one.
     *
     * @param options whether the job goes on; else ranks may agree all the same, until the first fails
     * @param verdict is told of ranks that are not to go on, for others cannot reach them
     */
    Survival(
            final Options options,
            final Member[] members,
            final List<Host> hosts,
            final EventLoop loop,
            final Consumer<Failure> verdict) {
        this.isOn = options.text(Options.FAULT_TOLERANCE).equals(Options.CONTINUE);
        this.members = members;
        this.hosts = hosts;
        this.loop = loop;
        this.verdict = verdict;
    }

    boolean isOn() {
        return isOn;
    }

    private void tell(final List<Integer> ranks, final Ruling ruling) {
        hosts.forEach(host -> host.tell(ranks, ruling));
    }

    void asked(final int rank, final Petition petition) {
        arbiter.ask(rank, petition);
        if (petition instanceof Petition.Suspicion) {
            loop.after(
                    Arbiter.PATIENCE_NANOS,
                    () -> arbiter.blame()
                            .forEach(blamed ->
                                    verdict.accept(new Failure(members[blamed.rank()], blamed.cause(), null, 1))));
        }
    }

    /** Ranks have left, and the others have been told. */
    void left(final List<Integer> ranks) {
        ranks.forEach(arbiter::gone);
    }

    /** Whether a rank's exit code is its result, rather than a failure: it has left before, and exited by itself. */
    boolean isResult(final Member member) {
        return isOn && member.left && member.exception == null && Signals.ofExitCode(member.code) == null;
    }

    /** Lets the others go on without a rank: they are told, and if it is still there it is ended. */
    void outlive(final Failure failure) {
        final Member member = failure.member();
        if (member.outlived) {
            return;
        }
        member.outlived = true;
        outlived.add(failure);
        hosts.forEach(host -> host.died(member.rank, failure.how()));
        arbiter.gone(member.rank);
        if (member.isRunning()) {
            hosts.forEach(host -> host.signal("KILL", List.of(member.rank)));
        }
    }

    List<Failure> outlived() {
        return outlived;
    }

    /** Returns why the job has failed all the same, or null: nobody was left, or one of those who were has exited with another code than 0. */
    Failure failure(final Failures failures) {
        if (outlived.size() == members.length) {
            return outlived.get(0);
        }
        return Stream.of(members)
                .filter(member -> !member.outlived && member.code != 0)
                .min(Comparator.comparingLong(member -> member.endedNanos))
                .map(failures::of)
                .orElse(null);
    }
}
