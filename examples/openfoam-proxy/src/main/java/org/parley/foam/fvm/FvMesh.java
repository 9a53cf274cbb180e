package org.parley.foam.fvm;

import java.util.ArrayList;
import java.util.List;
import org.parley.foam.linear.Agglomeration;
import org.parley.foam.linear.LduAddressing;
import org.parley.foam.linear.SolverControls.GamgControls;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.Patch;
import org.parley.foam.parallel.Interface;
import org.parley.foam.parallel.Interfaces;
import org.parley.foam.parallel.Ranks;

/**
 * A rank's mesh as finite volumes need it: areas, distances and weights by face, by the formulas of
 * OpenFOAM's surfaceInterpolation. Faces inside come first, then those of the patches, but for the
 * empty ones, which have no faces here: in two dimensions those would be half of all. Read only;
 * made by all ranks together.
 */
public final class FvMesh {
    final Ranks ranks;
    final LduAddressing addressing;
    final Interfaces interfaces;
    final FvPatch[] patches;
    final int cells;
    final int faces;
    final int internalFaces;
    final int boundaryFaces;

    /** Area vectors, a component an array. */
    final double[][] area;

    final double[] areaMagnitude;

    final double[] volume;

    /** Of each face: the owner's share in linear interpolation. */
    final double[] weights;

    /** 1 / |delta|. */
    final double[] deltaCoeffs;

    /** 1 / distance along the normal. */
    final double[] nonOrthDeltaCoeffs;

    /**
     * Unit normal less delta times {@link #nonOrthDeltaCoeffs}; zero at patches that join to nothing. Null on an
     * orthogonal mesh.
     */
    final double[][] nonOrthCorrection;

    /** Whether the correction is zero, on all ranks: rounding counts, as in OpenFOAM. */
    final boolean orthogonal;

    /** Which of the three directions are solved. */
    final boolean[] solved;

    /** Where faces and cells are; null if nobody asked for it. */
    final Places places;

    private Agglomeration agglomeration;

    /**
     * Where faces and cells are, a component an array.
     *
     * @param faceCentre by face
     * @param centre by cell
     * @param delta by face: from its owner's centre to its neighbour's, or along the normal to a patch
     */
    record Places(double[][] faceCentre, double[][] centre, double[][] delta) {}

    /**
     * Makes the mesh of a rank; matching on all ranks.
     *
     * @param mesh its cells, which are not kept
     * @param ranks the run
     * @param placed whether schemes want to know where faces and cells are
     */
    public FvMesh(final Mesh mesh, final Ranks ranks, final boolean placed) {
        this.ranks = ranks;
        this.cells = mesh.cells();
        this.internalFaces = mesh.internalFaces();
        this.addressing =
                new LduAddressing(cells, java.util.Arrays.copyOf(mesh.owner(), internalFaces), mesh.neighbour());
        this.patches = new FvPatch[mesh.patches().size()];
        this.interfaces = findInterfaces(mesh);
        final FvPatch last = patches.length == 0 ? null : patches[patches.length - 1];
        this.faces = last == null ? internalFaces : last.start + last.size;
        this.boundaryFaces = faces - internalFaces;
        this.area = ofFaces(mesh.faceAreas());
        this.volume = mesh.cellVolumes();
        this.areaMagnitude = new double[faces];
        for (int f = 0; f < faces; f++) {
            areaMagnitude[f] = magnitude(area[0][f], area[1][f], area[2][f]);
        }
        this.weights = new double[faces];
        this.deltaCoeffs = new double[faces];
        this.nonOrthDeltaCoeffs = new double[faces];
        final Places found = new Places(ofFaces(mesh.faceCentres()), split(mesh.cellCentres()), new double[3][faces]);
        measureInside(found);
        measurePatches(found);
        final double[][] correction = new double[3][faces];
        this.orthogonal = distances(found.delta, correction);
        this.nonOrthCorrection = orthogonal ? null : correction;
        this.places = placed ? found : null;
        this.solved = directions(mesh);
    }

    private static double[][] split(final double[] vectors) {
        final double[][] parts = new double[3][vectors.length / 3];
        split(vectors, 0, parts, 0, parts[0].length);
        return parts;
    }

    private static void split(
            final double[] vectors, final int from, final double[][] parts, final int to, final int count) {
        for (int i = 0; i < count; i++) {
            for (int d = 0; d < 3; d++) {
                parts[d][to + i] = vectors[3 * (from + i) + d];
            }
        }
    }

    /** Of vectors by the mesh's faces: those of the faces here. */
    private double[][] ofFaces(final double[] vectors) {
        final double[][] parts = new double[3][faces];
        split(vectors, 0, parts, 0, internalFaces);
        for (final FvPatch patch : patches) {
            split(vectors, patch.patch.start(), parts, patch.start, patch.size);
        }
        return parts;
    }

    static double magnitude(final double x, final double y, final double z) {
        return Math.sqrt(x * x + y * y + z * z);
    }

    private Interfaces findInterfaces(final Mesh mesh) {
        final List<Interface> sides = new ArrayList<>();
        final int[] sideOfPatch = new int[patches.length];
        int count = 0;
        int offset = 0;
        for (int p = 0; p < patches.length; p++) {
            final Patch patch = mesh.patches().get(p);
            final boolean coupled = patch.isProcessor() || patch.type() == Patch.Type.CYCLIC;
            sideOfPatch[p] = coupled ? count++ : -1;
            patches[p] = new FvPatch(patch, offset, internalFaces, mesh.owner(), sideOfPatch[p]);
            offset += patches[p].size;
        }
        for (final FvPatch patch : patches) {
            if (patch.patch.isProcessor()) {
                sides.add(Interface.processor(patch.faceCells, patch.patch.neighbourRank()));
            } else if (patch.coupled()) {
                final int other = mesh.patch(patch.patch.neighbour());
                if (other < 0 || patches[other].size != patch.size) {
                    throw new IllegalArgumentException("cyclic patch " + patch.patch.name()
                            + " has no neighbourPatch of its size named " + patch.patch.neighbour());
                }
                sides.add(Interface.cyclic(patch.faceCells, sideOfPatch[other]));
            }
        }
        return new Interfaces(ranks, sides);
    }

    private void measureInside(final Places places) {
        final double[][] faceCentre = places.faceCentre;
        final double[][] centre = places.centre;
        final double[][] delta = places.delta;
        final int[] l = addressing.lower;
        final int[] u = addressing.upper;
        for (int f = 0; f < internalFaces; f++) {
            double own = 0;
            double other = 0;
            for (int d = 0; d < 3; d++) {
                own += area[d][f] * (faceCentre[d][f] - centre[d][l[f]]);
                other += area[d][f] * (centre[d][u[f]] - faceCentre[d][f]);
                delta[d][f] = centre[d][u[f]] - centre[d][l[f]];
            }
            weights[f] = Math.abs(other) / (Math.abs(own) + Math.abs(other));
        }
    }

    private void measurePatches(final Places places) {
        final double[][] faceCentre = places.faceCentre;
        final double[][] centre = places.centre;
        final double[][] delta = places.delta;
        final double[][] mine = new double[interfaces.count()][];
        for (final FvPatch patch : patches) {
            if (patch.coupled()) {
                mine[patch.side] = new double[4 * patch.size];
            }
            for (int i = 0; i < patch.size; i++) {
                final int f = patch.start + i;
                double along = 0;
                for (int d = 0; d < 3; d++) {
                    delta[d][f] = faceCentre[d][f] - centre[d][patch.faceCells[i]];
                    along += area[d][f] / areaMagnitude[f] * delta[d][f];
                    if (patch.coupled()) {
                        mine[patch.side][d * patch.size + i] = delta[d][f];
                    }
                }
                weights[f] = 1;
                if (patch.coupled()) {
                    mine[patch.side][3 * patch.size + i] = along;
                } else {
                    for (int d = 0; d < 3; d++) {
                        delta[d][f] = area[d][f] / areaMagnitude[f] * along;
                    }
                }
            }
        }
        interfaces.startFaces(mine, 4);
        interfaces.finish();
        for (final FvPatch patch : patches) {
            if (patch.coupled()) {
                final double[] theirs = interfaces.get(patch.side).values;
                for (int i = 0; i < patch.size; i++) {
                    final int f = patch.start + i;
                    final double along = theirs[3 * patch.size + i];
                    weights[f] = along / (mine[patch.side][3 * patch.size + i] + along);
                    for (int d = 0; d < 3; d++) {
                        delta[d][f] -= theirs[d * patch.size + i];
                    }
                }
            }
        }
    }

    private boolean distances(final double[][] delta, final double[][] correction) {
        double largest = 0;
        for (int f = 0; f < internalFaces; f++) {
            largest = Math.max(largest, distance(delta, correction, f, true));
        }
        for (final FvPatch patch : patches) {
            for (int f = patch.start; f < patch.start + patch.size; f++) {
                largest = Math.max(largest, distance(delta, correction, f, patch.coupled()));
            }
        }
        return ranks.max(largest) == 0;
    }

    private double distance(final double[][] delta, final double[][] correction, final int f, final boolean coupled) {
        final double length = magnitude(delta[0][f], delta[1][f], delta[2][f]);
        double along = 0;
        for (int d = 0; d < 3; d++) {
            along += area[d][f] / areaMagnitude[f] * delta[d][f];
        }
        deltaCoeffs[f] = 1 / length;
        nonOrthDeltaCoeffs[f] = 1 / Math.max(along, 0.05 * length);
        if (!coupled) {
            return 0;
        }
        double largest = 0;
        for (int d = 0; d < 3; d++) {
            correction[d][f] = area[d][f] / areaMagnitude[f] - delta[d][f] * nonOrthDeltaCoeffs[f];
            largest = Math.max(largest, Math.abs(correction[d][f]));
        }
        return largest;
    }

    /** A direction that empty patches face is not solved. */
    private boolean[] directions(final Mesh mesh) {
        final double[] facing = new double[3];
        final double[] areas = mesh.faceAreas();
        for (final Patch patch : mesh.patches()) {
            if (FvPatch.isEmpty(patch)) {
                for (int f = patch.start(); f < patch.start() + patch.size(); f++) {
                    for (int d = 0; d < 3; d++) {
                        facing[d] += Math.abs(areas[3 * f + d]);
                    }
                }
            }
        }
        ranks.sum(facing);
        final double length = magnitude(facing[0], facing[1], facing[2]);
        final boolean[] directions = new boolean[3];
        for (int d = 0; d < 3; d++) {
            directions[d] = length == 0 || facing[d] / length < 1e-6;
        }
        return directions;
    }

    /** Fetches into boundary arrays the values of the cells on the other side of patches that join cells. */
    void exchange(final double[][] inside, final double[][] boundary) {
        interfaces.start(inside);
        interfaces.finish();
        takeIn(boundary);
    }

    /** Copies what an exchange has brought into boundary arrays. */
    void takeIn(final double[][] boundary) {
        for (final FvPatch patch : patches) {
            if (patch.coupled()) {
                final double[] values = interfaces.get(patch.side).values;
                for (int c = 0; c < boundary.length; c++) {
                    System.arraycopy(values, c * patch.size, boundary[c], patch.offset, patch.size);
                }
            }
        }
    }

    /** What conditions at a patch divide differences by: 1 / distance. */
    double patchDeltaCoeffs(final int face) {
        return deltaCoeffs[face];
    }

    /** The levels for GAMG by face area; the first caller's controls decide, as in OpenFOAM. */
    Agglomeration agglomeration(final GamgControls controls) {
        if (agglomeration == null) {
            final double[] faceWeights = new double[internalFaces];
            for (int f = 0; f < internalFaces; f++) {
                final double root = Math.sqrt(areaMagnitude[f]);
                faceWeights[f] = magnitude(area[0][f] / root, 1.01 * (area[1][f] / root), 1.02 * (area[2][f] / root));
            }
            agglomeration = new Agglomeration(addressing, interfaces, faceWeights, controls);
        }
        return agglomeration;
    }
}
