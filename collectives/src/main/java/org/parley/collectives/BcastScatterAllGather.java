package org.parley.collectives;

import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;
import org.parley.schedule.Schedule.Region;

/**
 * Cost = (ceil(lg p) + p - 1) alpha + 2 (p-1)/p n beta. The root scatters the message in p blocks by
 * a binomial tree; then the blocks go round a ring, except to ranks that have them from the tree.
 *
 * <p>Any number of ranks; good for long messages where the chain's pieces would be too many hops
 * away. M. Barnett, L. Shuler, R. van de Geijn et al., "Interprocessor collective communication
 * library", 1994.
 */
final class BcastScatterAllGather implements CollectiveAlgorithm {
    @Override
    public Collective collective() {
        return Collective.BCAST;
    }

    @Override
    public String name() {
        return "scatter-allgather";
    }

    @Override
    public boolean fits(final CollectiveCall call) {
        return true;
    }

    @Override
    public double cost(final int ranks, final long bytes, final double latency, final double secondsPerByte) {
        return (Ranks.rounds(ranks) + ranks - 1) * latency + 2.0 * (ranks - 1) / ranks * bytes * secondsPerByte;
    }

    @Override
    public Schedule plan(final CollectiveCall call) {
        final int ranks = call.ranks();
        final int me = (call.rank() - call.root() + ranks) % ranks;
        final Planner plan = new Planner(call);
        final Blocks blocks = new Blocks(plan, call);
        if (me > 0) {
            final int parent = me - Integer.lowestOneBit(me);
            blocks.receive(parent, me, Math.min(me + span(me, ranks), ranks));
        }
        for (int distance = span(me, ranks) / 2; distance > 0; distance /= 2) {
            final int child = me + distance;
            if (child < ranks) {
                blocks.send(child, child, Math.min(child + distance, ranks));
            }
        }
        final int before = (me - 1 + ranks) % ranks;
        final int after = (me + 1) % ranks;
        for (int step = 0; step < ranks - 1; step++) {
            final int given = (me - step + ranks) % ranks;
            final int taken = (before - step + ranks) % ranks;
            if (!hasFromTree(after, given, ranks)) {
                blocks.send(after, given, given + 1);
            }
            if (!hasFromTree(me, taken, ranks)) {
                blocks.receive(before, taken, taken + 1);
            }
        }
        return plan.build();
    }

    /** Returns how many ranks the subtree of a rank would have in a full tree. */
    private static int span(final int rank, final int ranks) {
        return rank == 0 ? 1 << Ranks.rounds(ranks) : Integer.lowestOneBit(rank);
    }

    private static boolean hasFromTree(final int rank, final int block, final int ranks) {
        return rank <= block && block < rank + span(rank, ranks);
    }

    /** Ranges of blocks; ranks are counted from the root. */
    private record Blocks(Planner plan, CollectiveCall call) {
        private long start(final int block) {
            return call.bytes() * block / call.ranks();
        }

        private int rank(final int fromRoot) {
            return (fromRoot + call.root()) % call.ranks();
        }

        void send(final int to, final int first, final int end) {
            if (start(first) < start(end)) {
                plan.send(rank(to), Region.OUTPUT, start(first), start(end) - start(first));
            }
        }

        void receive(final int from, final int first, final int end) {
            if (start(first) < start(end)) {
                plan.receive(rank(from), Region.OUTPUT, start(first), start(end) - start(first));
            }
        }
    }
}
