package org.parley.foam.fvm;

/**
 * Euler's or the backward scheme, the old velocities and fluxes that they need, and the correction
 * of fluxes that keeps pressure and velocity coupled.
 */
final class TimeScheme {
    private static final double SMALL = 1e-15;
    private static final double GREAT = 1e15;

    final double[][] old;
    final double[][] older;
    final double[] phiOld;
    final double[] phiOlder;

    private final FvMesh mesh;
    private final Operators operators;
    private final boolean backward;
    private final double[][] blend;
    final double[][] oldBoundary;
    private final double[][] olderBoundary;
    private final double[][] blendBoundary;
    private final double[] fluxOld;
    private final double[] fluxBlend;
    private int levels;
    private double rDeltaT;
    private double c;
    private double c0;
    private double c00;

    TimeScheme(final FvMesh mesh, final Operators operators, final boolean backward) {
        this.mesh = mesh;
        this.operators = operators;
        this.backward = backward;
        final int faces = mesh.faces;
        this.old = new double[3][mesh.cells];
        this.oldBoundary = new double[3][mesh.boundaryFaces];
        this.phiOld = new double[faces];
        this.fluxOld = new double[faces];
        this.older = backward ? new double[3][mesh.cells] : null;
        this.olderBoundary = backward ? new double[3][mesh.boundaryFaces] : null;
        this.blend = backward ? new double[3][mesh.cells] : null;
        this.blendBoundary = backward ? new double[3][mesh.boundaryFaces] : null;
        this.phiOlder = backward ? new double[faces] : null;
        this.fluxBlend = backward ? new double[faces] : null;
    }

    /** Whether the fields of the step before the last are known. */
    boolean hasOlder() {
        return backward && levels > 1;
    }

    /** Takes fields of before the start: what becomes the older ones with the first step. */
    void restore(final double[][] u, final double[][] uBoundary, final double[] phi) {
        copy(u, old);
        copy(uBoundary, oldBoundary);
        System.arraycopy(phi, 0, phiOld, 0, phi.length);
        levels = 1;
    }

    private static void copy(final double[][] from, final double[][] to) {
        for (int d = 0; d < from.length; d++) {
            System.arraycopy(from[d], 0, to[d], 0, from[d].length);
        }
    }

    /** Begins a step: what is now becomes old. */
    void advance(final VolField u, final double[] phi, final double deltaT, final double previousDeltaT) {
        if (backward) {
            copy(old, older);
            copy(oldBoundary, olderBoundary);
            System.arraycopy(phiOld, 0, phiOlder, 0, phi.length);
        }
        copy(u.inside, old);
        copy(u.boundary, oldBoundary);
        System.arraycopy(phi, 0, phiOld, 0, phi.length);
        levels++;
        rDeltaT = 1 / deltaT;
        c = 1;
        c0 = 1;
        c00 = 0;
        if (backward) {
            final double before = levels < 2 ? GREAT : previousDeltaT;
            c = 1 + deltaT / (deltaT + before);
            c00 = deltaT * deltaT / (before * (deltaT + before));
            c0 = c + c00;
        }
        if (backward) {
            for (int d = 0; d < 3; d++) {
                blend(blend[d], old[d], older[d]);
                blend(blendBoundary[d], oldBoundary[d], olderBoundary[d]);
            }
        }
    }

    private void blend(final double[] to, final double[] last, final double[] before) {
        for (int i = 0; i < to.length; i++) {
            to[i] = c0 * last[i] - c00 * before[i];
        }
    }

    /** Sets diagonal and source to those of ddt(U). */
    void assemble(final double[] diag, final double[][] source) {
        final double factor = c * rDeltaT;
        for (int i = 0; i < diag.length; i++) {
            diag[i] = factor * mesh.volume[i];
        }
        final double[][] from = backward ? blend : old;
        for (int d = 0; d < 3; d++) {
            for (int i = 0; i < diag.length; i++) {
                source[d][i] = backward ? rDeltaT * mesh.volume[i] * from[d][i] : rDeltaT * from[d][i] * mesh.volume[i];
            }
        }
    }

    /**
     * Adds the correction by the old fluxes to those of the step, times a factor by face: less of it
     * where old fluxes and old velocities differ much, none where the velocity is given.
     */
    void addCorrection(final double[] phi, final double[] factor, final VolField u) {
        operators.flux(fluxOld, old, oldBoundary);
        if (backward) {
            operators.flux(fluxBlend, blend, blendBoundary);
        }
        add(phi, factor, 0, mesh.internalFaces);
        for (int p = 0; p < mesh.patches.length; p++) {
            if (!u.conditions[p].fixesValue()) {
                final FvPatch patch = mesh.patches[p];
                add(phi, factor, patch.start, patch.start + patch.size);
            }
        }
    }

    private void add(final double[] phi, final double[] factor, final int from, final int to) {
        for (int f = from; f < to; f++) {
            final double difference = phiOld[f] - fluxOld[f];
            final double coupling = 1 - Math.min(Math.abs(difference) / (Math.abs(phiOld[f]) + SMALL), 1);
            final double correction = backward ? c0 * phiOld[f] - c00 * phiOlder[f] - fluxBlend[f] : difference;
            phi[f] += factor[f] * (coupling * rDeltaT * correction);
        }
    }
}
