package org.parley.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.parley.wireup.LongWait;
import org.parley.wireup.Placement;
import org.parley.wireup.RankEvents;
import org.parley.wireup.WaitFile;

/** Puts into words what went wrong with a job: the first cause first. */
final class Failures {
    private static final int KILL_CODE = Signals.BASE + Signals.number("KILL");

    private static final int TIMED_OUT = 124;

    private final Placement placement;
    private final Member[] members;

    Failures(final Placement placement, final Member[] members) {
        this.placement = placement;
        this.members = members;
    }

    /** Describes the failure of a rank whose process has ended, or that said that it will. */
    Failure of(final Member member) {
        if (!member.hasEnded()) {
            return new Failure(member, "ended by an exception" + after(member), member.exception, 1);
        }
        return new Failure(member, member.ending() + after(member), detail(member), member.code);
    }

    /** Describes the end of a rank that has joined and not left. */
    static Failure ofCareless(final Member member) {
        return new Failure(
                member,
                "exited with code 0" + after(member),
                "without leaving the job: Parley must be closed, best by try (Parley parley = Parley.init())",
                1);
    }

    /**
     * Describes the loss of hosts.
     *
     * @param which the one that is lost by itself, and others that were reached through it
     * @param wasThere whether its agent had answered
     * @param how why, for people
     * @param ranks those that ran there
     */
    Failure ofHosts(final List<Integer> which, final boolean wasThere, final String how, final List<Integer> ranks) {
        final List<String> through =
                which.subList(1, which.size()).stream().map(this::host).toList();
        return new Failure(
                null,
                (wasThere ? "lost the link to host " : "no way to host ") + host(which.get(0))
                        + (through.isEmpty() ? "" : " and, through it, to " + String.join(", ", through)) + ": "
                        + clean(how),
                ranks.isEmpty() ? null : (ranks.size() == 1 ? "rank " : "ranks ") + ranges(ranks) + " there",
                1);
    }

    /** Returns a host's name. */
    String host(final int number) {
        return clean(placement.hosts().get(number));
    }

    /** Returns how long a rank ran, to follow how it ended. */
    static String after(final Member member) {
        return " after " + seconds(member.seconds());
    }

    private String detail(final Member member) {
        if (member.exception != null) {
            return member.exception;
        }
        if (member.crashReport != null) {
            return "crash report: " + member.crashReport;
        }
        return member.code == KILL_CODE
                ? "not by the launcher: by somebody, or by the kernel for want of memory (dmesg)"
                : null;
    }

    /** Describes that a job has reached its limit of time. */
    static Failure ofTimeout(final long nanos) {
        return new Failure(null, "the job did not end within " + seconds(nanos / 1e9), null, TIMED_OUT);
    }

    /** Describes a program that has not joined the job while another rank waits for it; null: there is none. */
    Failure ofStranger() {
        Member waiting = null;
        Member stranger = null;
        for (final Member member : members) {
            if (member.joined && member.isRunning()) {
                waiting = member;
            } else if (member.hasEnded() && member.code == 0 && !member.joined) {
                stranger = member;
            }
        }
        return waiting == null || stranger == null
                ? null
                : new Failure(
                        stranger,
                        "exited with code 0" + after(stranger),
                        "without joining the job, and rank "
                                + waiting.rank
                                + " waits for it: either all ranks call Parley.init() or none",
                        1);
    }

    /** Returns what is said of ranks without which the job has gone on, the first cause first. */
    String outlived(final List<Failure> all) {
        final StringBuilder text = new StringBuilder("parley: " + all.size() + " of " + members.length
                + (all.size() == 1 ? " ranks has failed:" : " ranks have failed:"));
        for (final Failure one : all) {
            text.append("\n    rank ")
                    .append(one.member().rank)
                    .append(" on ")
                    .append(host(one.member()))
                    .append(one.member().pid < 0 ? " " : " (pid " + one.member().pid + ") ")
                    .append(one.how())
                    .append(one.detail() == null ? "" : ": " + clean(one.detail()));
        }
        return text.toString();
    }

    /** Returns the block that a failed job ends with. */
    String block(final Failure first, final double stoppedSeconds) {
        final List<String> lines = new ArrayList<>();
        final Member member = first.member();
        if (member == null) {
            lines.add("FAILED  " + first.how());
        } else {
            lines.add("FAILED  rank " + member.rank + " of " + members.length + " on " + host(member)
                    + (member.pid < 0 ? "" : " (pid " + member.pid + ")") + " " + first.how());
        }
        if (first.detail() != null) {
            lines.add(clean(first.detail()));
        }
        if (member != null) {
            lines.add(lastCall(member));
        }
        final Predicate<Member> other = m -> m != member && m.toldToStop;
        addOthers(
                lines,
                m -> other.test(m) && m.hasEnded() && !m.killed,
                "told to stop and did within " + seconds(stoppedSeconds));
        addOthers(lines, m -> other.test(m) && m.hasEnded() && m.killed, "told to stop, did not, and had to be killed");
        addOthers(lines, m -> m.toldToStop && !m.hasEnded(), "killed, but still there: see what holds them");
        lines.add("exit code " + first.code());
        return String.join("\n", lines).replace("\n", "\n        ");
    }

    /** Returns a text that a rank made, without what would move a terminal's cursor. */
    static String clean(final String text) {
        return text.replaceAll("[\\p{Cntrl}&&[^\n\t]]", "?");
    }

    private static String lastCall(final Member member) {
        final WaitFile.Wait wait = member.lastWait;
        if (wait == null) {
            return member.joined ? "last call: none that waited for long" : "it had not joined the job";
        }
        return wait.isOver()
                ? "last call: not in one; the last that waited for long was " + wait.what()
                : "last call: " + wait.what();
    }

    private void addOthers(final List<String> lines, final Predicate<Member> which, final String what) {
        final List<Integer> ranks = new ArrayList<>();
        for (final Member member : members) {
            if (which.test(member)) {
                ranks.add(member.rank);
            }
        }
        if (!ranks.isEmpty()) {
            lines.add((ranks.size() == 1 ? "rank " + ranks.get(0) + " was " : "ranks " + ranges(ranks) + " were ")
                    + what);
        }
    }

    /** Returns ranks in order as text, runs of them as {@code first-last}. */
    static String ranges(final List<Integer> ranks) {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < ranks.size(); ) {
            int end = i;
            while (end + 1 < ranks.size() && ranks.get(end + 1) == ranks.get(end) + 1) {
                end++;
            }
            text.append(text.length() == 0 ? "" : ",").append(ranks.get(i));
            if (end > i) {
                text.append(end == i + 1 ? "," : "-").append(ranks.get(end));
            }
            i = end + 1;
        }
        return text.toString();
    }

    /** Returns a rank's own report. */
    String report(final Member member, final RankEvents.Report report, final boolean allStacks) {
        final LongWait call = report.waitsFor();
        final String wait = call == null
                ? "is in no call that waits for long"
                : "waits in " + call.call() + ", since " + seconds(call.millis() / 1e3);
        final String stacks = report.program() + (allStacks ? report.others() : "");
        return title(member)
                + wait
                + (report.counters().isEmpty() ? "" : "; " + report.counters())
                + "\n    "
                + stacks.strip().replace("\n", "\n    ");
    }

    /** Returns what can be said of a rank that has not reported. */
    String withoutReport(final Member member) {
        if (member.hasEnded()) {
            return title(member) + member.ending() + after(member);
        }
        if (!member.joined) {
            return title(member) + "has not joined the job";
        }
        return title(member) + "does not answer; " + lastCall(member);
    }

    private String host(final Member member) {
        return clean(placement.host(member.rank));
    }

    private String title(final Member member) {
        return "rank " + member.rank + " on " + host(member) + " (pid " + member.pid + ") ";
    }

    static String precise(final double seconds) {
        return String.format(Locale.ROOT, "%.2f s", seconds);
    }

    static String seconds(final double seconds) {
        return String.format(Locale.ROOT, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    }
}
