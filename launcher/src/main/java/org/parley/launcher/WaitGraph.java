package org.parley.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.parley.wireup.LongWait;

/**
 * Which ranks wait for which, and which of them cannot go on: those of whom all that they need is done only by ranks that
 * cannot go on either. A receive from any source needs one of several, a collective all that its steps wait for.
 */
final class WaitGraph {
    /** How many ranks of a cycle are told of. */
    private static final int TOLD = 16;

    private final Member[] members;
    private final boolean[] canGoOn;
    private final List<Integer> stuck = new ArrayList<>();

    WaitGraph(final Member[] members) {
        this.members = members;
        this.canGoOn = new boolean[members.length];
        boolean isSettled = false;
        while (!isSettled) {
            isSettled = true;
            for (int rank = 0; rank < members.length; rank++) {
                if (!canGoOn[rank] && goesOn(rank)) {
                    canGoOn[rank] = true;
                    isSettled = false;
                }
            }
        }
        for (int rank = 0; rank < members.length; rank++) {
            if (!canGoOn[rank]) {
                stuck.add(rank);
            }
        }
    }

    private LongWait wait(final int rank) {
        final Member member = members[rank];
        return member.left || member.hasEnded() ? null : member.wait;
    }

    /** Those that a rank waits for; who is gone is not waited for, the wait ends. */
    private List<Integer> needs(final int rank) {
        return wait(rank).ranks().stream()
                .filter(other -> other >= 0 && other < members.length)
                .filter(other -> !members[other].left && !members[other].hasEnded())
                .toList();
    }

    private boolean goesOn(final int rank) {
        if (wait(rank) == null) {
            return true;
        }
        final List<Integer> needs = needs(rank);
        return needs.isEmpty()
                || (wait(rank).any()
                        ? needs.stream().anyMatch(other -> canGoOn[other])
                        : needs.stream().allMatch(other -> canGoOn[other]));
    }

    /** Returns the ranks that cannot go on. */
    List<Integer> stuck() {
        return stuck;
    }

    /** Returns ranks that wait for each other in a ring, if some cannot go on. */
    List<Integer> cycle() {
        final List<Integer> way = new ArrayList<>();
        int at = stuck.get(0);
        while (!way.contains(at)) {
            way.add(at);
            at = needs(at).stream().filter(other -> !canGoOn[other]).findFirst().orElseThrow();
        }
        return way.subList(way.indexOf(at), way.size());
    }

    /** Says who waits for whom, for people; empty: nobody. */
    String text() {
        return stuck.isEmpty() ? chains() : deadlock();
    }

    private String deadlock() {
        final List<Integer> cycle = cycle();
        final StringBuilder text = new StringBuilder(
                cycle.size() == 1 ? "a rank waits for itself:" : "ranks wait for each other, and none can go on:");
        for (final int rank : cycle.subList(0, Math.min(TOLD, cycle.size()))) {
            text.append("\n    ").append(sentence(rank));
        }
        if (cycle.size() > TOLD) {
            text.append("\n    and ")
                    .append(cycle.size() - TOLD)
                    .append(" more, back to rank ")
                    .append(cycle.get(0));
        }
        final List<Integer> others = new ArrayList<>(stuck);
        others.removeAll(cycle);
        if (!others.isEmpty()) {
            text.append("\n    ")
                    .append(Waiters.ranks(others))
                    .append(others.size() == 1 ? " waits for these" : " wait for these");
        }
        return text.toString();
    }

    private String sentence(final int rank) {
        final LongWait wait = wait(rank);
        final List<Integer> ranks = wait.ranks();
        return "rank " + rank + " waits for " + (wait.any() && ranks.size() > 1 ? "any of " : "")
                + Waiters.ranks(ranks) + " since " + Failures.seconds(wait.millis() / 1e3) + ": "
                + Failures.clean(wait.call());
    }

    /** Nobody is stuck for ever: says for whom the others wait who is in no call himself. */
    private String chains() {
        final List<Integer> waiting = new ArrayList<>();
        final TreeSet<Integer> causes = new TreeSet<>();
        for (int rank = 0; rank < members.length; rank++) {
            if (wait(rank) != null && !needs(rank).isEmpty()) {
                waiting.add(rank);
                needs(rank).stream().filter(other -> wait(other) == null).forEach(causes::add);
            }
        }
        if (causes.isEmpty()) {
            return "";
        }
        final List<Integer> last = List.copyOf(causes);
        return Waiters.ranks(waiting) + (waiting.size() == 1 ? " waits" : " wait") + ", in the end, for "
                + Waiters.ranks(last) + ", in no call that waits for long";
    }
}
