package org.parley.collectives;

import java.util.Arrays;
import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;
import org.parley.schedule.Schedule.Region;

/**
 * Cost = ceil(lg p) alpha. In round k each rank tells the rank 2^k above it, and hears from the one
 * 2^k below it, what it has heard so far.
 *
 * <p>Any number of ranks. D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier
 * synchronization", 1988.
 */
final class BarrierDissemination implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.BARRIER;
    }

    @Override
    public String name() {
        return "dissemination";
    }

    @Override
    public boolean fits(final CollectiveCall call) {
        return true;
    }

    @Override
    public double cost(final int ranks, final long bytes, final double latency, final double secondsPerByte) {
        return Ranks.rounds(ranks) * latency;
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final int ranks = call.ranks();
        final Schedule.Builder plan = Schedule.builder();
        final int[] heard = new int[Ranks.rounds(ranks)];
        for (int round = 0; 1 << round < ranks; round++) {
            final int above = (call.rank() + (1 << round)) % ranks;
            final int below = (call.rank() - (1 << round) + ranks) % ranks;
            plan.send(above, Region.OUTPUT, 0, 0, Arrays.copyOf(heard, round));
            // No distance comes twice modulo p, so the receives may all wait from the start.
            heard[round] = plan.receive(below, Region.OUTPUT, 0, 0);
        }
        return plan.build();
    }
}
