package org.parley.collectives;

import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;

/**
 * Cost = 2 lg p alpha + 2 (p-1)/p n beta + (p-1)/p n gamma, + 3 alpha + 2 n beta + n/2 gamma where p
 * is no power of two. Rabenseifner's algorithm: a reduce-scatter by recursive halving, near ranks
 * first, then an all-gather by recursive doubling; in pieces, each combined and sent on while the
 * next is on its way.
 *
 * <p>Any number of ranks, any operation: operands stay in the order of the ranks. Good for long
 * messages. R. Rabenseifner, "Optimization of collective reduction operations", 2004.
 */
final class AllReduceScatterGather implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.ALLREDUCE;
    }

    @Override
    public String name() {
        return "scatter-allgather";
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
                + (power == ranks ? 0 : 3 * latency + 2 * transfer);
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final Planner plan = new Planner(call);
        final Halving halving = new Halving(plan, call, -1);
        halving.pairUp();
        if (halving.isActive()) {
            halving.scatter();
            halving.allGather();
        }
        halving.unpair();
        return plan.build();
    }
}
