package org.parley;

import java.util.ServiceLoader;
import org.parley.schedule.Collective;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.CollectiveTable;
import org.parley.schedule.Schedule;

/**
 * The plans that a communicator has made, so that a call made again plans nothing and allocates
 * nothing. Direct-mapped: a newer plan takes the place of an older one.
 */
final class PlanCache {
    private static final int PLACES = 64;

    /** Found by the first collective: point to point needs none. */
    private CollectiveTable table;

    private final CollectiveCall[] calls = new CollectiveCall[PLACES];
    private final Schedule[] plans = new Schedule[PLACES];

    PlanCache() {}

    private static CollectiveTable load() {
        return ServiceLoader.load(CollectiveTable.class, CollectiveTable.class.getClassLoader())
                .findFirst()
                .orElseThrow(
                        () -> new ParleyException("no collectives: parley-collectives is not on the class" + " path"));
    }

    Schedule plan(
            final Collective collective,
            final int rank,
            final int ranks,
            final int root,
            final long count,
            final Datatype type,
            final boolean commutative,
            final boolean inPlace) {
        final int place = place(collective, root, count, type, commutative, inPlace);
        final CollectiveCall known = calls[place];
        if (known != null
                && known.collective() == collective
                && known.root() == root
                && known.count() == count
                && known.type() == type
                && known.commutative() == commutative
                && known.inPlace() == inPlace) {
            return plans[place];
        }
        final CollectiveCall call =
                new CollectiveCall(collective, rank, ranks, root, count, type, commutative, inPlace);
        if (table == null) {
            table = load();
        }
        final Schedule plan = table.select(call).plan(call);
        calls[place] = call;
        plans[place] = plan;
        return plan;
    }

    private static int place(
            final Collective collective,
            final int root,
            final long count,
            final Datatype type,
            final boolean commutative,
            final boolean inPlace) {
        long hash = count * 31 + collective.ordinal();
        hash = hash * 31 + root;
        hash = hash * 31 + type.ordinal();
        hash = hash * 4 + (commutative ? 2 : 0) + (inPlace ? 1 : 0);
        hash *= 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 58);
    }
}
