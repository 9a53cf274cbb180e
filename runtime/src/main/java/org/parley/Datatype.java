package org.parley;

/**
 * The type of one element of a message (MPI-3.1 section 3.2.2). Elements are Java's primitives, in
 * the machine's byte order; all ranks of a job have the same.
 */
public enum Datatype {
    /** {@code byte}, 1 byte. */
    BYTE(1),
    /** {@code boolean}, 1 byte, 0 or 1. */
    BOOLEAN(1),
    /** {@code char}, 2 bytes, unsigned. */
    CHAR(2),
    /** {@code short}, 2 bytes. */
    SHORT(2),
    /** {@code int}, 4 bytes. */
    INT(4),
    /** {@code long}, 8 bytes. */
    LONG(8),
    /** {@code float}, 4 bytes. */
    FLOAT(4),
    /** {@code double}, 8 bytes. */
    DOUBLE(8);

    private final int size;

    Datatype(final int size) {
        this.size = size;
    }

    /** Returns the bytes of one element. */
    public int size() {
        return size;
    }
}
