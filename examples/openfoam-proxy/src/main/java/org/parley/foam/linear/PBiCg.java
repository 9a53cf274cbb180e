package org.parley.foam.linear;

/** Preconditioned bi-conjugate gradients, for asymmetric matrices. */
final class PBiCg extends Solver {
    private final Preconditioner preconditioner;
    private final double[] p;
    private final double[] w;
    private final double[] r;
    private final double[] pT;
    private final double[] wT;
    private final double[] rT;
    private LduMatrix transposed;

    PBiCg(final SolverControls controls, final Workspace work, final Preconditioner preconditioner) {
        super(controls, work);
        this.preconditioner = preconditioner;
        this.p = work.take();
        this.w = work.take();
        this.r = work.take();
        this.pT = work.take();
        this.wT = work.take();
        this.rT = work.take();
    }

    @Override
    Performance run(final LduMatrix matrix, final double[] x, final double[] b) {
        final Performance performance = new Performance(preconditioner.name + "PBiCG");
        final int n = x.length;
        matrix.multiply(w, x);
        for (int c = 0; c < n; c++) {
            r[c] = b[c] - w[c];
        }
        final double norm = normFactor(matrix, x, b, w);
        if (!start(performance, sum(matrix, Norms.sumMagnitudes(r)) / norm)) {
            return performance;
        }
        transpose(matrix);
        transposed.multiply(wT, x);
        for (int c = 0; c < n; c++) {
            rT[c] = b[c] - wT[c];
        }
        preconditioner.prepare(matrix);
        double wr = 0;
        do {
            final double old = wr;
            preconditioner.apply(w, r);
            preconditioner.applyTransposed(wT, rT);
            wr = sum(matrix, Norms.dot(w, rT));
            final double beta = performance.iterations == 0 ? 0 : wr / old;
            for (int c = 0; c < n; c++) {
                p[c] = w[c] + beta * p[c];
                pT[c] = wT[c] + beta * pT[c];
            }
            matrix.multiply(w, p);
            transposed.multiply(wT, pT);
            final double wp = sum(matrix, Norms.dot(w, pT));
            if (performance.checkSingular(Math.abs(wp) / norm)) {
                break;
            }
            final double alpha = wr / wp;
            for (int c = 0; c < n; c++) {
                x[c] += alpha * p[c];
                r[c] -= alpha * w[c];
                rT[c] -= alpha * wT[c];
            }
            performance.finalResidual = sum(matrix, Norms.sumMagnitudes(r)) / norm;
        } while (performance.goOn(1, controls));
        return performance;
    }

    /** The transposed matrix has the coefficients of each interface from its other side. */
    private void transpose(final LduMatrix matrix) {
        if (transposed == null) {
            transposed = new LduMatrix(matrix.addressing, matrix.interfaces, false);
        }
        System.arraycopy(matrix.diag, 0, transposed.diag, 0, matrix.diag.length);
        System.arraycopy(matrix.lower, 0, transposed.upper, 0, matrix.lower.length);
        System.arraycopy(matrix.upper, 0, transposed.lower, 0, matrix.upper.length);
        for (int i = 0; i < matrix.boundaryCoeffs.length; i++) {
            System.arraycopy(
                    matrix.internalCoeffs[i], 0, transposed.boundaryCoeffs[i], 0, matrix.boundaryCoeffs[i].length);
        }
        transposed.prepare();
    }
}
