package org.parley.foam.linear;

/**
 * Sums over arrays, added up in the order of the cells as OpenFOAM does. Another order would be faster, but conjugate
 * gradients amplify the last bit: over hundreds of iterations it decides how many there are.
 */
final class Norms {
    private Norms() {}

    static double dot(final double[] a, final double[] b) {
        return addDot(0, a, b, 0, a.length);
    }

    static double addDot(final double before, final double[] a, final double[] b, final int from, final int to) {
        double sum = before;
        for (int c = from; c < to; c++) {
            sum += a[c] * b[c];
        }
        return sum;
    }

    static double sumMagnitudes(final double[] a) {
        double sum = 0;
        for (final double value : a) {
            sum += Math.abs(value);
        }
        return sum;
    }

    static double sum(final double[] a) {
        double sum = 0;
        for (final double value : a) {
            sum += value;
        }
        return sum;
    }
}
