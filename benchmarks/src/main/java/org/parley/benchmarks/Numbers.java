package org.parley.benchmarks;

import org.agrona.concurrent.UnsafeBuffer;
import org.parley.Datatype;
import org.parley.Memory;
import org.parley.Parley;

/** Operands of a reduction: doubles, or floats where eight does not divide the size. */
final class Numbers {
    private static final int FLOAT_VIEW = 1 << 30;

    private final Memory memory;
    private final UnsafeBuffer view;
    private final double[] doubles;
    private final float[] floats;

    /**
     * Makes room for both types.
     *
     * @param kind where they lie
     * @param bytes size of the largest message
     */
    Numbers(final BufferKind kind, final long bytes) {
        final long size = Math.max(Double.BYTES, bytes);
        if (kind == BufferKind.DIRECT) {
            memory = Parley.allocate(size);
            view = memory.wrap(0, (int) Math.min(FLOAT_VIEW, size));
            doubles = null;
            floats = null;
        } else {
            memory = null;
            view = null;
            doubles = new double[(int) (size / Double.BYTES)];
            floats = new float[(int) (size / Float.BYTES)];
        }
    }

    /** Returns the type for a size. */
    static Datatype type(final long bytes) {
        return bytes % Double.BYTES == 0 ? Datatype.DOUBLE : Datatype.FLOAT;
    }

    /** Returns what a reduction takes. */
    Object buffer(final Datatype type) {
        if (memory != null) {
            return memory;
        }
        return type == Datatype.DOUBLE ? doubles : floats;
    }

    void close() {
        if (memory != null) {
            memory.close();
        }
    }

    double get(final Datatype type, final long index) {
        if (type == Datatype.DOUBLE) {
            return memory == null ? doubles[(int) index] : memory.getDouble(index * Double.BYTES);
        }
        return memory == null ? floats[(int) index] : view.getFloat((int) index * Float.BYTES);
    }

    void put(final Datatype type, final long index, final double value) {
        if (type == Datatype.DOUBLE) {
            if (memory == null) {
                doubles[(int) index] = value;
            } else {
                memory.putDouble(index * Double.BYTES, value);
            }
        } else if (memory == null) {
            floats[(int) index] = (float) value;
        } else {
            view.putFloat((int) index * Float.BYTES, (float) value);
        }
    }
}
