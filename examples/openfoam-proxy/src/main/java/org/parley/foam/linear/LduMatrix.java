package org.parley.foam.linear;

import org.parley.foam.parallel.Interfaces;

/**
 * A matrix by faces: one coefficient a cell on the diagonal, one a face above and one below it, and
 * one a face at each interface for the cells on its other side. A symmetric matrix has one array for
 * above and below. Coefficients at interfaces are subtracted, as OpenFOAM has them.
 */
public final class LduMatrix {
    /** Rows that are gone through at once while they are in the nearest cache. */
    private static final int CHUNK = 1024;

    /** Which cells the faces join. */
    public final LduAddressing addressing;

    /** Interfaces to other ranks and patches. */
    public final Interfaces interfaces;

    /** Diagonal, by cell. */
    public final double[] diag;

    /** Row lower[f], column upper[f]. */
    public final double[] upper;

    /** Row upper[f], column lower[f]; the same array as {@link #upper} if the matrix is symmetric. */
    public final double[] lower;

    /** By interface and face: what is subtracted from the cell's row for the cell on the other side. */
    public final double[][] boundaryCoeffs;

    /** By interface and face: what the other side's row has for this cell, negated; for transposed products. */
    public final double[][] internalCoeffs;

    private final double[][] bandUpper;
    private final double[][] bandLower;

    /**
     * Makes a matrix of zeros.
     *
     * @param addressing which cells the faces join
     * @param interfaces to other ranks and patches
     * @param symmetric whether one array serves above and below
     */
    public LduMatrix(final LduAddressing addressing, final Interfaces interfaces, final boolean symmetric) {
        this.addressing = addressing;
        this.interfaces = interfaces;
        this.diag = new double[addressing.size];
        this.upper = new double[addressing.upper.length];
        this.lower = symmetric ? upper : new double[addressing.upper.length];
        this.boundaryCoeffs = interfaces.coefficients();
        this.internalCoeffs = symmetric ? boundaryCoeffs : interfaces.coefficients();
        final int bands = addressing.bands == null ? 0 : addressing.bands.length;
        this.bandUpper = new double[bands][addressing.size];
        this.bandLower = symmetric ? bandUpper : new double[bands][addressing.size];
    }

    /** Returns whether one array serves above and below the diagonal. */
    public boolean symmetric() {
        return lower == upper;
    }

    /** Takes in that coefficients beside the diagonal have changed; before products. */
    void prepare() {
        if (addressing.bands == null) {
            return;
        }
        final int[] l = addressing.lower;
        final byte[] band = addressing.band;
        for (int f = 0; f < l.length; f++) {
            bandUpper[band[f]][l[f]] = upper[f];
        }
        if (!symmetric()) {
            for (int f = 0; f < l.length; f++) {
                bandLower[band[f]][l[f]] = lower[f];
            }
        }
    }

    /** Coefficients above the diagonal on one of the addressing's bands, by lower cell; zero where there is no face. */
    double[] bandUpper(final int band) {
        return bandUpper[band];
    }

    /** Coefficients below the diagonal on one of the addressing's bands, by lower cell. */
    double[] bandLower(final int band) {
        return bandLower[band];
    }

    /**
     * Product with a vector; matching on all ranks.
     *
     * @param result A x
     * @param x vector
     */
    void multiply(final double[] result, final double[] x) {
        interfaces.start(x);
        multiplyInside(result, x, null);
        interfaces.finish();
        interfaces.addProducts(result, boundaryCoeffs, -1);
    }

    /** A x of what lies on this rank, less b if there is one. Each cell's sum is in the order of its faces. */
    private void multiplyInside(final double[] result, final double[] x, final double[] b) {
        final int n = diag.length;
        if (addressing.bands != null) {
            for (int from = 0; from < n; from += CHUNK) {
                multiplyBands(result, x, b, from, Math.min(from + CHUNK, n));
            }
            return;
        }
        multiplyDiagonal(result, x, b, 0, n);
        final int[] u = addressing.upper;
        final int[] start = addressing.ownerStart;
        final double[] up = upper;
        final double[] low = lower;
        int f = 0;
        for (int c = 0; c < n; c++) {
            final int end = start[c + 1];
            final double xc = x[c];
            double sum = result[c];
            for (; f < end; f++) {
                sum += up[f] * x[u[f]];
                result[u[f]] += low[f] * xc;
            }
            result[c] = sum;
        }
    }

    private void multiplyDiagonal(
            final double[] result, final double[] x, final double[] b, final int from, final int to) {
        final double[] d = diag;
        if (b == null) {
            for (int c = from; c < to; c++) {
                result[c] = d[c] * x[c];
            }
        } else {
            for (int c = from; c < to; c++) {
                result[c] = d[c] * x[c] - b[c];
            }
        }
    }

    private void multiplyBands(
            final double[] result, final double[] x, final double[] b, final int from, final int to) {
        final int[] bands = addressing.bands;
        final int n = diag.length;
        // The two nearest bands of a mesh made of lines go together.
        final int together = addressing.line > 0 ? 2 : 0;
        multiplyDiagonal(result, x, b, from, to);
        for (int i = bands.length - 1; i >= together; i--) {
            addBelow(result, x, bandLower[i], bands[i], Math.max(from, bands[i]), to);
        }
        if (together > 0) {
            Lines.addProducts(
                    result, x, bandUpper[0], bandLower[0], bandUpper[1], bandLower[1], addressing.line, from, to);
        }
        for (int i = together; i < bands.length; i++) {
            addAbove(result, x, bandUpper[i], bands[i], from, Math.min(to, n - bands[i]));
        }
    }

    private static void addAbove(
            final double[] result,
            final double[] x,
            final double[] up,
            final int distance,
            final int from,
            final int to) {
        for (int c = from; c < to; c++) {
            result[c] += up[c] * x[c + distance];
        }
    }

    private static void addBelow(
            final double[] result,
            final double[] x,
            final double[] low,
            final int distance,
            final int from,
            final int to) {
        for (int c = from; c < to; c++) {
            result[c] += low[c - distance] * x[c - distance];
        }
    }

    /**
     * The middle of a step of conjugate gradients, in one go through memory where the mesh has bands:
     * p = w + beta p, then w = A p; matching on all ranks.
     *
     * @return w . p of this rank
     */
    double advance(final double[] p, final double[] w, final double beta) {
        if (addressing.bands == null) {
            update(p, w, beta, 0, p.length);
            multiply(w, p);
            return Norms.dot(w, p);
        }
        interfaces.startSum(w, beta, p);
        final boolean alone = interfaces.count() == 0;
        final int n = diag.length;
        final int ahead = addressing.bands.length == 0 ? 0 : addressing.bands[addressing.bands.length - 1];
        double sum = 0;
        int updated = 0;
        for (int from = 0; from < n; from += CHUNK) {
            final int to = Math.min(from + CHUNK, n);
            final int next = Math.min(to + ahead, n);
            update(p, w, beta, updated, next);
            updated = next;
            multiplyBands(w, p, null, from, to);
            if (alone) {
                sum = Norms.addDot(sum, w, p, from, to);
            }
        }
        interfaces.finish();
        interfaces.addProducts(w, boundaryCoeffs, -1);
        return alone ? sum : Norms.dot(w, p);
    }

    private static void update(final double[] p, final double[] w, final double beta, final int from, final int to) {
        for (int c = from; c < to; c++) {
            p[c] = w[c] + beta * p[c];
        }
    }

    /**
     * Residual b - A x; matching on all ranks.
     *
     * @param result the residual
     * @param x vector
     * @param b right-hand side
     */
    void residual(final double[] result, final double[] x, final double[] b) {
        interfaces.start(x);
        multiplyInside(result, x, b);
        interfaces.finish();
        interfaces.addProducts(result, boundaryCoeffs, -1);
        for (int c = 0; c < diag.length; c++) {
            result[c] = -result[c];
        }
    }

    /** Sums of the rows, the interfaces' coefficients included. */
    void rowSums(final double[] result) {
        System.arraycopy(diag, 0, result, 0, diag.length);
        final int[] l = addressing.lower;
        final int[] u = addressing.upper;
        for (int f = 0; f < l.length; f++) {
            result[l[f]] += upper[f];
            result[u[f]] += lower[f];
        }
        for (int n = 0; n < interfaces.count(); n++) {
            final int[] cells = interfaces.get(n).faceCells;
            for (int i = 0; i < cells.length; i++) {
                result[cells[i]] -= boundaryCoeffs[n][i];
            }
        }
    }

    /**
     * Adds what lies beside the diagonal, negated, times a vector: OpenFOAM's H without its source;
     * interfaces are left out.
     *
     * @param result added to
     * @param x vector
     */
    public void addOffDiagonal(final double[] result, final double[] x) {
        final int[] l = addressing.lower;
        final int[] u = addressing.upper;
        for (int f = 0; f < l.length; f++) {
            result[u[f]] -= lower[f] * x[l[f]];
            result[l[f]] -= upper[f] * x[u[f]];
        }
    }
}
