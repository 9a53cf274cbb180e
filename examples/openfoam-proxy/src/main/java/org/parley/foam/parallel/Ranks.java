package org.parley.foam.parallel;

import org.parley.Communicator;
import org.parley.Op;
import org.parley.Status;

/**
 * The ranks of a run and what they reduce together. Sums are taken in rank order, so that they are
 * the same bits on every transport. One thread a rank.
 */
public final class Ranks {
    /** Tag of gathers and broadcasts; halos have the next. */
    static final int REDUCE_TAG = 1;

    static final int HALO_TAG = 2;

    private static final int MOST = 16;

    private final Communicator world;
    private final int rank;
    private final int size;
    private final int simpleSum;
    private final CommsType commsType;
    private final Profile profile = new Profile();
    private final double[] mine = new double[MOST];
    private final double[] theirs = new double[MOST];
    private final Status status = new Status();

    /**
     * Makes the ranks of a communicator.
     *
     * @param world all ranks of the run, or null for one rank that has no other
     * @param simpleSum reductions of up to so many ranks are a gather to the first and a broadcast,
     *     of more an allreduce (OpenFOAM's nProcsSimpleSum)
     * @param commsType how halos travel
     */
    public Ranks(final Communicator world, final int simpleSum, final CommsType commsType) {
        this.world = world;
        this.rank = world == null ? 0 : world.rank();
        this.size = world == null ? 1 : world.size();
        this.simpleSum = simpleSum;
        this.commsType = commsType;
    }

    /** Returns a run of one rank. */
    public static Ranks alone() {
        return new Ranks(null, 0, CommsType.NON_BLOCKING);
    }

    /** Returns the calling rank. */
    public int rank() {
        return rank;
    }

    /** Returns how many there are. */
    public int size() {
        return size;
    }

    /** Returns whether the calling rank is the one that writes the log. */
    public boolean master() {
        return rank == 0;
    }

    /** Returns the account of time and messages. */
    public Profile profile() {
        return profile;
    }

    Communicator world() {
        return world;
    }

    CommsType commsType() {
        return commsType;
    }

    /**
     * Returns the sum over all ranks.
     *
     * @param value of the calling rank
     */
    public double sum(final double value) {
        if (size == 1) {
            return value;
        }
        mine[0] = value;
        reduce(mine, 1, Op.SUM);
        return mine[0];
    }

    /**
     * Returns the largest over all ranks.
     *
     * @param value of the calling rank
     */
    public double max(final double value) {
        if (size == 1) {
            return value;
        }
        mine[0] = value;
        reduce(mine, 1, Op.MAX);
        return mine[0];
    }

    /**
     * Adds up a few numbers over all ranks, in one reduction.
     *
     * @param values in and out, at most 16
     */
    public void sum(final double[] values) {
        if (size > 1) {
            reduce(values, values.length, Op.SUM);
        }
    }

    private void reduce(final double[] values, final int count, final Op op) {
        final long start = System.nanoTime();
        if (size > simpleSum) {
            world.allReduce(Communicator.IN_PLACE, values, count, op);
            profile.sent(8L * count);
        } else if (rank == 0) {
            for (int source = 1; source < size; source++) {
                world.receive(theirs, 0, count, source, REDUCE_TAG, status);
                for (int i = 0; i < count; i++) {
                    values[i] = op == Op.SUM ? values[i] + theirs[i] : Math.max(values[i], theirs[i]);
                }
            }
            for (int dest = 1; dest < size; dest++) {
                send(values, count, dest);
            }
        } else {
            send(values, count, 0);
            world.receive(values, 0, count, 0, REDUCE_TAG, status);
        }
        profile.reductionTime(System.nanoTime() - start);
    }

    private void send(final double[] values, final int count, final int dest) {
        world.send(values, 0, count, dest, REDUCE_TAG);
        profile.sent(8L * count);
    }

    /**
     * Gathers a few numbers of every rank on the first.
     *
     * @param values of the calling rank, as many on all
     * @return by rank; null on the other ranks
     */
    public double[][] gather(final double[] values) {
        if (rank > 0) {
            world.send(values, 0, values.length, 0, REDUCE_TAG);
            return null;
        }
        final double[][] all = new double[size][values.length];
        all[0] = values;
        for (int source = 1; source < size; source++) {
            world.receive(all[source], 0, values.length, source, REDUCE_TAG, status);
        }
        return all;
    }
}
