package org.parley.foam.linear;

/**
 * Solves A x = b for one shape of matrix. One solver serves a field for a whole run. All ranks solve together.
 */
public abstract class Solver {
    final SolverControls controls;
    private final double[] rowSums;

    Solver(final SolverControls controls, final Workspace work) {
        this.controls = controls;
        this.rowSums = work.take();
    }

    /**
     * Makes the solver that the controls name.
     *
     * @param controls from fvSolution
     * @param work what it may work in, of as many cells as the matrices have
     * @param symmetric whether they are
     * @param agglomeration levels of the mesh for GAMG, made when it is asked for
     * @throws IllegalArgumentException if there is no such solver for such matrices
     */
    public static Solver create(
            final SolverControls controls,
            final Workspace work,
            final boolean symmetric,
            final Agglomeration.Source agglomeration) {
        work.begin();
        return switch (controls.solver()) {
            case "PCG" -> {
                if (!symmetric) {
                    throw new IllegalArgumentException(
                            "PCG needs a symmetric matrix: use PBiCGStab, PBiCG, smoothSolver or GAMG");
                }
                yield new Pcg(controls, work, Preconditioner.create(controls.preconditioner(), work, true));
            }
            case "PBiCG" -> {
                if (symmetric) {
                    throw new IllegalArgumentException(
                            "PBiCG needs an asymmetric matrix: use PCG, PBiCGStab, smoothSolver or GAMG");
                }
                yield new PBiCg(controls, work, Preconditioner.create(controls.preconditioner(), work, false));
            }
            case "PBiCGStab" ->
                new PBiCgStab(controls, work, Preconditioner.create(controls.preconditioner(), work, symmetric));
            case "smoothSolver" -> new SmoothSolver(controls, work);
            case "GAMG" -> new Gamg(controls, work, agglomeration.get(controls.gamg()), symmetric);
            default ->
                throw new IllegalArgumentException("no solver " + controls.solver()
                        + " here: there are PCG, PBiCG, PBiCGStab, smoothSolver and GAMG");
        };
    }

    /**
     * Solves; matching on all ranks.
     *
     * @param matrix A
     * @param x first guess in, solution out
     * @param b right-hand side
     */
    public final Performance solve(final LduMatrix matrix, final double[] x, final double[] b) {
        matrix.prepare();
        return run(matrix, x, b);
    }

    abstract Performance run(LduMatrix matrix, double[] x, double[] b);

    /** OpenFOAM's normalisation of residuals: how far A x and b lie from A of x's average. */
    final double normFactor(final LduMatrix matrix, final double[] x, final double[] b, final double[] product) {
        matrix.rowSums(rowSums);
        final double[] totals = {Norms.sum(x), x.length};
        matrix.interfaces.ranks().sum(totals);
        final double average = totals[1] > 0 ? totals[0] / totals[1] : 0;
        double sum = 0;
        for (int c = 0; c < x.length; c++) {
            final double reference = rowSums[c] * average;
            sum += Math.abs(product[c] - reference) + Math.abs(b[c] - reference);
        }
        return sum(matrix, sum) + Performance.SMALL;
    }

    static double sum(final LduMatrix matrix, final double value) {
        return matrix.interfaces.ranks().sum(value);
    }

    final boolean start(final Performance performance, final double residual) {
        performance.initialResidual = residual;
        performance.finalResidual = residual;
        return controls.minIter() > 0 || !performance.converged(controls);
    }
}
