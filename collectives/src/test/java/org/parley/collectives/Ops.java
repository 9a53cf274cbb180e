package org.parley.collectives;

import org.parley.Op;

/** Operations of users. */
final class Ops {
    /**
     * Composes functions x to a x + b modulo 2^32, a in the upper half of a long and b in the
     * lower: associative, not commutative.
     */
    static final Op COMPOSE = Op.ofLong(Ops::compose, false);

    private Ops() {}

    /** First the left function, then the right one. */
    static long compose(final long left, final long right) {
        final long a = (left >>> 32) * (right >>> 32);
        final long b = (right >>> 32) * (left & 0xffff_ffffL) + (right & 0xffff_ffffL);
        return a << 32 | b & 0xffff_ffffL;
    }
}
