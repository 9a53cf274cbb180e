package org.parley.collectives;

import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;

/**
 * Cost = ceil(lg p) (alpha + n beta + n gamma) + alpha + n beta. The binomial tree to rank 0, where
 * operands stay in the order of the ranks; then rank 0 sends the result to the root.
 *
 * <p>Any number of ranks, any operation; for operations that do not commute, with a root other than
 * 0.
 */
final class ReduceRankOrder implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.REDUCE;
    }

    @Override
    public String name() {
        return "rank-ordered-binomial";
    }

    @Override
    public boolean fits(final CollectiveCall call) {
        return true;
    }

    @Override
    public double cost(final int ranks, final long bytes, final double latency, final double secondsPerByte) {
        return (Ranks.rounds(ranks) + 1) * (latency + bytes * secondsPerByte);
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final Planner plan = new Planner(call);
        final boolean isRoot = call.rank() == call.root();
        final Accumulator sum =
                isRoot && call.rank() == 0 ? Accumulator.inOutput(plan, call) : Accumulator.inWork(plan, call);
        ReduceBinomial.gather(plan, call, 0, sum);
        if (isRoot && call.rank() == 0) {
            sum.settle();
        } else if (isRoot) {
            sum.receive(0);
        } else if (call.rank() == 0) {
            sum.send(call.root());
        }
        return plan.build();
    }
}
