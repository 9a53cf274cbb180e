package org.parley.launcher;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Has the ranks of a job that takes too long tell what they are doing. Used by the job's thread only. */
final class LastReports {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(20);

    private final JobSpec spec;
    private final Member[] members;
    private final List<Host> hosts;
    private final EventLoop loop;
    private final Output output;
    private final Failures failures;
    private final Waiters waiters;

    LastReports(
            final JobSpec spec,
            final Member[] members,
            final List<Host> hosts,
            final EventLoop loop,
            final Output output,
            final Failures failures,
            final Waiters waiters) {
        this.spec = spec;
        this.members = members;
        this.hosts = hosts;
        this.loop = loop;
        this.output = output;
        this.failures = failures;
        this.waiters = waiters;
    }

    /**
     * Asks them.
     *
     * @param then called when all have answered, or had the time for it
     */
    void tell(final Runnable then) {
        hosts.forEach(host -> host.requestReports(true));
        if (spec.program().isJava()) {
            final List<Integer> strangers = Stream.of(members)
                    .filter(member -> member.isRunning() && !member.joined)
                    .map(member -> member.rank)
                    .toList();
            hosts.forEach(host -> host.signal("QUIT", strangers));
        }
        output.say("parley: the job has reached its limit of "
                + Failures.seconds(spec.timeoutNanos() / 1e9)
                + "; what its ranks are doing:");
        await(System.nanoTime() + PATIENCE, then);
    }

    private void await(final long deadline, final Runnable then) {
        boolean allThere = true;
        for (final Member member : members) {
            allThere &= !member.joined || member.reported || member.hasEnded();
        }
        if (!allThere && System.nanoTime() - deadline < 0) {
            loop.after(LOOK, () -> await(deadline, then));
            return;
        }
        for (final Member member : members) {
            if (!member.reported) {
                output.say(failures.withoutReport(member));
            }
        }
        waiters.tell();
        then.run();
    }
}
