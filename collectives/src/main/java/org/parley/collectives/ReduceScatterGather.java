package org.parley.collectives;

import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;

/**
 * Cost = 2 lg p alpha + 2 (p-1)/p n beta + (p-1)/p n gamma, + 2 alpha + n beta + n/2 gamma where p is
 * no power of two. Rabenseifner's algorithm: a reduce-scatter by recursive halving, near ranks
 * first, then a binomial gather to the root; in pieces, each combined and sent on while the next is
 * on its way.
 *
 * <p>Any number of ranks, any operation, any root: operands stay in the order of the ranks. Good for
 * long messages. R. Rabenseifner, "Optimization of collective reduction operations", 2004.
 */
final class ReduceScatterGather implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.REDUCE;
    }

    @Override
    public String name() {
        return "scatter-gather";
    }

    @Override
    public boolean fits(final CollectiveCall call) {
        return call.ranks() > 1;
    }

    @Override
    public double cost(final int ranks, final long bytes, final double latency, final double secondsPerByte) {
        final int power = Ranks.powerBelow(ranks);
        final double transfer = bytes * secondsPerByte;
        return 2 * Ranks.rounds(power) * latency
                + 2.0 * (power - 1) / power * transfer
                + (power == ranks ? 0 : 2 * latency + transfer);
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final Planner plan = new Planner(call);
        final Halving halving = new Halving(plan, call, call.root());
        halving.pairUp();
        if (halving.isActive()) {
            halving.scatter();
            halving.gather(call.root());
        }
        return plan.build();
    }
}
