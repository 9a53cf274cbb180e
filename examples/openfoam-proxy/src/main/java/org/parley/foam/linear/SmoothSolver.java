package org.parley.foam.linear;

/** Sweeps of a smoother until the residual is small. */
final class SmoothSolver extends Solver {
    private final Smoother smoother;
    private final double[] product;
    private final double[] residual;

    SmoothSolver(final SolverControls controls, final Workspace work) {
        super(controls, work);
        this.smoother = new Smoother(controls.smoother(), work.take());
        this.product = work.take();
        this.residual = work.take();
    }

    @Override
    Performance run(final LduMatrix matrix, final double[] x, final double[] b) {
        final Performance performance = new Performance("smoothSolver");
        final int sweeps = controls.sweeps();
        if (sweeps < 0) {
            smoother.smooth(matrix, x, b, -sweeps);
            performance.iterations = -sweeps;
            return performance;
        }
        matrix.multiply(product, x);
        final double norm = normFactor(matrix, x, b, product);
        for (int c = 0; c < x.length; c++) {
            residual[c] = b[c] - product[c];
        }
        if (!start(performance, sum(matrix, Norms.sumMagnitudes(residual)) / norm)) {
            return performance;
        }
        do {
            smoother.smooth(matrix, x, b, sweeps);
            matrix.residual(residual, x, b);
            performance.finalResidual = sum(matrix, Norms.sumMagnitudes(residual)) / norm;
        } while (performance.goOn(sweeps, controls));
        return performance;
    }
}
