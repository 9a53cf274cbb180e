package org.parley.foam.linear;

/**
 * Incomplete factorisation of the diagonal only: DIC of a symmetric matrix, DILU of another. The
 * factors are those of the matrix, with a diagonal that makes their product have the matrix's own.
 */
final class Incomplete extends Preconditioner {
    private final double[] reciprocal;
    private LduMatrix matrix;

    /** Of a mesh made of lines: by band and cell, the factor of the cell before it on the band, and of the one after. */
    private final double[][] before;

    private final double[][] after;

    Incomplete(final String name, final Workspace work) {
        super(name);
        final int lines = work.addressing.line > 0 ? work.addressing.bands.length : 0;
        this.reciprocal = work.take();
        this.before = work.take(lines);
        this.after = work.take(lines);
    }

    @Override
    void prepare(final LduMatrix of) {
        matrix = of;
        final int[] l = of.addressing.lower;
        final int[] u = of.addressing.upper;
        final double[] rd = reciprocal;
        System.arraycopy(of.diag, 0, rd, 0, rd.length);
        for (int f = 0; f < l.length; f++) {
            rd[u[f]] -= of.upper[f] * of.lower[f] / rd[l[f]];
        }
        for (int c = 0; c < rd.length; c++) {
            rd[c] = 1 / rd[c];
        }
        if (of.addressing.line > 0) {
            prepareLines();
        }
    }

    private void prepareLines() {
        final int[] bands = matrix.addressing.bands;
        final int n = reciprocal.length;
        for (int b = 0; b < bands.length; b++) {
            final double[] lower = matrix.bandLower(b);
            final double[] upper = matrix.bandUpper(b);
            for (int c = bands[b]; c < n; c++) {
                before[b][c] = reciprocal[c] * lower[c - bands[b]];
            }
            for (int c = 0; c < n; c++) {
                after[b][c] = reciprocal[c] * upper[c];
            }
        }
    }

    @Override
    void apply(final double[] w, final double[] r) {
        if (matrix.addressing.line > 0) {
            Lines.forward(w, r, reciprocal, before, matrix.addressing.bands);
            Lines.backward(w, after, matrix.addressing.bands);
        } else {
            substitute(w, r, matrix.lower, matrix.upper);
        }
    }

    @Override
    void applyTransposed(final double[] w, final double[] r) {
        substitute(w, r, matrix.upper, matrix.lower);
    }

    private void substitute(final double[] w, final double[] r, final double[] lower, final double[] upper) {
        final int[] l = matrix.addressing.lower;
        final int[] u = matrix.addressing.upper;
        final int[] start = matrix.addressing.ownerStart;
        final double[] rd = reciprocal;
        final int n = rd.length;
        for (int c = 0; c < n; c++) {
            w[c] = rd[c] * r[c];
        }
        int f = 0;
        for (int c = 0; c < n; c++) {
            final double wc = w[c];
            final int end = start[c + 1];
            for (; f < end; f++) {
                w[u[f]] -= rd[u[f]] * lower[f] * wc;
            }
        }
        f = l.length;
        for (int c = n - 1; c >= 0; c--) {
            double wc = w[c];
            final double rdc = rd[c];
            final int first = start[c];
            while (f > first) {
                f--;
                wc -= rdc * upper[f] * w[u[f]];
            }
            w[c] = wc;
        }
    }
}
