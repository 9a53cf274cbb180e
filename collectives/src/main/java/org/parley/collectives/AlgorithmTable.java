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
            new ReduceBinomial(),
            new ReduceRankOrder(),
            new AllReduceRecursiveDoubling());

    /** For the service loader. */
    public AlgorithmTable() {}

    @Override
    public CollectiveAlgorithm select(final CollectiveCall call) {
        for (final CollectiveAlgorithm algorithm : ALL) {
            if (algorithm.collective() == call.collective() && algorithm.fits(call)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("no algorithm for " + call);
    }
}
