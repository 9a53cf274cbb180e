package org.parley.foam.linear;

/** Preconditioned conjugate gradients, for symmetric matrices. */
final class Pcg extends Solver {
    /** Cells that are updated and summed up while they are in the nearest cache. */
    private static final int CHUNK = 1024;

    private final Preconditioner preconditioner;
    private final double[] p;
    private final double[] w;
    private final double[] r;

    Pcg(final SolverControls controls, final Workspace work, final Preconditioner preconditioner) {
        super(controls, work);
        this.preconditioner = preconditioner;
        this.p = work.take();
        this.w = work.take();
        this.r = work.take();
    }

    @Override
    Performance run(final LduMatrix matrix, final double[] x, final double[] b) {
        final Performance performance = new Performance(preconditioner.name + "PCG");
        matrix.multiply(w, x);
        for (int c = 0; c < x.length; c++) {
            r[c] = b[c] - w[c];
        }
        final double norm = normFactor(matrix, x, b, w);
        if (!start(performance, sum(matrix, Norms.sumMagnitudes(r)) / norm)) {
            return performance;
        }
        preconditioner.prepare(matrix);
        double wr = 0;
        do {
            final double old = wr;
            preconditioner.apply(w, r);
            wr = sum(matrix, Norms.dot(w, r));
            final double beta = performance.iterations == 0 ? 0 : wr / old;
            final double wp = sum(matrix, matrix.advance(p, w, beta));
            if (performance.checkSingular(Math.abs(wp) / norm)) {
                break;
            }
            performance.finalResidual = sum(matrix, step(x, r, p, w, wr / wp)) / norm;
        } while (performance.goOn(1, controls));
        return performance;
    }

    /** Steps along p, and returns the sum of the new residual's magnitudes. */
    private static double step(
            final double[] x, final double[] r, final double[] p, final double[] w, final double alpha) {
        double sum = 0;
        for (int from = 0; from < x.length; from += CHUNK) {
            final int to = Math.min(from + CHUNK, x.length);
            for (int c = from; c < to; c++) {
                x[c] += alpha * p[c];
            }
            for (int c = from; c < to; c++) {
                r[c] -= alpha * w[c];
            }
            for (int c = from; c < to; c++) {
                sum += Math.abs(r[c]);
            }
        }
        return sum;
    }
}
