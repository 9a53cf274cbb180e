package org.parley.collectives;

import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;

/**
 * Cost = lg p (alpha + n beta + n gamma), + 2 alpha + 2 n beta + n gamma where p is no power of
 * two. In round k ranks at distance 2^k exchange all that they have combined.
 *
 * <p>Any number of ranks, any operation: what a rank has combined is always of neighbouring ranks,
 * and lower ones stand left. Of p = 2^k + r ranks, the first 2 r pair up: the even ones give their
 * value to the odd ones and get the result from them. Good for short messages. R. Thakur, R.
 * Rabenseifner, W. Gropp, "Optimization of collective communication operations in MPICH", 2005.
 */
final class AllReduceRecursiveDoubling implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.ALLREDUCE;
    }

    @Override
    public String name() {
        return "recursive-doubling";
    }

    @Override
    public boolean fits(final CollectiveCall call) {
        return true;
    }

    @Override
    public double cost(final int ranks, final long bytes, final double latency, final double secondsPerByte) {
        final int power = Ranks.powerBelow(ranks);
        final int rounds = Ranks.rounds(power) + (power == ranks ? 0 : 2);
        return rounds * (latency + bytes * secondsPerByte);
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final Planner plan = new Planner(call);
        final Accumulator sum = Accumulator.inOutput(plan, call);
        final int power = Ranks.powerBelow(call.ranks());
        final int paired = 2 * (call.ranks() - power);
        final int rank = call.rank();
        if (rank < paired && rank % 2 == 0) {
            sum.send(rank + 1);
            sum.receive(rank + 1);
            return plan.build();
        }
        int me = rank - paired / 2;
        if (rank < paired) {
            sum.combine(rank - 1, true);
            me = rank / 2;
        }
        for (int distance = 1; distance < power; distance *= 2) {
            final int partner = me ^ distance;
            final int peer = partner < paired / 2 ? 2 * partner + 1 : partner + paired / 2;
            sum.send(peer);
            sum.combine(peer, partner < me);
        }
        sum.settle();
        if (rank < paired) {
            sum.send(rank - 1);
        }
        return plan.build();
    }
}
