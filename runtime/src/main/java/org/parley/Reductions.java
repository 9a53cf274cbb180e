package org.parley;

import org.agrona.UnsafeApi;

/**
 * The loops of the predefined reductions. Doubles, floats, longs and ints have a loop each for sums
 * (unrolled: the compiler does not vectorise access by address), all else goes through a switch per
 * element; bitwise operations work on words whatever the type.
 */
final class Reductions {
    private Reductions() {}

    static void reduce(
            final Op.Kind kind,
            final Datatype type,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long count) {
        switch (kind) {
            case BAND, BOR, BXOR -> bits(kind, withBase, with, intoBase, into, count * type.size());
            case LAND, LOR, LXOR -> integers(kind, type, withBase, with, intoBase, into, count);
            default -> numbers(kind, type, withBase, with, intoBase, into, count);
        }
    }

    private static void numbers(
            final Op.Kind kind,
            final Datatype type,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long count) {
        final boolean sum = kind == Op.Kind.SUM;
        switch (type) {
            case DOUBLE -> {
                if (sum) {
                    sumDoubles(withBase, with, intoBase, into, count);
                } else {
                    doubles(kind, withBase, with, intoBase, into, count);
                }
            }
            case FLOAT -> {
                if (sum) {
                    sumFloats(withBase, with, intoBase, into, count);
                } else {
                    floats(kind, withBase, with, intoBase, into, count);
                }
            }
            case LONG -> {
                if (sum) {
                    sumLongs(withBase, with, intoBase, into, count);
                } else {
                    integers(kind, type, withBase, with, intoBase, into, count);
                }
            }
            case INT -> {
                if (sum) {
                    sumInts(withBase, with, intoBase, into, count);
                } else {
                    integers(kind, type, withBase, with, intoBase, into, count);
                }
            }
            default -> integers(kind, type, withBase, with, intoBase, into, count);
        }
    }

    private static void sumDoubles(
            final Object withBase, final long with, final Object intoBase, final long into, final long count) {
        final long end = count * 8;
        long at = 0;
        for (; at + 32 <= end; at += 32) {
            final double a = UnsafeApi.getDouble(intoBase, into + at) + UnsafeApi.getDouble(withBase, with + at);
            final double b =
                    UnsafeApi.getDouble(intoBase, into + at + 8) + UnsafeApi.getDouble(withBase, with + at + 8);
            final double c =
                    UnsafeApi.getDouble(intoBase, into + at + 16) + UnsafeApi.getDouble(withBase, with + at + 16);
            final double d =
                    UnsafeApi.getDouble(intoBase, into + at + 24) + UnsafeApi.getDouble(withBase, with + at + 24);
            UnsafeApi.putDouble(intoBase, into + at, a);
            UnsafeApi.putDouble(intoBase, into + at + 8, b);
            UnsafeApi.putDouble(intoBase, into + at + 16, c);
            UnsafeApi.putDouble(intoBase, into + at + 24, d);
        }
        for (; at < end; at += 8) {
            UnsafeApi.putDouble(
                    intoBase,
                    into + at,
                    UnsafeApi.getDouble(intoBase, into + at) + UnsafeApi.getDouble(withBase, with + at));
        }
    }

    private static void sumFloats(
            final Object withBase, final long with, final Object intoBase, final long into, final long count) {
        final long end = count * 4;
        long at = 0;
        for (; at + 16 <= end; at += 16) {
            final float a = UnsafeApi.getFloat(intoBase, into + at) + UnsafeApi.getFloat(withBase, with + at);
            final float b = UnsafeApi.getFloat(intoBase, into + at + 4) + UnsafeApi.getFloat(withBase, with + at + 4);
            final float c = UnsafeApi.getFloat(intoBase, into + at + 8) + UnsafeApi.getFloat(withBase, with + at + 8);
            final float d = UnsafeApi.getFloat(intoBase, into + at + 12) + UnsafeApi.getFloat(withBase, with + at + 12);
            UnsafeApi.putFloat(intoBase, into + at, a);
            UnsafeApi.putFloat(intoBase, into + at + 4, b);
            UnsafeApi.putFloat(intoBase, into + at + 8, c);
            UnsafeApi.putFloat(intoBase, into + at + 12, d);
        }
        for (; at < end; at += 4) {
            UnsafeApi.putFloat(
                    intoBase,
                    into + at,
                    UnsafeApi.getFloat(intoBase, into + at) + UnsafeApi.getFloat(withBase, with + at));
        }
    }

    private static void sumLongs(
            final Object withBase, final long with, final Object intoBase, final long into, final long count) {
        final long end = count * 8;
        long at = 0;
        for (; at + 32 <= end; at += 32) {
            final long a = UnsafeApi.getLong(intoBase, into + at) + UnsafeApi.getLong(withBase, with + at);
            final long b = UnsafeApi.getLong(intoBase, into + at + 8) + UnsafeApi.getLong(withBase, with + at + 8);
            final long c = UnsafeApi.getLong(intoBase, into + at + 16) + UnsafeApi.getLong(withBase, with + at + 16);
            final long d = UnsafeApi.getLong(intoBase, into + at + 24) + UnsafeApi.getLong(withBase, with + at + 24);
            UnsafeApi.putLong(intoBase, into + at, a);
            UnsafeApi.putLong(intoBase, into + at + 8, b);
            UnsafeApi.putLong(intoBase, into + at + 16, c);
            UnsafeApi.putLong(intoBase, into + at + 24, d);
        }
        for (; at < end; at += 8) {
            UnsafeApi.putLong(
                    intoBase,
                    into + at,
                    UnsafeApi.getLong(intoBase, into + at) + UnsafeApi.getLong(withBase, with + at));
        }
    }

    private static void sumInts(
            final Object withBase, final long with, final Object intoBase, final long into, final long count) {
        final long end = count * 4;
        long at = 0;
        for (; at + 16 <= end; at += 16) {
            final int a = UnsafeApi.getInt(intoBase, into + at) + UnsafeApi.getInt(withBase, with + at);
            final int b = UnsafeApi.getInt(intoBase, into + at + 4) + UnsafeApi.getInt(withBase, with + at + 4);
            final int c = UnsafeApi.getInt(intoBase, into + at + 8) + UnsafeApi.getInt(withBase, with + at + 8);
            final int d = UnsafeApi.getInt(intoBase, into + at + 12) + UnsafeApi.getInt(withBase, with + at + 12);
            UnsafeApi.putInt(intoBase, into + at, a);
            UnsafeApi.putInt(intoBase, into + at + 4, b);
            UnsafeApi.putInt(intoBase, into + at + 8, c);
            UnsafeApi.putInt(intoBase, into + at + 12, d);
        }
        for (; at < end; at += 4) {
            UnsafeApi.putInt(
                    intoBase, into + at, UnsafeApi.getInt(intoBase, into + at) + UnsafeApi.getInt(withBase, with + at));
        }
    }

    private static void doubles(
            final Op.Kind kind,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long count) {
        for (long at = 0; at < count * 8; at += 8) {
            final double a = UnsafeApi.getDouble(intoBase, into + at);
            final double b = UnsafeApi.getDouble(withBase, with + at);
            final double result = switch (kind) {
                case PROD -> a * b;
                case MIN -> Math.min(a, b);
                case MAX -> Math.max(a, b);
                default -> throw new AssertionError(kind);
            };
            UnsafeApi.putDouble(intoBase, into + at, result);
        }
    }

    private static void floats(
            final Op.Kind kind,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long count) {
        for (long at = 0; at < count * 4; at += 4) {
            final float a = UnsafeApi.getFloat(intoBase, into + at);
            final float b = UnsafeApi.getFloat(withBase, with + at);
            final float result = switch (kind) {
                case PROD -> a * b;
                case MIN -> Math.min(a, b);
                case MAX -> Math.max(a, b);
                default -> throw new AssertionError(kind);
            };
            UnsafeApi.putFloat(intoBase, into + at, result);
        }
    }

    private static void integers(
            final Op.Kind kind,
            final Datatype type,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long count) {
        final int size = type.size();
        for (long at = 0; at < count * size; at += size) {
            final long a = get(type, intoBase, into + at);
            final long b = get(type, withBase, with + at);
            put(type, intoBase, into + at, combine(kind, a, b));
        }
    }

    private static long combine(final Op.Kind kind, final long a, final long b) {
        return switch (kind) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case LAND -> a != 0 && b != 0 ? 1 : 0;
            case LOR -> a != 0 || b != 0 ? 1 : 0;
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

    private static void bits(
            final Op.Kind kind,
            final Object withBase,
            final long with,
            final Object intoBase,
            final long into,
            final long bytes) {
        long at = 0;
        for (; at + Long.BYTES <= bytes; at += Long.BYTES) {
            UnsafeApi.putLong(
                    intoBase,
                    into + at,
                    bit(kind, UnsafeApi.getLong(intoBase, into + at), UnsafeApi.getLong(withBase, with + at)));
        }
        for (; at < bytes; at++) {
            UnsafeApi.putByte(intoBase, into + at, (byte)
                    bit(kind, UnsafeApi.getByte(intoBase, into + at), UnsafeApi.getByte(withBase, with + at)));
        }
    }

    private static long bit(final Op.Kind kind, final long a, final long b) {
        return switch (kind) {
            case BAND -> a & b;
            case BOR -> a | b;
            case BXOR -> a ^ b;
            default -> throw new AssertionError(kind);
        };
    }
}
