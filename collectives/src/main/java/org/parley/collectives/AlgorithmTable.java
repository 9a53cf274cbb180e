package org.parley.collectives;

import java.util.List;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.CollectiveTable;

/** The algorithms, and which one does a call: the first that fits. */
public final class AlgorithmTable implements CollectiveTable {
    private static final List<CollectiveAlgorithm> ALL = List.of(
            new BarrierDissemination(),
            new BcastBinomial(),
            new BcastChain(),
            new BcastScatterAllGather(),
            new ReduceBinomial(),
            new ReduceRankOrder(),
            new ReduceScatterGather(),
            new AllReduceRecursiveDoubling(),
            new AllReduceScatterGather());

    /** For the service loader. */
    public AlgorithmTable() {}

    /** Returns all algorithms. */
    static List<CollectiveAlgorithm> all() {
        return ALL;
    }

    @Override
    public CollectiveAlgorithm select(final CollectiveCall call) {
        if (call.bytes() > Long.getLong("long", 16384)) {
            switch (call.collective()) {
                case ALLREDUCE -> {
                    return ALL.get(8);
                }
                case REDUCE -> {
                    return ALL.get(6);
                }
                case BCAST -> {
                    return ALL.get(Integer.getInteger("bc", 2));
                }
            }
        }
        for (final CollectiveAlgorithm algorithm : ALL) {
            if (algorithm.collective() == call.collective() && algorithm.fits(call)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("no algorithm for " + call);
    }
}
