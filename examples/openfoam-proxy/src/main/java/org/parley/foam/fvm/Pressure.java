package org.parley.foam.fvm;

import java.util.Arrays;
import java.util.function.ToIntFunction;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.linear.LduMatrix;
import org.parley.foam.linear.Performance;
import org.parley.foam.linear.Solver;

/** The pressure equation laplacian(1/A, p) = div(phiHbyA), as OpenFOAM assembles it. */
final class Pressure {
    private final FvMesh mesh;
    private final Operators operators;
    private final Schemes.SnGrad scheme;
    private final LduMatrix matrix;
    private final double[] source;
    private final double[] rhs;
    private final double[] diag;
    private final double[][] internal;
    private final double[][] rest;
    private final double[] coefficient;
    private final double[][] correction;
    private final boolean reference;
    private final int referenceCell;
    private final double referenceValue;

    Pressure(
            final FvMesh mesh,
            final Operators operators,
            final Schemes.SnGrad scheme,
            final VolField p,
            final Dictionary piso,
            final ToIntFunction<double[]> cellAt) {
        this.mesh = mesh;
        this.operators = operators;
        this.scheme = scheme;
        this.matrix = new LduMatrix(mesh.addressing, mesh.interfaces, true);
        this.source = new double[mesh.cells];
        this.rhs = new double[mesh.cells];
        this.diag = new double[mesh.cells];
        this.internal = new double[1][mesh.boundaryFaces];
        this.rest = new double[1][mesh.boundaryFaces];
        this.coefficient = new double[mesh.faces];
        this.correction = !mesh.orthogonal && scheme.limit() > 0 ? new double[1][mesh.faces] : null;
        this.reference = p.needsReference();
        this.referenceCell = reference ? referenceCell(piso, cellAt) : -1;
        this.referenceValue = reference ? piso.number("pRefValue") : 0;
    }

    boolean needsReference() {
        return reference;
    }

    LduMatrix matrix() {
        return matrix;
    }

    private int referenceCell(final Dictionary piso, final ToIntFunction<double[]> cellAt) {
        if (piso.has("pRefCell")) {
            final int cell = piso.integer("pRefCell");
            if (mesh.ranks.master() && (cell < 0 || cell >= mesh.cells)) {
                throw piso.error("pRefCell", "pRefCell " + cell + ": the mesh has cells 0 to " + (mesh.cells - 1));
            }
            return mesh.ranks.master() ? cell : -1;
        }
        if (!piso.has("pRefPoint")) {
            throw piso.error(
                    "pRefCell", "the pressure has no fixed value anywhere: set pRefCell or pRefPoint, and pRefValue");
        }
        final int cell = cellAt.applyAsInt(piso.vector("pRefPoint"));
        if (mesh.ranks.sum(cell >= 0 ? 1 : 0) != 1) {
            throw piso.error("pRefPoint", "pRefPoint lies in no cell of the mesh, or between cells of two ranks");
        }
        return cell;
    }

    /**
     * Assembles the matrix.
     *
     * @param p pressure
     * @param rAU 1/A on the faces
     * @param phiHbyA fluxes to be made free of divergence
     */
    void assemble(final VolField p, final double[] rAU, final double[] phiHbyA) {
        final double[] deltaCoeffs = scheme.orthogonal() ? mesh.deltaCoeffs : mesh.nonOrthDeltaCoeffs;
        for (int f = 0; f < coefficient.length; f++) {
            coefficient[f] = rAU[f] * mesh.areaMagnitude[f];
        }
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        final double[] upper = matrix.upper;
        Arrays.fill(diag, 0);
        for (int f = 0; f < l.length; f++) {
            final double up = deltaCoeffs[f] * coefficient[f];
            upper[f] = up;
            diag[l[f]] -= up;
            diag[u[f]] -= up;
        }
        for (int n = 0; n < mesh.patches.length; n++) {
            final FvPatch patch = mesh.patches[n];
            if (!patch.coupled()) {
                p.conditions[n].gradientCoefficients(p.inside, p.boundary, internal, rest);
            }
            for (int i = 0; i < patch.size; i++) {
                final int f = patch.start + i;
                final int b = patch.offset + i;
                if (patch.coupled()) {
                    internal[0][b] = -coefficient[f] * deltaCoeffs[f];
                    rest[0][b] = -coefficient[f] * deltaCoeffs[f];
                    matrix.boundaryCoeffs[patch.side][i] = rest[0][b];
                } else {
                    internal[0][b] *= coefficient[f];
                    rest[0][b] *= -coefficient[f];
                }
            }
        }
        operators.divergence(source, phiHbyA);
        for (int c = 0; c < source.length; c++) {
            source[c] *= mesh.volume[c];
        }
        if (correction != null) {
            operators.snGradCorrection(correction, coefficient, p.inside, p.boundary, scheme.limit());
            operators.divergence(rhs, correction[0]);
            for (int c = 0; c < source.length; c++) {
                source[c] -= mesh.volume[c] * rhs[c];
            }
        }
        if (referenceCell >= 0) {
            source[referenceCell] += diag[referenceCell] * referenceValue;
            diag[referenceCell] += diag[referenceCell];
        }
    }

    /** Solves for the pressure. */
    Performance solve(final Solver solver, final VolField p) {
        System.arraycopy(diag, 0, matrix.diag, 0, diag.length);
        System.arraycopy(source, 0, rhs, 0, source.length);
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                final int cell = patch.faceCells[i];
                matrix.diag[cell] += internal[0][patch.offset + i];
                if (!patch.coupled()) {
                    rhs[cell] += rest[0][patch.offset + i];
                }
            }
        }
        return solver.solve(matrix, p.inside[0], rhs);
    }

    /** Takes the equation's fluxes off: phi = phiHbyA - flux. */
    void correctFlux(final double[] phi, final double[] phiHbyA, final VolField p) {
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        final double[] upper = matrix.upper;
        final double[] values = p.inside[0];
        for (int f = 0; f < l.length; f++) {
            phi[f] = upper[f] * values[u[f]] - upper[f] * values[l[f]];
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                final int f = patch.start + i;
                final int b = patch.offset + i;
                final double beside = patch.coupled() ? rest[0][b] * p.boundary[0][b] : rest[0][b];
                phi[f] = internal[0][b] * values[patch.faceCells[i]] - beside;
            }
        }
        for (int f = 0; f < phi.length; f++) {
            phi[f] = phiHbyA[f] - (correction == null ? phi[f] : phi[f] + correction[0][f]);
        }
    }
}
