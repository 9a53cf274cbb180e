package org.parley.engine;

import org.agrona.UnsafeApi;
import org.parley.Datatype;

/**
 * Arrays for the operands of a reduction, two per type, made when first used: small enough for a core's first cache.
 * Belongs to the holder of the progress word.
 */
public final class Scratch {
    /** Size of an array in bytes. */
    public static final int BYTES = 8192;

    private static final long[] STARTS = starts();

    private final Object[] left = new Object[Datatype.values().length];
    private final Object[] right = new Object[left.length];

    /** Makes none yet. */
    public Scratch() {}

    /**
     * Returns the array for left operands and results.
     *
     * @param type the elements' type
     */
    public Object left(final Datatype type) {
        return array(left, type);
    }

    /**
     * Returns the array for right operands.
     *
     * @param type the elements' type
     */
    public Object right(final Datatype type) {
        return array(right, type);
    }

    private static Object array(final Object[] arrays, final Datatype type) {
        final Object known = arrays[type.ordinal()];
        if (known != null) {
            return known;
        }
        final Object made = make(type);
        arrays[type.ordinal()] = made;
        return made;
    }

    private static Object make(final Datatype type) {
        return switch (type) {
            case BYTE, BOOLEAN -> new byte[BYTES];
            case CHAR -> new char[BYTES / Character.BYTES];
            case SHORT -> new short[BYTES / Short.BYTES];
            case INT -> new int[BYTES / Integer.BYTES];
            case LONG -> new long[BYTES / Long.BYTES];
            case FLOAT -> new float[BYTES / Float.BYTES];
            case DOUBLE -> new double[BYTES / Double.BYTES];
        };
    }

    /**
     * Returns where the elements of an array start, relative to it.
     *
     * @param type the elements' type
     */
    public static long start(final Datatype type) {
        return STARTS[type.ordinal()];
    }

    private static long[] starts() {
        final long[] starts = new long[Datatype.values().length];
        for (final Datatype type : Datatype.values()) {
            starts[type.ordinal()] = UnsafeApi.arrayBaseOffset(make(type).getClass());
        }
        return starts;
    }
}
