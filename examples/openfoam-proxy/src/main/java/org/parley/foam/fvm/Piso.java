package org.parley.foam.fvm;

import java.util.function.ToIntFunction;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.FoamException;

/**
 * One time step of icoFoam: a momentum predictor, then pressure and velocity corrected in turns
 * (PISO: pressure-implicit with splitting of operators).
 */
final class Piso {
    private static final double SMALL = 1e-15;
    private static final double VSMALL = 1e-300;

    private static final String[] NAMES = {"Ux", "Uy", "Uz"};

    private final FvMesh mesh;
    private final Log log;
    private final Operators operators;
    private final Momentum momentum;
    private final Pressure pressure;
    private final Solvers solvers;
    private final TimeScheme time;
    private final VolField u;
    private final VolField p;
    private final double[] phi;
    private final int correctors;
    private final int nonOrthogonalCorrectors;
    private final boolean momentumPredictor;
    private final double totalVolume;

    private final double[][] gradient;
    private final double[][] hbyA;
    private final double[][] hbyABoundary;
    private final double[] rAU;
    private final double[] rAUBoundary;
    private final double[] rAUFaces;
    private final double[] phiHbyA;
    private final double[] work;
    private double cumulativeError;

    Piso(
            final FvMesh mesh,
            final Log log,
            final Schemes schemes,
            final Dictionary fvSolution,
            final double nu,
            final VolField u,
            final VolField p,
            final double[] phi,
            final ToIntFunction<double[]> cellAt) {
        this.mesh = mesh;
        this.log = log;
        this.u = u;
        this.p = p;
        this.phi = phi;
        final Dictionary piso = fvSolution.dictionary("PISO");
        this.correctors = piso.integer("nCorrectors", 1);
        this.nonOrthogonalCorrectors = piso.integer("nNonOrthogonalCorrectors", 0);
        this.momentumPredictor = piso.flag("momentumPredictor", true);
        this.operators = new Operators(mesh);
        this.momentum = new Momentum(mesh, operators, schemes, nu);
        this.pressure = new Pressure(mesh, operators, schemes.pressure, p, piso, cellAt);
        this.solvers = new Solvers(mesh, fvSolution);
        this.time = new TimeScheme(mesh, operators, schemes.backward);
        double volume = 0;
        for (final double v : mesh.volume) {
            volume += v;
        }
        this.totalVolume = mesh.ranks.sum(volume);
        this.gradient = new double[3][mesh.cells];
        this.hbyA = new double[3][mesh.cells];
        this.hbyABoundary = new double[3][mesh.boundaryFaces];
        this.rAU = new double[mesh.cells];
        this.rAUBoundary = new double[mesh.boundaryFaces];
        this.rAUFaces = new double[mesh.faces];
        this.phiHbyA = new double[mesh.faces];
        this.work = new double[mesh.cells];
    }

    TimeScheme time() {
        return time;
    }

    /** Makes a time step. */
    void step(final double deltaT, final double previousDeltaT) {
        time.advance(u, phi, deltaT, previousDeltaT);
        courant(deltaT);
        momentum.assemble(u, phi, time);
        if (momentumPredictor) {
            predict();
        }
        for (int corrector = 1; corrector <= correctors; corrector++) {
            correct(corrector == correctors);
            continuity(deltaT);
            operators.gradient(gradient, p.inside[0], p.boundary[0]);
            for (int c = 0; c < 3; c++) {
                final double[] velocity = u.inside[c];
                final double[] from = hbyA[c];
                final double[] slope = gradient[c];
                for (int i = 0; i < velocity.length; i++) {
                    velocity[i] = from[i] - rAU[i] * slope[i];
                }
            }
            u.correctBoundary(phi);
        }
    }

    private void predict() {
        operators.gradient(gradient, p.inside[0], p.boundary[0]);
        for (int c = 0; c < 3; c++) {
            if (mesh.solved[c]) {
                log.solved(NAMES[c], momentum.solve(solvers.get("U", false), u, c, gradient[c]));
            }
        }
        u.correctBoundary(phi);
    }

    private void correct(final boolean last) {
        momentum.reciprocalOfA(rAU);
        momentum.h(hbyA, u, rAU);
        final double[][] inside = {hbyA[0], hbyA[1], hbyA[2], rAU};
        final double[][] boundary = {hbyABoundary[0], hbyABoundary[1], hbyABoundary[2], rAUBoundary};
        mesh.interfaces.start(inside);
        for (int n = 0; n < mesh.patches.length; n++) {
            atPatch(n);
        }
        mesh.interfaces.finish();
        mesh.takeIn(boundary);
        operators.flux(phiHbyA, hbyA, hbyABoundary);
        operators.interpolate(rAUFaces, rAU, rAUBoundary);
        time.addCorrection(phiHbyA, rAUFaces, u);
        if (pressure.needsReference()) {
            adjust();
        }
        for (int round = 0; round <= nonOrthogonalCorrectors; round++) {
            final boolean final1 = round == nonOrthogonalCorrectors;
            pressure.assemble(p, rAUFaces, phiHbyA);
            log.solved("p", pressure.solve(solvers.get(last && final1 ? "pFinal" : "p", true), p));
            p.correctBoundary(phi);
            if (final1) {
                pressure.correctFlux(phi, phiHbyA, p);
            }
        }
    }

    /** Where the velocity is given, H/A at the patch is that velocity; else what the cell has. */
    private void atPatch(final int n) {
        final FvPatch patch = mesh.patches[n];
        final Condition condition = u.conditions[n];
        for (int i = 0; i < patch.size; i++) {
            rAUBoundary[patch.offset + i] = rAU[patch.faceCells[i]];
        }
        if (condition.assignable()) {
            condition.extrapolate(hbyA, hbyABoundary);
        } else {
            for (int c = 0; c < 3; c++) {
                System.arraycopy(u.boundary[c], patch.offset, hbyABoundary[c], patch.offset, patch.size);
            }
        }
    }

    /** Scales what goes out where it may, so that as much goes out as comes in: OpenFOAM's adjustPhi. */
    private void adjust() {
        final double[] sums = new double[4];
        for (int f = 0; f < mesh.internalFaces; f++) {
            sums[3] += Math.abs(phiHbyA[f]);
        }
        for (int n = 0; n < mesh.patches.length; n++) {
            final FvPatch patch = mesh.patches[n];
            for (int f = patch.start; f < patch.start + patch.size; f++) {
                sums[3] += Math.abs(phiHbyA[f]);
                if (!patch.coupled()) {
                    if (phiHbyA[f] < 0) {
                        sums[0] -= phiHbyA[f];
                    } else {
                        sums[u.conditions[n].adjustable() ? 2 : 1] += phiHbyA[f];
                    }
                }
            }
        }
        mesh.ranks.sum(sums);
        final double in = sums[0];
        final double fixedOut = sums[1];
        final double adjustableOut = sums[2];
        final double total = VSMALL + sums[3];
        if (adjustableOut > VSMALL && adjustableOut / total > SMALL) {
            final double factor = (in - fixedOut) / adjustableOut;
            for (int n = 0; n < mesh.patches.length; n++) {
                final FvPatch patch = mesh.patches[n];
                if (!patch.coupled() && u.conditions[n].adjustable()) {
                    for (int f = patch.start; f < patch.start + patch.size; f++) {
                        phiHbyA[f] *= phiHbyA[f] > 0 ? factor : 1;
                    }
                }
            }
        } else if (Math.abs(fixedOut - in) / total > 1e-8) {
            throw new FoamException("Continuity error cannot be removed by adjusting the outflow: " + log.number(in)
                    + " flows in, " + log.number(fixedOut) + " flows out where the velocity is given, "
                    + log.number(adjustableOut) + " where it may be adjusted. Please check the velocity boundary"
                    + " conditions and/or run potentialFoam to initialise the outflow.");
        }
    }

    private void courant(final double deltaT) {
        java.util.Arrays.fill(work, 0);
        final int[] l = mesh.addressing.lower;
        final int[] n = mesh.addressing.upper;
        for (int f = 0; f < l.length; f++) {
            final double magnitude = Math.abs(phi[f]);
            work[l[f]] += magnitude;
            work[n[f]] += magnitude;
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                work[patch.faceCells[i]] += Math.abs(phi[patch.start + i]);
            }
        }
        double largest = 0;
        double sum = 0;
        for (int c = 0; c < work.length; c++) {
            largest = Math.max(largest, work[c] / mesh.volume[c]);
            sum += work[c];
        }
        final double max = 0.5 * mesh.ranks.max(largest) * deltaT;
        final double mean = 0.5 * (mesh.ranks.sum(sum) / totalVolume) * deltaT;
        log.line("Courant Number mean: " + log.number(mean) + " max: " + log.number(max));
    }

    private void continuity(final double deltaT) {
        operators.divergence(work, phi);
        final double[] sums = new double[2];
        for (int c = 0; c < work.length; c++) {
            sums[0] += mesh.volume[c] * Math.abs(work[c]);
            sums[1] += mesh.volume[c] * work[c];
        }
        mesh.ranks.sum(sums);
        final double global = deltaT * (sums[1] / totalVolume);
        cumulativeError += global;
        log.line("time step continuity errors : sum local = " + log.number(deltaT * (sums[0] / totalVolume))
                + ", global = " + log.number(global) + ", cumulative = " + log.number(cumulativeError));
    }
}
