package org.parley.launcher;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Which of the ranks that failed is the first cause: one fails because another has left, which left because a third
 * failed. What they say comes in any order, and the later the busier the machines are.
 */
final class Blame {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** How long a rank that blames another waits for that one to prove guilty. */
    private static final long GRACE = 3 * SECOND;

    /** The same, if that one has left the job: who leaves because of an exception says of which when it has closed all. */
    private static final long LEAVING_GRACE = 10 * SECOND;

    private final Member[] members;
    private final EventLoop loop;
    private final Consumer<Member> verdict;

    /** Ranks that have failed and blame one that has not said its last. */
    private final List<Member> undecided = new ArrayList<>();

    /** @param verdict is told the first cause, perhaps more than once */
    Blame(final Member[] members, final EventLoop loop, final Consumer<Member> verdict) {
        this.members = members;
        this.loop = loop;
        this.verdict = verdict;
    }

    /** A rank has failed; it may be the first cause, or a consequence of another's failure. */
    void suspect(final Member failed) {
        final Member cause = cause(failed);
        if (cause != null) {
            verdict.accept(cause);
            return;
        }
        undecided.add(failed);
        final Runnable decide = () -> verdict.accept(follow(failed));
        loop.after(GRACE, () -> {
            if (isLeaving(failed)) {
                loop.after(LEAVING_GRACE, decide);
            } else {
                decide.run();
            }
        });
    }

    /** A rank has ended well: who blames it may be the cause. */
    void reconsider() {
        undecided.stream().map(this::cause).filter(Objects::nonNull).findFirst().ifPresent(verdict);
    }

    /** Whether nobody's failure waits for what others say. */
    boolean isSettled() {
        return undecided.isEmpty();
    }

    /** Returns the first cause of a rank's failure, or null while one on the way to it has not said why it ends. */
    Member cause(final Member failed) {
        final Member last = follow(failed);
        final Member next = blamed(last);
        return next == null || hasSpoken(next) ? last : null;
    }

    /** Whether the rank that has not said why it ends may be about to: it has left the job, but its process is there. */
    boolean isLeaving(final Member failed) {
        final Member next = blamed(follow(failed));
        return next != null && next.left && !next.hasEnded();
    }

    /** Returns the cause as far as it is known. */
    Member follow(final Member failed) {
        final Set<Member> seen = new HashSet<>();
        Member at = failed;
        for (Member next; (next = blamed(at)) != null && isGuilty(next); at = next) {
            seen.add(at);
            if (seen.contains(next)) {
                return firstHand(next);
            }
        }
        return at;
    }

    /**
     * Of ranks that blame each other, one has found no way to another, and has left when that one looked for it; who only
     * missed another is not the cause.
     */
    private Member firstHand(final Member start) {
        Member at = start;
        do {
            if (!at.exception.endsWith("has left the job")) {
                return at;
            }
            at = blamed(at);
        } while (at != start);
        return start;
    }

    private Member blamed(final Member by) {
        final boolean isOther = by.blames >= 0 && by.blames < members.length && by.blames != by.rank;
        return isOther ? members[by.blames] : null;
    }

    private static boolean hasSpoken(final Member member) {
        return member.exception != null || member.judged;
    }

    /** Whether a rank that another blames is nearer to the first cause. */
    private static boolean isGuilty(final Member blamed) {
        return blamed.exception != null || blamed.judged && blamed.code != 0;
    }
}
