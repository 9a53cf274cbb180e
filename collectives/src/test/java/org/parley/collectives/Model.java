package org.parley.collectives;

import java.util.function.LongBinaryOperator;
import org.parley.Datatype;
import org.parley.Op;

/** What a reduction must give, one rank after the other; values are small enough to be exact in every type. */
final class Model {
    private static final Op[] PREDEFINED = {
        Op.SUM, Op.PROD, Op.MIN, Op.MAX, Op.LAND, Op.LOR, Op.LXOR, Op.BAND, Op.BOR, Op.BXOR
    };

    private Model() {}

    static Op[] predefined() {
        return PREDEFINED.clone();
    }

    static boolean isDefined(final Op op, final Datatype type) {
        return switch (type) {
            case FLOAT, DOUBLE -> op == Op.SUM || op == Op.PROD || op == Op.MIN || op == Op.MAX;
            case BOOLEAN -> !(op == Op.SUM || op == Op.PROD || op == Op.MIN || op == Op.MAX);
            default -> true;
        };
    }

    /** A rank's contribution: zeros, ones, negative numbers, and for products nothing that grows past 2^40. */
    static long[] contribution(final Op op, final Datatype type, final int rank, final int count) {
        final long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            final int mixed = (rank * 31 + i * 17 + (i >> 5)) * 0x2C1B3C6D >>> 16;
            final long value = op == Op.PROD ? 1 + mixed % 2 : mixed % 7 - 2;
            values[i] = narrow(type == Datatype.BOOLEAN ? mixed % 2 : value, type);
        }
        return values;
    }

    static long[] reduce(final Op op, final Datatype type, final int ranks, final int count) {
        final LongBinaryOperator function = function(op);
        final long[] result = contribution(op, type, 0, count);
        for (int rank = 1; rank < ranks; rank++) {
            final long[] next = contribution(op, type, rank, count);
            for (int i = 0; i < count; i++) {
                result[i] = narrow(function.applyAsLong(result[i], next[i]), type);
            }
        }
        return result;
    }

    private static LongBinaryOperator function(final Op op) {
        if (op == Ops.COMPOSE) {
            return Ops::compose;
        }
        return switch (op.toString()) {
            case "SUM" -> Long::sum;
            case "PROD" -> (a, b) -> a * b;
            case "MIN" -> Math::min;
            case "MAX" -> Math::max;
            case "LAND" -> (a, b) -> a != 0 && b != 0 ? 1 : 0;
            case "LOR" -> (a, b) -> a != 0 || b != 0 ? 1 : 0;
            case "LXOR" -> (a, b) -> (a != 0) == (b != 0) ? 0 : 1;
            case "BAND" -> (a, b) -> a & b;
            case "BOR" -> (a, b) -> a | b;
            case "BXOR" -> (a, b) -> a ^ b;
            default -> throw new IllegalArgumentException("no model of " + op);
        };
    }

    private static long narrow(final long value, final Datatype type) {
        return switch (type) {
            case BYTE -> (byte) value;
            case CHAR -> (char) value;
            case SHORT -> (short) value;
            case INT -> (int) value;
            default -> value;
        };
    }
}
