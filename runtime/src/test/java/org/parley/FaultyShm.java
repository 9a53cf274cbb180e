package org.parley;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.parley.transport.fault.FaultCounters;
import org.parley.transport.fault.FaultTransport;
import org.parley.transport.shm.ShmTransport;

/**
 * The real shared memory on bad days: a service of the tests' class path, chosen by {@code
 * transports=faulty-shm} with {@code fault.seed} and the like, and away without.
 */
public final class FaultyShm extends FaultTransport {
    private static final Queue<FaultTransport> MADE = new ConcurrentLinkedQueue<>();

    /** For the service loader. */
    public FaultyShm() {
        super("faulty-shm", new ShmTransport());
        MADE.add(this);
    }

    static void forget() {
        MADE.clear();
    }

    /** How often something has happened on all ranks since {@link #forget}. */
    static long count(final FaultCounters.Fault fault) {
        return MADE.stream().mapToLong(made -> made.counters().of(fault)).sum();
    }

    /** Cuts the links to a peer on all ranks that know it under that index. */
    static void cutAll(final int peer, final String cause) {
        MADE.forEach(made -> made.cut(peer, cause));
    }
}
