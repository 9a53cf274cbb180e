package org.parley;

import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.CollectiveTable;

/** Stands in for the collectives, which depend on this module: these tests must do without. */
public final class NoCollectives implements CollectiveTable {

    @Override
    public CollectiveAlgorithm select(final CollectiveCall call) {
        throw new UnsupportedOperationException("no collectives in the runtime's own tests");
    }
}
