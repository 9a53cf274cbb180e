package org.parley.collectives;

import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;
import org.parley.schedule.Schedule.Region;

/**
 * Cost = ceil(lg p) (alpha + n beta). Each rank that has the message sends it to one that has not,
 * the farthest first.
 *
 * <p>Any number of ranks; good for short messages.
 */
final class BcastBinomial implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.BCAST;
    }

    @Override
    public String name() {
        return "binomial";
    }

    @Override
    public boolean fits(final CollectiveCall call) {
        return true;
    }

    @Override
    public double cost(final int ranks, final long bytes, final double latency, final double secondsPerByte) {
        return Ranks.rounds(ranks) * (latency + bytes * secondsPerByte);
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final int ranks = call.ranks();
        final long bytes = call.bytes();
        final Planner plan = new Planner(call);
        final int me = (call.rank() - call.root() + ranks) % ranks;
        int span = 1;
        while (span < ranks && (me & span) == 0) {
            span *= 2;
        }
        if (me != 0) {
            final int parent = (me - span + call.root()) % ranks;
            plan.receive(parent, Region.OUTPUT, 0, bytes);
        }
        for (int distance = span / 2; distance > 0; distance /= 2) {
            if (me + distance < ranks) {
                plan.send((me + distance + call.root()) % ranks, Region.OUTPUT, 0, bytes);
            }
        }
        return plan.build();
    }
}
