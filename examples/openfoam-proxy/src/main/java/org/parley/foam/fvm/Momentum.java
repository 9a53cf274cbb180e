package org.parley.foam.fvm;

import java.util.Arrays;
import org.parley.foam.linear.LduMatrix;
import org.parley.foam.linear.Performance;
import org.parley.foam.linear.Solver;

/**
 * The momentum equation of a time step: ddt(U) + div(phi, U) - laplacian(nu, U), as OpenFOAM
 * assembles it. Conditions give each boundary face a part of the diagonal and a part of the source.
 */
final class Momentum {
    final FvMesh mesh;
    final LduMatrix matrix;
    final double[][] source;

    /** By component and boundary face: what the condition adds to the diagonal. */
    private final double[][] internal;

    /** By component and boundary face: what the condition adds to the source; factors at coupled patches. */
    private final double[][] rest;

    private final double[][] valueInternal;
    private final double[][] valueRest;
    private final double[][] corrections;
    private final double[] shares;
    private final double[] viscous;
    private final double[] diag;
    private final double[] convectionDiag;
    private final double[] diffusionDiag;
    private final double[] rhs;
    private final Schemes schemes;
    private final Operators operators;
    private final double nu;
    private boolean assembled;

    Momentum(final FvMesh mesh, final Operators operators, final Schemes schemes, final double nu) {
        this.mesh = mesh;
        this.operators = operators;
        this.schemes = schemes;
        this.nu = nu;
        this.matrix = new LduMatrix(mesh.addressing, mesh.interfaces, false);
        this.source = new double[3][mesh.cells];
        this.internal = new double[3][mesh.boundaryFaces];
        this.rest = new double[3][mesh.boundaryFaces];
        this.valueInternal = new double[3][mesh.boundaryFaces];
        this.valueRest = new double[3][mesh.boundaryFaces];
        final boolean corrected = !mesh.orthogonal && schemes.viscosity.limit() > 0
                || schemes.convection == Schemes.Convection.LINEAR_UPWIND;
        this.corrections = corrected ? new double[3][mesh.faces] : null;
        this.shares = switch (schemes.convection) {
            case LINEAR -> mesh.weights;
            case UPWIND, LINEAR_UPWIND -> null;
            case LIMITED_LINEAR_V -> new double[mesh.faces];
        };
        this.viscous = new double[mesh.faces];
        this.diag = new double[mesh.cells];
        this.convectionDiag = new double[mesh.cells];
        this.diffusionDiag = new double[mesh.cells];
        this.rhs = new double[mesh.cells];
        for (int f = 0; f < viscous.length; f++) {
            viscous[f] = nu * mesh.areaMagnitude[f];
        }
    }

    /**
     * Assembles the matrix.
     *
     * @param u velocity
     * @param phi fluxes
     * @param time the coefficients of ddt, and the old fields
     */
    void assemble(final VolField u, final double[] phi, final TimeScheme time) {
        for (final Condition condition : u.conditions) {
            condition.update(phi);
        }
        time.assemble(diag, source);
        Arrays.fill(convectionDiag, 0);
        Arrays.fill(diffusionDiag, 0);
        final double[] deltaCoeffs = schemes.viscosity.orthogonal() ? mesh.deltaCoeffs : mesh.nonOrthDeltaCoeffs;
        final int[] l = mesh.addressing.lower;
        final int[] n = mesh.addressing.upper;
        final double[] lower = matrix.lower;
        final double[] upper = matrix.upper;
        if (schemes.convection == Schemes.Convection.LIMITED_LINEAR_V) {
            operators.limitedShares(shares, schemes.limit, phi, u.inside, u.boundary);
        }
        for (int f = 0; f < l.length; f++) {
            final double diffusion = deltaCoeffs[f] * viscous[f];
            final double share = share(f, phi[f]);
            final double below = -share * phi[f];
            lower[f] = below - diffusion;
            upper[f] = below + phi[f] - diffusion;
            convectionDiag[l[f]] -= below;
            convectionDiag[n[f]] -= below + phi[f];
            diffusionDiag[l[f]] -= diffusion;
            diffusionDiag[n[f]] -= diffusion;
        }
        for (int c = 0; c < diag.length; c++) {
            diag[c] = diag[c] + convectionDiag[c] - diffusionDiag[c];
        }
        boundary(u, phi, deltaCoeffs);
        if (schemes.convection == Schemes.Convection.LINEAR_UPWIND) {
            operators.upwindCorrection(corrections, phi, u.inside, u.boundary);
            correct(-1);
        }
        if (!mesh.orthogonal && schemes.viscosity.limit() > 0) {
            operators.snGradCorrection(corrections, viscous, u.inside, u.boundary, schemes.viscosity.limit());
            correct(1);
        }
        assembled = true;
    }

    /** Of the value that the flux takes through a face: the owner's part. */
    private double share(final int face, final double flux) {
        return shares != null ? shares[face] : flux >= 0 ? 1 : 0;
    }

    private void correct(final double sign) {
        for (int c = 0; c < 3; c++) {
            operators.divergence(rhs, corrections[c]);
            for (int i = 0; i < rhs.length; i++) {
                source[c][i] += sign * (mesh.volume[i] * rhs[i]);
            }
        }
    }

    private void boundary(final VolField u, final double[] phi, final double[] deltaCoeffs) {
        for (int p = 0; p < u.conditions.length; p++) {
            final FvPatch patch = mesh.patches[p];
            if (!patch.coupled()) {
                u.conditions[p].valueCoefficients(u.inside, u.boundary, valueInternal, valueRest);
                u.conditions[p].gradientCoefficients(u.inside, u.boundary, internal, rest);
            }
            for (int c = 0; c < 3; c++) {
                for (int i = 0; i < patch.size; i++) {
                    final int b = patch.offset + i;
                    final int f = patch.start + i;
                    if (patch.coupled()) {
                        final double share = share(f, phi[f]);
                        final double diffusion = viscous[f] * deltaCoeffs[f];
                        internal[c][b] = phi[f] * share + diffusion;
                        rest[c][b] = -phi[f] * (1 - share) + diffusion;
                    } else {
                        internal[c][b] = phi[f] * valueInternal[c][b] - viscous[f] * internal[c][b];
                        rest[c][b] = -phi[f] * valueRest[c][b] + viscous[f] * rest[c][b];
                    }
                }
            }
            if (patch.coupled()) {
                System.arraycopy(rest[0], patch.offset, matrix.boundaryCoeffs[patch.side], 0, patch.size);
                System.arraycopy(internal[0], patch.offset, matrix.internalCoeffs[patch.side], 0, patch.size);
            }
        }
    }

    /**
     * Solves for one component with the pressure's gradient.
     *
     * @param solver of U
     * @param u velocity
     * @param component which
     * @param gradient of the pressure along it
     */
    Performance solve(final Solver solver, final VolField u, final int component, final double[] gradient) {
        if (!assembled) {
            throw new IllegalStateException("the momentum equation is not assembled");
        }
        final double[] rhsNow = rhs;
        final double[] volume = mesh.volume;
        System.arraycopy(diag, 0, matrix.diag, 0, diag.length);
        for (int c = 0; c < rhsNow.length; c++) {
            rhsNow[c] = source[component][c] - volume[c] * gradient[c];
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                final int b = patch.offset + i;
                matrix.diag[patch.faceCells[i]] += internal[component][b];
                rhsNow[patch.faceCells[i]] +=
                        patch.coupled() ? rest[component][b] * u.boundary[component][b] : rest[component][b];
            }
        }
        // OpenFOAM adds what is beside coupled patches and takes it off again: the rounding stays.
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size && patch.coupled(); i++) {
                final int b = patch.offset + i;
                rhsNow[patch.faceCells[i]] -= rest[component][b] * u.boundary[component][b];
            }
        }
        return solver.solve(matrix, u.inside[component], rhsNow);
    }

    /** The reciprocal of the central coefficients: OpenFOAM's 1 / A. */
    void reciprocalOfA(final double[] reciprocal) {
        System.arraycopy(diag, 0, reciprocal, 0, diag.length);
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                reciprocal[patch.faceCells[i]] += average(patch.offset + i);
            }
        }
        for (int c = 0; c < reciprocal.length; c++) {
            reciprocal[c] = 1 / (reciprocal[c] / mesh.volume[c]);
        }
    }

    private double average(final int b) {
        return (internal[0][b] + internal[1][b] + internal[2][b]) / 3;
    }

    /** What the neighbours and the source contribute, by volume: OpenFOAM's H, times a factor. */
    void h(final double[][] h, final VolField u, final double[] factor) {
        for (int c = 0; c < 3; c++) {
            if (!mesh.solved[c]) {
                Arrays.fill(h[c], 0);
                continue;
            }
            final double[] to = h[c];
            final double[] values = u.inside[c];
            // What is on the diagonal more than its average over the components; then all else.
            Arrays.fill(to, 0);
            for (final FvPatch patch : mesh.patches) {
                for (int i = 0; i < patch.size; i++) {
                    to[patch.faceCells[i]] -= internal[c][patch.offset + i];
                }
            }
            for (final FvPatch patch : mesh.patches) {
                for (int i = 0; i < patch.size; i++) {
                    to[patch.faceCells[i]] += average(patch.offset + i);
                }
            }
            Arrays.fill(rhs, 0);
            matrix.addOffDiagonal(rhs, values);
            for (int i = 0; i < to.length; i++) {
                to[i] = to[i] * values[i] + (rhs[i] + source[c][i]);
            }
            for (final FvPatch patch : mesh.patches) {
                for (int i = 0; i < patch.size; i++) {
                    final int b = patch.offset + i;
                    to[patch.faceCells[i]] += patch.coupled() ? rest[c][b] * u.boundary[c][b] : rest[c][b];
                }
            }
            for (int i = 0; i < to.length; i++) {
                to[i] = factor[i] * (to[i] / mesh.volume[i]);
            }
        }
    }
}
