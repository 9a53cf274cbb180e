package org.parley.foam.linear;

import java.util.Arrays;
import java.util.List;
import org.parley.foam.linear.SolverControls.GamgControls;

/**
 * Geometric-algebraic multigrid: V-cycles over the levels of an {@link Agglomeration}, the coarsest
 * solved by PCG or PBiCGStab.
 */
final class Gamg extends Solver {
    private static final double VSMALL = 1e-300;

    private final GamgControls gamg;
    private final List<Agglomeration.Level> levels;
    private final LduMatrix[] matrices;
    private final double[][] corrections;
    private final double[][] sources;
    private final double[] product;
    private final double[] finestCorrection;
    private final double[] residual;
    private final Smoother smoother;
    private final Solver coarsest;
    private final boolean scale;
    private final double[] sums = new double[2];

    Gamg(
            final SolverControls controls,
            final Workspace work,
            final Agglomeration agglomeration,
            final boolean symmetric) {
        super(controls, work);
        this.gamg = controls.gamg();
        this.levels = agglomeration.levels;
        this.scale = gamg.scaleCorrection() == null ? symmetric : gamg.scaleCorrection();
        this.product = work.take();
        this.finestCorrection = work.take();
        this.residual = work.take();
        this.smoother = new Smoother(controls.smoother(), work.take());
        this.matrices = new LduMatrix[levels.size()];
        this.corrections = new double[levels.size()][];
        this.sources = new double[levels.size()][];
        for (int i = 0; i < levels.size(); i++) {
            final Agglomeration.Level level = levels.get(i);
            matrices[i] = new LduMatrix(level.addressing, level.interfaces, symmetric);
            corrections[i] = new double[level.addressing.size];
            sources[i] = new double[level.addressing.size];
        }
        this.coarsest = Solver.create(
                SolverControls.coarsest(symmetric, controls.tolerance(), controls.relTol()),
                new Workspace(levels.get(levels.size() - 1).addressing),
                symmetric,
                null);
    }

    @Override
    Performance run(final LduMatrix matrix, final double[] x, final double[] b) {
        final Performance performance = new Performance("GAMG");
        matrix.multiply(product, x);
        final double norm = normFactor(matrix, x, b, product);
        for (int c = 0; c < x.length; c++) {
            residual[c] = b[c] - product[c];
        }
        if (!start(performance, sum(matrix, Norms.sumMagnitudes(residual)) / norm)) {
            return performance;
        }
        LduMatrix fine = matrix;
        for (int i = 0; i < matrices.length; i++) {
            agglomerate(fine, levels.get(i), matrices[i]);
            fine = matrices[i];
        }
        do {
            cycle(matrix, x, b);
            matrix.multiply(product, x);
            for (int c = 0; c < x.length; c++) {
                residual[c] = b[c] - product[c];
            }
            performance.finalResidual = sum(matrix, Norms.sumMagnitudes(residual)) / norm;
        } while (performance.goOn(1, controls));
        return performance;
    }

    private static void agglomerate(final LduMatrix fine, final Agglomeration.Level level, final LduMatrix coarse) {
        Arrays.fill(coarse.diag, 0);
        Arrays.fill(coarse.upper, 0);
        Arrays.fill(coarse.lower, 0);
        for (int c = 0; c < fine.diag.length; c++) {
            coarse.diag[level.restrict[c]] += fine.diag[c];
        }
        final int[] faces = level.faceRestrict;
        final boolean symmetric = fine.symmetric();
        for (int f = 0; f < faces.length; f++) {
            final int to = faces[f];
            if (to < 0) {
                coarse.diag[-1 - to] += fine.upper[f] + fine.lower[f];
            } else if (symmetric) {
                coarse.upper[to] += fine.upper[f];
            } else if (level.flip[f]) {
                coarse.upper[to] += fine.lower[f];
                coarse.lower[to] += fine.upper[f];
            } else {
                coarse.upper[to] += fine.upper[f];
                coarse.lower[to] += fine.lower[f];
            }
        }
        for (int n = 0; n < coarse.boundaryCoeffs.length; n++) {
            sumUp(fine.boundaryCoeffs[n], level.interfaceRestrict[n], coarse.boundaryCoeffs[n]);
        }
        coarse.prepare();
    }

    private static void sumUp(final double[] fine, final int[] map, final double[] coarse) {
        Arrays.fill(coarse, 0);
        for (int i = 0; i < fine.length; i++) {
            coarse[map[i]] += fine[i];
        }
    }

    private void restrict(final double[] fine, final int level) {
        sumUp(fine, levels.get(level).restrict, sources[level]);
    }

    private static void prolong(final double[] fine, final double[] coarse, final int[] restrict) {
        for (int c = 0; c < fine.length; c++) {
            fine[c] = coarse[restrict[c]];
        }
    }

    private void cycle(final LduMatrix matrix, final double[] x, final double[] b) {
        final int bottom = matrices.length - 1;
        restrict(residual, 0);
        for (int i = 0; i < bottom; i++) {
            if (gamg.preSweeps() > 0) {
                smoothDown(i, bottom);
            }
            restrict(sources[i], i + 1);
        }
        Arrays.fill(corrections[bottom], 0);
        coarsest.solve(matrices[bottom], corrections[bottom], sources[bottom]);
        for (int i = bottom - 1; i >= 0; i--) {
            smoothUp(i, bottom);
        }
        prolong(finestCorrection, corrections[0], levels.get(0).restrict);
        if (scale) {
            scale(matrix, finestCorrection, product, residual);
        }
        for (int c = 0; c < x.length; c++) {
            x[c] += finestCorrection[c];
        }
        smoother.smooth(matrix, x, b, gamg.finestSweeps());
    }

    private void smoothDown(final int i, final int bottom) {
        final double[] correction = corrections[i];
        Arrays.fill(correction, 0);
        smoother.smooth(
                matrices[i],
                correction,
                sources[i],
                Math.min(gamg.preSweeps() + gamg.preSweepsLevelMultiplier() * i, gamg.maxPreSweeps()));
        if (scale && i < bottom - 1) {
            scale(matrices[i], correction, product, sources[i]);
        }
        matrices[i].multiply(product, correction);
        final double[] source = sources[i];
        for (int c = 0; c < source.length; c++) {
            source[c] -= product[c];
        }
    }

    private void smoothUp(final int i, final int bottom) {
        final double[] correction = corrections[i];
        final boolean added = gamg.preSweeps() > 0;
        if (added) {
            System.arraycopy(correction, 0, finestCorrection, 0, correction.length);
        }
        prolong(correction, corrections[i + 1], levels.get(i + 1).restrict);
        if (scale && i < bottom - 1) {
            scale(matrices[i], correction, product, sources[i]);
        }
        if (added) {
            for (int c = 0; c < correction.length; c++) {
                correction[c] += finestCorrection[c];
            }
        }
        smoother.smooth(
                matrices[i],
                correction,
                sources[i],
                Math.min(gamg.postSweeps() + gamg.postSweepsLevelMultiplier() * i, gamg.maxPostSweeps()));
    }

    /** Scales a correction so that it lowers the energy most, with one Jacobi step. */
    private void scale(
            final LduMatrix matrix, final double[] correction, final double[] scratch, final double[] source) {
        matrix.multiply(scratch, correction);
        double numerator = 0;
        double denominator = 0;
        final int n = correction.length;
        for (int c = 0; c < n; c++) {
            numerator += source[c] * correction[c];
            denominator += scratch[c] * correction[c];
        }
        sums[0] = numerator;
        sums[1] = denominator;
        matrix.interfaces.ranks().sum(sums);
        final double factor = sums[0] / (sums[1] < 0 ? sums[1] - VSMALL : sums[1] + VSMALL);
        final double[] diag = matrix.diag;
        for (int c = 0; c < n; c++) {
            correction[c] = factor * correction[c] + (source[c] - factor * scratch[c]) / diag[c];
        }
    }
}
