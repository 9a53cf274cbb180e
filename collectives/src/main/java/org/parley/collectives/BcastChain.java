package org.parley.collectives;

import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;
import org.parley.schedule.Schedule.Region;

/**
 * Cost = (p - 2 + s) (alpha + n/s beta) for s pieces. Each rank passes the message on to the next in
 * pieces: all links work at once.
 *
 * <p>Any number of ranks; good for long messages and few ranks.
 */
final class BcastChain implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.BCAST;
    }

    @Override
    public String name() {
        return "pipelined-chain";
    }

    @Override
    public boolean fits(final CollectiveCall call) {
        return true;
    }

    @Override
    public double cost(final int ranks, final long bytes, final double latency, final double secondsPerByte) {
        final long pieces = Segments.count(bytes);
        return Math.max(0, ranks - 2 + pieces) * (latency + bytes * secondsPerByte / pieces);
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final int ranks = call.ranks();
        final int me = (call.rank() - call.root() + ranks) % ranks;
        final int before = (call.rank() - 1 + ranks) % ranks;
        final int after = (call.rank() + 1) % ranks;
        final Planner plan = new Planner(call);
        Segments.each(0, call.bytes(), 1, (at, bytes) -> {
            if (me > 0) {
                plan.receive(before, Region.OUTPUT, at, bytes);
            }
            if (me < ranks - 1) {
                plan.send(after, Region.OUTPUT, at, bytes);
            }
        });
        return plan.build();
    }
}
