package org.parley.launcher;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.parley.wireup.LongWait;

/**
 * Who waits for whom, told when a job has reached its limit; in checked mode also when ranks wait for each other and
 * nothing happens any more. Such a job is left alone: a message between them might be held up by a network that is away.
 */
final class Waiters {
    /** How often ranks are asked in checked mode. */
    static final long INTERVAL = TimeUnit.SECONDS.toNanos(2);

    /** How many times in turn ranks must be found in the same waits. */
    private static final int LOOKS = 5;

    private final Member[] members;
    private final Consumer<String> says;

    /** Answers since the last look. */
    private final Map<Integer, LongWait> answers = new HashMap<>();

    /** What those who cannot go on waited for at the last look, by rank. */
    private Map<Integer, Long> stuck = Map.of();

    private int looks;

    /** @param says tells people */
    Waiters(final Member[] members, final Consumer<String> says) {
        this.members = members;
        this.says = says;
    }

    /** A rank waits; null: it does not. */
    void reported(final int rank, final LongWait wait) {
        members[rank].wait = wait;
        if (wait != null) {
            answers.put(rank, wait);
        }
    }

    /** Tells who waits for whom. */
    void tell() {
        final String text = new WaitGraph(members).text();
        if (!text.isEmpty()) {
            says.accept("parley: " + text);
        }
    }

    /** Looks at what has been answered since the last time: tells once of ranks that stay in waits for each other. */
    void look() {
        final WaitGraph graph = new WaitGraph(members);
        final Map<Integer, Long> now = new HashMap<>();
        for (final int rank : graph.stuck()) {
            if (answers.containsKey(rank)) {
                now.put(rank, answers.get(rank).turn());
            }
        }
        final boolean isComplete = now.size() == graph.stuck().size();
        answers.clear();
        looks = isComplete && !now.isEmpty() && now.equals(stuck) ? looks + 1 : 1;
        stuck = now;
        if (looks == LOOKS) {
            says.accept("parley: nothing happens any more: " + graph.text());
        }
    }

    /** Returns ranks as people name several. */
    static String ranks(final List<Integer> ranks) {
        return (ranks.size() == 1 ? "rank " : "ranks ") + Failures.ranges(ranks);
    }
}
