package org.parley;

import java.util.ArrayList;
import java.util.List;
import org.parley.engine.ScheduleRun;
import org.parley.schedule.Collective;
import org.parley.schedule.Schedule;

/**
 * Checked mode: what goes before a collective. Rank 0 and each other rank tell each other what they call, and compare.
 * So all ranks wait for rank 0, as the standard allows any collective to (MPI-3.1 section 5.1).
 */
final class Agreement {
    private static final int COLLECTIVE = 0;
    private static final int ROOT = 1;
    private static final int BYTES = 2;
    private static final int COUNT = 3;
    private static final int TYPE = 4;
    private static final int OP = 5;
    private static final int WORDS = 6;

    private final int rank;
    private final int ranks;
    private final ScheduleRun run;
    private final long[] calls;

    /**
     * Makes one, to be started.
     *
     * @param run what carries it
     * @param sequence the call's number, the same on all ranks
     * @param call what this rank calls
     */
    Agreement(final ScheduleRun run, final int rank, final int ranks, final int sequence, final Call call) {
        this.rank = rank;
        this.ranks = ranks;
        this.run = run;
        this.calls = new long[WORDS * ranks];
        final long[] mine = call.words();
        System.arraycopy(mine, 0, calls, WORDS * rank, WORDS);
        run.input().set(mine, 0, WORDS, null, false);
        run.input().hold(mine);
        run.output().set(calls, 0, calls.length, null, true);
        run.output().hold(calls);
        run.prepare(call.collective.title(), plan(), sequence, null, false);
    }

    /** What a rank calls: for the operation null if there is none. */
    record Call(Collective collective, int root, long count, Datatype type, Op op) {
        private long[] words() {
            final long[] words = new long[WORDS];
            words[COLLECTIVE] = collective.ordinal();
            words[ROOT] = root;
            words[BYTES] = count * type.size();
            words[COUNT] = count;
            words[TYPE] = type.ordinal();
            words[OP] = op == null ? -1 : op.kind().ordinal();
            return words;
        }
    }

    private Schedule plan() {
        final Schedule.Builder plan = Schedule.builder();
        final long bytes = WORDS * Long.BYTES;
        for (int other = rank == 0 ? 1 : 0; other < (rank == 0 ? ranks : 1); other++) {
            plan.send(other, Schedule.Region.INPUT, 0, bytes);
            plan.receive(other, Schedule.Region.OUTPUT, other * bytes, bytes);
        }
        return plan.build();
    }

    /** Starts it; {@code then} is called at the end, under the word. */
    ScheduleRun start(final Runnable then) {
        run.start(then);
        return run;
    }

    /** Returns, at the end, why the collective must not begin, or null. */
    ParleyException failure() {
        if (run.failure() != null) {
            return run.failure();
        }
        for (int other = 0; other < (rank == 0 ? ranks : 1); other++) {
            final List<String> differences = differences(other);
            if (!differences.isEmpty()) {
                return new ParleyException("ranks do not agree on a collective, in " + String.join(" and ", differences)
                        + ": rank " + Math.min(rank, other) + " calls " + text(Math.min(rank, other)) + ", rank "
                        + Math.max(rank, other) + " " + text(Math.max(rank, other)));
            }
        }
        return null;
    }

    private List<String> differences(final int other) {
        if (differ(other, COLLECTIVE)) {
            return List.of("kind");
        }
        final List<String> result = new ArrayList<>();
        if (differ(other, ROOT)) {
            result.add("root");
        }
        final boolean isReduction = word(rank, OP) >= 0;
        if (isReduction && differ(other, TYPE)) {
            result.add("type");
        } else if (differ(other, BYTES)) {
            result.add("count");
        }
        if (differ(other, OP)) {
            result.add("operation");
        }
        return result;
    }

    private boolean differ(final int other, final int what) {
        return word(rank, what) != word(other, what);
    }

    private long word(final int of, final int what) {
        return calls[WORDS * of + what];
    }

    private String text(final int of) {
        final Collective collective = Collective.values()[(int) word(of, COLLECTIVE)];
        if (collective == Collective.BARRIER) {
            return collective.title();
        }
        final long op = word(of, OP);
        return collective.title() + " of " + word(of, COUNT) + " " + Datatype.values()[(int) word(of, TYPE)]
                + (collective == Collective.ALLREDUCE ? "" : ", root " + word(of, ROOT))
                + (op < 0 ? "" : ", " + (op == Op.Kind.USER.ordinal() ? "user-defined" : Op.Kind.values()[(int) op]));
    }
}
