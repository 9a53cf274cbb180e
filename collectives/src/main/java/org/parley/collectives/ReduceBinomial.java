package org.parley.collectives;

import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;

/**
 * Cost = ceil(lg p) (alpha + n beta + n gamma). A binomial tree to the root; each rank combines
 * what it has with what each of its children, the nearest first, has gathered.
 *
 * <p>Any number of ranks; commutative operations, for a root other than 0 rotates the ranks. Good
 * for short messages.
 */
final class ReduceBinomial implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.REDUCE;
    }

    @Override
    public String name() {
        return "binomial";
    }

    @Override
    public boolean fits(final CollectiveCall call) {
        return call.commutative() || call.root() == 0;
    }

    @Override
    public double cost(final int ranks, final long bytes, final double latency, final double secondsPerByte) {
        return Ranks.rounds(ranks) * (latency + bytes * secondsPerByte);
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final Planner plan = new Planner(call);
        final boolean isRoot = call.rank() == call.root();
        final Accumulator sum = isRoot ? Accumulator.inOutput(plan, call) : Accumulator.inWork(plan, call);
        gather(plan, call, call.root(), sum);
        if (isRoot) {
            sum.settle();
        }
        return plan.build();
    }

    /** Plans the tree to a rank; everyone else's part ends with its send. */
    static void gather(final Planner plan, final CollectiveCall call, final int top, final Accumulator sum) {
        final int ranks = call.ranks();
        final int me = (call.rank() - top + ranks) % ranks;
        for (int distance = 1; distance < ranks; distance *= 2) {
            if ((me & distance) != 0) {
                sum.send((me - distance + top) % ranks);
                return;
            }
            if (me + distance < ranks) {
                sum.combine((me + distance + top) % ranks, false);
            }
        }
    }
}
