package org.parley.foam.linear;

/** Preconditioned stabilised bi-conjugate gradients, for any matrix. */
final class PBiCgStab extends Solver {
    private final Preconditioner preconditioner;
    private final double[] p;
    private final double[] y;
    private final double[] ay;
    private final double[] s;
    private final double[] z;
    private final double[] t;
    private final double[] r;
    private final double[] r0;

    PBiCgStab(final SolverControls controls, final Workspace work, final Preconditioner preconditioner) {
        super(controls, work);
        this.preconditioner = preconditioner;
        this.p = work.take();
        this.y = work.take();
        this.ay = work.take();
        this.s = work.take();
        this.z = work.take();
        this.t = work.take();
        this.r = work.take();
        this.r0 = work.take();
    }

    @Override
    Performance run(final LduMatrix matrix, final double[] x, final double[] b) {
        final Performance performance = new Performance(preconditioner.name + "PBiCGStab");
        final int n = x.length;
        matrix.multiply(y, x);
        for (int c = 0; c < n; c++) {
            r[c] = b[c] - y[c];
        }
        final double norm = normFactor(matrix, x, b, y);
        if (!start(performance, sum(matrix, Norms.sumMagnitudes(r)) / norm)) {
            return performance;
        }
        System.arraycopy(r, 0, r0, 0, n);
        preconditioner.prepare(matrix);
        double rho = 0;
        double alpha = 0;
        double omega = 0;
        do {
            final double old = rho;
            rho = sum(matrix, Norms.dot(r0, r));
            if (performance.checkSingular(Math.abs(rho))) {
                break;
            }
            if (performance.iterations == 0) {
                System.arraycopy(r, 0, p, 0, n);
            } else {
                if (performance.checkSingular(Math.abs(omega))) {
                    break;
                }
                final double beta = rho / old * (alpha / omega);
                for (int c = 0; c < n; c++) {
                    p[c] = r[c] + beta * (p[c] - omega * ay[c]);
                }
            }
            preconditioner.apply(y, p);
            matrix.multiply(ay, y);
            alpha = rho / sum(matrix, Norms.dot(r0, ay));
            for (int c = 0; c < n; c++) {
                s[c] = r[c] - alpha * ay[c];
            }
            performance.finalResidual = sum(matrix, Norms.sumMagnitudes(s)) / norm;
            if (performance.iterations >= controls.minIter() && performance.converged(controls)) {
                for (int c = 0; c < n; c++) {
                    x[c] += alpha * y[c];
                }
                performance.iterations++;
                return performance;
            }
            preconditioner.apply(z, s);
            matrix.multiply(t, z);
            final double tt = sum(matrix, Norms.dot(t, t));
            omega = sum(matrix, Norms.dot(t, s)) / tt;
            for (int c = 0; c < n; c++) {
                x[c] += alpha * y[c] + omega * z[c];
                r[c] = s[c] - omega * t[c];
            }
            performance.finalResidual = sum(matrix, Norms.sumMagnitudes(r)) / norm;
        } while (performance.goOn(1, controls));
        return performance;
    }
}
