package org.parley.wireup;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** Who has knocked at a {@link Rendezvous}, by what became of it. Any thread. */
final class Knocks {
    /** What becomes of a connection. */
    enum Kind {
        /** A rank that came in. */
        JOINED,
        /** It spoke no protocol or a bad one, or was too slow. */
        NOISE,
        /** Of another version. */
        VERSION,
        /** Of another job. */
        JOB,
        /** Without the job's token. */
        TOKEN,
        /** Out of range, of another host, or there already. */
        RANK
    }

    private final AtomicIntegerArray counts = new AtomicIntegerArray(Kind.values().length);

    Knocks() {}

    void add(final Kind kind) {
        counts.incrementAndGet(kind.ordinal());
    }

    int of(final Kind kind) {
        return counts.get(kind.ordinal());
    }
}
