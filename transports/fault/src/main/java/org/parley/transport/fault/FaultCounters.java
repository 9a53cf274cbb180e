package org.parley.transport.fault;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** How often what has happened, of one rank's transport. Any thread may read. */
public final class FaultCounters {

    /** What is counted. */
    public enum Fault {
        /** A claim found no room. */
        REFUSED,
        /** A frame or an ended fetch was kept back. */
        HELD,
        /** A poll was cut short. */
        SHORTENED,
        /** Memory was not exposed. */
        HIDDEN,
        /** Memory of a peer could not be read. */
        BARRED,
        /** A fetch failed. */
        SPOILED,
        /** A frame was lost. */
        DROPPED,
        /** A frame was handed over twice. */
        DUPLICATED,
        /** A frame was handed over after the next one. */
        REORDERED,
        /** A bit was changed. */
        CORRUPTED,
        /** A link was cut. */
        CUT,
        /** A frame that was committed waited for the next claim or poll. */
        LINGERED,
        /** A frame was handed over. */
        DELIVERED
    }

    private final Map<Fault, AtomicLong> counts = new EnumMap<>(Fault.class);

    FaultCounters() {
        for (final Fault fault : Fault.values()) {
            counts.put(fault, new AtomicLong());
        }
    }

    void count(final Fault fault) {
        counts.get(fault).incrementAndGet();
    }

    /**
     * Returns how often something has happened.
     *
     * @param fault what
     */
    public long of(final Fault fault) {
        return counts.get(fault).get();
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
