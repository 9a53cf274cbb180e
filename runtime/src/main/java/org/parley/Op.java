package org.parley;

import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.agrona.concurrent.UnsafeBuffer;
import org.parley.engine.Scratch;

/**
 * A reduction (MPI-3.1 section 5.9). The constants are MPI's predefined operations; others are made
 * with {@link #of}, {@link #ofDouble}, {@link #ofLong}, {@link #ofInt}. Immutable; any thread.
 */
public final class Op {

    /** A user's reduction (MPI-3.1 section 5.9.5). Must be associative. */
    @FunctionalInterface
    public interface Function {

        /**
         * Combines elements: {@code inOut[i] = in[i] op inOut[i]}. May be called for parts of a
         * message, on the thread that is in the library; must not call the library.
         *
         * @param in left operands, in the machine's byte order
         * @param inOut right operands, and the results
         * @param count elements
         * @param type their type
         */
        void apply(UnsafeBuffer in, UnsafeBuffer inOut, int count, Datatype type);
    }

    /** What a predefined operation does. */
    enum Kind {
        SUM,
        PROD,
        MIN,
        MAX,
        LAND,
        LOR,
        LXOR,
        BAND,
        BOR,
        BXOR,
        USER
    }

    /** Sum (MPI_SUM). Numbers only. */
    public static final Op SUM = new Op(Kind.SUM, "SUM", null, true);

    /** Product (MPI_PROD). Numbers only. */
    public static final Op PROD = new Op(Kind.PROD, "PROD", null, true);

    /** Minimum (MPI_MIN). Numbers only; NaN if any is NaN. */
    public static final Op MIN = new Op(Kind.MIN, "MIN", null, true);

    /** Maximum (MPI_MAX). Numbers only; NaN if any is NaN. */
    public static final Op MAX = new Op(Kind.MAX, "MAX", null, true);

    /** Logical and (MPI_LAND): non-zero is true. Integers and booleans. */
    public static final Op LAND = new Op(Kind.LAND, "LAND", null, true);

    /** Logical or (MPI_LOR): non-zero is true. Integers and booleans. */
    public static final Op LOR = new Op(Kind.LOR, "LOR", null, true);

    /** Logical exclusive or (MPI_LXOR): non-zero is true. Integers and booleans. */
    public static final Op LXOR = new Op(Kind.LXOR, "LXOR", null, true);

    /** Bitwise and (MPI_BAND). Integers and booleans. */
    public static final Op BAND = new Op(Kind.BAND, "BAND", null, true);

    /** Bitwise or (MPI_BOR). Integers and booleans. */
    public static final Op BOR = new Op(Kind.BOR, "BOR", null, true);

    /** Bitwise exclusive or (MPI_BXOR). Integers and booleans. */
    public static final Op BXOR = new Op(Kind.BXOR, "BXOR", null, true);

    private final Kind kind;
    private final String name;
    private final Function function;
    private final boolean commutative;

    /** The only type that it is defined for, or null. */
    private final Datatype only;

    private Op(final Kind kind, final String name, final Function function, final boolean commutative) {
        this(kind, name, function, commutative, null);
    }

    private Op(
            final Kind kind,
            final String name,
            final Function function,
            final boolean commutative,
            final Datatype only) {
        this.kind = kind;
        this.name = name;
        this.function = function;
        this.commutative = commutative;
        this.only = only;
    }

    /**
     * Makes an operation (MPI_Op_create).
     *
     * @param function what it does
     * @param commutative whether operands may be exchanged; if not, they are combined in the order
     *     of the ranks
     */
    public static Op of(final Function function, final boolean commutative) {
        return of(function, commutative, null);
    }

    private static Op of(final Function function, final boolean commutative, final Datatype only) {
        return new Op(Kind.USER, "user-defined", Objects.requireNonNull(function, "function"), commutative, only);
    }

    /**
     * Makes an operation on doubles.
     *
     * @param function left and right operand to result
     * @param commutative as in {@link #of}
     */
    public static Op ofDouble(final DoubleBinaryOperator function, final boolean commutative) {
        return of(
                (in, inOut, count, type) -> {
                    for (int at = 0; at < count * Double.BYTES; at += Double.BYTES) {
                        inOut.putDouble(at, function.applyAsDouble(in.getDouble(at), inOut.getDouble(at)));
                    }
                },
                commutative,
                Datatype.DOUBLE);
    }

    /**
     * Makes an operation on longs.
     *
     * @param function left and right operand to result
     * @param commutative as in {@link #of}
     */
    public static Op ofLong(final LongBinaryOperator function, final boolean commutative) {
        return of(
                (in, inOut, count, type) -> {
                    for (int at = 0; at < count * Long.BYTES; at += Long.BYTES) {
                        inOut.putLong(at, function.applyAsLong(in.getLong(at), inOut.getLong(at)));
                    }
                },
                commutative,
                Datatype.LONG);
    }

    /**
     * Makes an operation on ints.
     *
     * @param function left and right operand to result
     * @param commutative as in {@link #of}
     */
    public static Op ofInt(final IntBinaryOperator function, final boolean commutative) {
        return of(
                (in, inOut, count, type) -> {
                    for (int at = 0; at < count * Integer.BYTES; at += Integer.BYTES) {
                        inOut.putInt(at, function.applyAsInt(in.getInt(at), inOut.getInt(at)));
                    }
                },
                commutative,
                Datatype.INT);
    }

    /** Whether operands may be exchanged. */
    public boolean isCommutative() {
        return commutative;
    }

    /** Returns the user's function, or null for a predefined operation. */
    public Function function() {
        return function;
    }

    Kind kind() {
        return kind;
    }

    /**
     * Sees to it that the operation is defined for a type (MPI-3.1 section 5.9.2).
     *
     * @param type the elements' type
     * @throws IllegalArgumentException naming both
     */
    public void check(final Datatype type) {
        final boolean floating = type == Datatype.FLOAT || type == Datatype.DOUBLE;
        final boolean fits = switch (kind) {
            case USER -> only == null || only == type;
            case SUM, PROD, MIN, MAX -> type != Datatype.BOOLEAN;
            default -> !floating;
        };
        if (!fits) {
            throw new IllegalArgumentException("operation " + name + " is not defined for " + type);
        }
    }

    /**
     * Reduces memory: {@code into[i] = into[i] op with[i]}, for predefined operations.
     *
     * @param type the elements' type
     * @param withBase base object of the other operand, or null for native memory
     * @param with its address
     * @param intoBase base object of operand and result, or null
     * @param into its address
     * @param count elements
     * @param scratch of the engine
     */
    public void reduce(
            final Datatype type,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long count,
            final Scratch scratch) {
        Reductions.reduce(kind, type, withBase, with, intoBase, into, count, scratch);
    }

    @Override
    public String toString() {
        return name;
    }
}
