package org.parley;

import org.agrona.UnsafeApi;
import org.parley.engine.Scratch;

/**
 * The loops of the predefined reductions.
 *
 * <p>The compiler vectorises loops over arrays that have the same index on both sides, and no access by address: so
 * operands in native memory, or at different indexes, are copied to arrays that stay in the core's first cache, a part
 * at a time, and the result is copied back. That costs less than half of what combining them one by one does
 * (docs/collectives.md). A few elements are combined one by one.
 */
final class Reductions {
    /** Up to so many bytes the copies would cost more than they save. */
    private static final int FEW_BYTES = 64;

    private Reductions() {}

    /** Combines: {@code into[i] = into[i] op with[i]}; bitwise operations work on bytes, whatever the type. */
    static void reduce(
            final Op.Kind kind,
            final Datatype elements,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long count,
            final Scratch scratch) {
        final long bytes = count * elements.size();
        if (bytes <= FEW_BYTES && !isBitwise(kind)) {
            few(kind, elements, withBase, with, intoBase, into, bytes);
            return;
        }
        final Datatype type = isBitwise(kind) || elements == Datatype.BOOLEAN ? Datatype.BYTE : elements;
        final long start = Scratch.start(type);
        if (with == into && isArray(type, withBase) && isArray(type, intoBase)) {
            final int from = (int) ((into - start) / type.size());
            loop(kind, type, intoBase, withBase, from, (int) (from + bytes / type.size()));
            return;
        }
        final Object left = scratch.left(type);
        final Object right = scratch.right(type);
        for (long at = 0; at < bytes; at += Scratch.BYTES) {
            final long part = Math.min(Scratch.BYTES, bytes - at);
            UnsafeApi.copyMemory(withBase, with + at, right, start, part);
            UnsafeApi.copyMemory(intoBase, into + at, left, start, part);
            loop(kind, type, left, right, 0, (int) (part / type.size()));
            UnsafeApi.copyMemory(left, start, intoBase, into + at, part);
        }
    }

    private static boolean isBitwise(final Op.Kind kind) {
        return kind == Op.Kind.BAND || kind == Op.Kind.BOR || kind == Op.Kind.BXOR;
    }

    private static boolean isArray(final Datatype type, final Object base) {
        return switch (type) {
            case BYTE, BOOLEAN -> base instanceof byte[];
            case CHAR -> base instanceof char[];
            case SHORT -> base instanceof short[];
            case INT -> base instanceof int[];
            case LONG -> base instanceof long[];
            case FLOAT -> base instanceof float[];
            case DOUBLE -> base instanceof double[];
        };
    }

    private static void loop(
            final Op.Kind kind, final Datatype type, final Object a, final Object b, final int from, final int to) {
        switch (type) {
            case BYTE, BOOLEAN -> Loops.bytes(kind, (byte[]) a, (byte[]) b, from, to);
            case CHAR -> Loops.chars(kind, (char[]) a, (char[]) b, from, to);
            case SHORT -> Loops.shorts(kind, (short[]) a, (short[]) b, from, to);
            case INT -> Loops.ints(kind, (int[]) a, (int[]) b, from, to);
            case LONG -> Loops.longs(kind, (long[]) a, (long[]) b, from, to);
            case FLOAT -> Loops.floats(kind, (float[]) a, (float[]) b, from, to);
            case DOUBLE -> Loops.doubles(kind, (double[]) a, (double[]) b, from, to);
            default -> throw new AssertionError(type);
        }
    }

    private static void few(
            final Op.Kind kind,
            final Datatype type,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long bytes) {
        final int size = type.size();
        for (long at = 0; at < bytes; at += size) {
            final long a = into + at;
            final long b = with + at;
            switch (type) {
                case DOUBLE ->
                    UnsafeApi.putDouble(
                            intoBase,
                            a,
                            combine(kind, UnsafeApi.getDouble(intoBase, a), UnsafeApi.getDouble(withBase, b)));
                case FLOAT ->
                    UnsafeApi.putFloat(
                            intoBase,
                            a,
                            combine(kind, UnsafeApi.getFloat(intoBase, a), UnsafeApi.getFloat(withBase, b)));
                default -> put(type, intoBase, a, combine(kind, get(type, intoBase, a), get(type, withBase, b)));
            }
        }
    }

    private static double combine(final Op.Kind kind, final double a, final double b) {
        return switch (kind) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            default -> throw new AssertionError(kind);
        };
    }

    private static float combine(final Op.Kind kind, final float a, final float b) {
        return switch (kind) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            default -> throw new AssertionError(kind);
        };
    }

    private static long combine(final Op.Kind kind, final long a, final long b) {
        return switch (kind) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case LAND -> a != 0 && b != 0 ? 1 : 0;
            case LOR -> (a | b) != 0 ? 1 : 0;
            case LXOR -> a != 0 ^ b != 0 ? 1 : 0;
            default -> throw new AssertionError(kind);
        };
    }

    private static long get(final Datatype type, final Object base, final long address) {
        return switch (type) {
            case BYTE, BOOLEAN -> UnsafeApi.getByte(base, address);
            case CHAR -> UnsafeApi.getChar(base, address);
            case SHORT -> UnsafeApi.getShort(base, address);
            case INT -> UnsafeApi.getInt(base, address);
            case LONG -> UnsafeApi.getLong(base, address);
            default -> throw new AssertionError(type);
        };
    }

    private static void put(final Datatype type, final Object base, final long address, final long value) {
        switch (type) {
            case BYTE, BOOLEAN -> UnsafeApi.putByte(base, address, (byte) value);
            case CHAR -> UnsafeApi.putChar(base, address, (char) value);
            case SHORT -> UnsafeApi.putShort(base, address, (short) value);
            case INT -> UnsafeApi.putInt(base, address, (int) value);
            case LONG -> UnsafeApi.putLong(base, address, value);
            default -> throw new AssertionError(type);
        }
    }
}
