package org.parley;

/**
 * {@code a[i] = a[i] op b[i]} for each type and operation, each a loop of its own with the same index on both sides:
 * that is what the compiler vectorises.
 */
final class Loops {
    private Loops() {}

    static void bytes(final Op.Kind kind, final byte[] a, final byte[] b, final int from, final int to) {
        switch (kind) {
            case SUM -> {
                for (int i = from; i < to; i++) {
                    a[i] = (byte) (a[i] + b[i]);
                }
            }
            case PROD -> {
                for (int i = from; i < to; i++) {
                    a[i] = (byte) (a[i] * b[i]);
                }
            }
            case MIN -> {
                for (int i = from; i < to; i++) {
                    a[i] = (byte) Math.min(a[i], b[i]);
                }
            }
            case MAX -> {
                for (int i = from; i < to; i++) {
                    a[i] = (byte) Math.max(a[i], b[i]);
                }
            }
            case LAND -> {
                for (int i = from; i < to; i++) {
                    a[i] = (byte) (a[i] != 0 && b[i] != 0 ? 1 : 0);
                }
            }
            case LOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = (byte) ((a[i] | b[i]) != 0 ? 1 : 0);
                }
            }
            case LXOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = (byte) (a[i] != 0 ^ b[i] != 0 ? 1 : 0);
                }
            }
            case BAND -> {
                for (int i = from; i < to; i++) {
                    a[i] &= b[i];
                }
            }
            case BOR -> {
                for (int i = from; i < to; i++) {
                    a[i] |= b[i];
                }
            }
            case BXOR -> {
                for (int i = from; i < to; i++) {
                    a[i] ^= b[i];
                }
            }
            default -> throw new AssertionError(kind);
        }
    }

    static void chars(final Op.Kind kind, final char[] a, final char[] b, final int from, final int to) {
        switch (kind) {
            case SUM -> {
                for (int i = from; i < to; i++) {
                    a[i] = (char) (a[i] + b[i]);
                }
            }
            case PROD -> {
                for (int i = from; i < to; i++) {
                    a[i] = (char) (a[i] * b[i]);
                }
            }
            case MIN -> {
                for (int i = from; i < to; i++) {
                    a[i] = (char) Math.min(a[i], b[i]);
                }
            }
            case MAX -> {
                for (int i = from; i < to; i++) {
                    a[i] = (char) Math.max(a[i], b[i]);
                }
            }
            case LAND -> {
                for (int i = from; i < to; i++) {
                    a[i] = (char) (a[i] != 0 && b[i] != 0 ? 1 : 0);
                }
            }
            case LOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = (char) ((a[i] | b[i]) != 0 ? 1 : 0);
                }
            }
            case LXOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = (char) (a[i] != 0 ^ b[i] != 0 ? 1 : 0);
                }
            }
            default -> throw new AssertionError(kind);
        }
    }

    static void shorts(final Op.Kind kind, final short[] a, final short[] b, final int from, final int to) {
        switch (kind) {
            case SUM -> {
                for (int i = from; i < to; i++) {
                    a[i] = (short) (a[i] + b[i]);
                }
            }
            case PROD -> {
                for (int i = from; i < to; i++) {
                    a[i] = (short) (a[i] * b[i]);
                }
            }
            case MIN -> {
                for (int i = from; i < to; i++) {
                    a[i] = (short) Math.min(a[i], b[i]);
                }
            }
            case MAX -> {
                for (int i = from; i < to; i++) {
                    a[i] = (short) Math.max(a[i], b[i]);
                }
            }
            case LAND -> {
                for (int i = from; i < to; i++) {
                    a[i] = (short) (a[i] != 0 && b[i] != 0 ? 1 : 0);
                }
            }
            case LOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = (short) ((a[i] | b[i]) != 0 ? 1 : 0);
                }
            }
            case LXOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = (short) (a[i] != 0 ^ b[i] != 0 ? 1 : 0);
                }
            }
            default -> throw new AssertionError(kind);
        }
    }

    static void ints(final Op.Kind kind, final int[] a, final int[] b, final int from, final int to) {
        switch (kind) {
            case SUM -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] + b[i];
                }
            }
            case PROD -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] * b[i];
                }
            }
            case MIN -> {
                for (int i = from; i < to; i++) {
                    a[i] = Math.min(a[i], b[i]);
                }
            }
            case MAX -> {
                for (int i = from; i < to; i++) {
                    a[i] = Math.max(a[i], b[i]);
                }
            }
            case LAND -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] != 0 && b[i] != 0 ? 1 : 0;
                }
            }
            case LOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = (a[i] | b[i]) != 0 ? 1 : 0;
                }
            }
            case LXOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] != 0 ^ b[i] != 0 ? 1 : 0;
                }
            }
            default -> throw new AssertionError(kind);
        }
    }

    static void longs(final Op.Kind kind, final long[] a, final long[] b, final int from, final int to) {
        switch (kind) {
            case SUM -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] + b[i];
                }
            }
            case PROD -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] * b[i];
                }
            }
            case MIN -> {
                for (int i = from; i < to; i++) {
                    a[i] = Math.min(a[i], b[i]);
                }
            }
            case MAX -> {
                for (int i = from; i < to; i++) {
                    a[i] = Math.max(a[i], b[i]);
                }
            }
            case LAND -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] != 0 && b[i] != 0 ? 1 : 0;
                }
            }
            case LOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = (a[i] | b[i]) != 0 ? 1 : 0;
                }
            }
            case LXOR -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] != 0 ^ b[i] != 0 ? 1 : 0;
                }
            }
            default -> throw new AssertionError(kind);
        }
    }

    static void floats(final Op.Kind kind, final float[] a, final float[] b, final int from, final int to) {
        switch (kind) {
            case SUM -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] + b[i];
                }
            }
            case PROD -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] * b[i];
                }
            }
            case MIN -> {
                for (int i = from; i < to; i++) {
                    a[i] = Math.min(a[i], b[i]);
                }
            }
            case MAX -> {
                for (int i = from; i < to; i++) {
                    a[i] = Math.max(a[i], b[i]);
                }
            }
            default -> throw new AssertionError(kind);
        }
    }

    static void doubles(final Op.Kind kind, final double[] a, final double[] b, final int from, final int to) {
        switch (kind) {
            case SUM -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] + b[i];
                }
            }
            case PROD -> {
                for (int i = from; i < to; i++) {
                    a[i] = a[i] * b[i];
                }
            }
            case MIN -> {
                for (int i = from; i < to; i++) {
                    a[i] = Math.min(a[i], b[i]);
                }
            }
            case MAX -> {
                for (int i = from; i < to; i++) {
                    a[i] = Math.max(a[i], b[i]);
                }
            }
            default -> throw new AssertionError(kind);
        }
    }
}
