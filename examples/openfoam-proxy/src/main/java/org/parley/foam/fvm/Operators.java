package org.parley.foam.fvm;

import java.util.Arrays;

/** Gauss' theorem with linear interpolation: fluxes, gradients, and the corrections that schemes add. */
final class Operators {
    private static final double SMALL = 1e-15;

    private final FvMesh mesh;

    /** Gradients of all components: 3 c + d is the derivative of c along d. Made when wanted. */
    private double[][] gradients;

    private double[][] gradientsBeside;

    Operators(final FvMesh mesh) {
        this.mesh = mesh;
    }

    /** Flux of a vector through each face. */
    void flux(final double[] phi, final double[][] inside, final double[][] boundary) {
        final double[] x = inside[0];
        final double[] y = inside[1];
        final double[] z = inside[2];
        final double[] sx = mesh.area[0];
        final double[] sy = mesh.area[1];
        final double[] sz = mesh.area[2];
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        final double[] w = mesh.weights;
        for (int f = 0; f < l.length; f++) {
            final int p = l[f];
            final int n = u[f];
            final double share = w[f];
            phi[f] = sx[f] * (share * (x[p] - x[n]) + x[n])
                    + sy[f] * (share * (y[p] - y[n]) + y[n])
                    + sz[f] * (share * (z[p] - z[n]) + z[n]);
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                final int f = patch.start + i;
                double sum = 0;
                for (int d = 0; d < 3; d++) {
                    sum += mesh.area[d][f] * atPatch(patch, i, inside[d], boundary[d]);
                }
                phi[f] = sum;
            }
        }
    }

    /** Value on a face of a patch. */
    double atPatch(final FvPatch patch, final int i, final double[] inside, final double[] boundary) {
        final double there = boundary[patch.offset + i];
        if (!patch.coupled()) {
            return there;
        }
        final double share = mesh.weights[patch.start + i];
        return share * inside[patch.faceCells[i]] + (1 - share) * there;
    }

    /** Interpolates to each face. */
    void interpolate(final double[] faces, final double[] inside, final double[] boundary) {
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        final double[] w = mesh.weights;
        for (int f = 0; f < l.length; f++) {
            faces[f] = w[f] * (inside[l[f]] - inside[u[f]]) + inside[u[f]];
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                faces[patch.start + i] = atPatch(patch, i, inside, boundary);
            }
        }
    }

    /** Adds up what goes out of each cell, by volume. */
    void divergence(final double[] cells, final double[] phi) {
        Arrays.fill(cells, 0);
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        for (int f = 0; f < l.length; f++) {
            cells[l[f]] += phi[f];
            cells[u[f]] -= phi[f];
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                cells[patch.faceCells[i]] += phi[patch.start + i];
            }
        }
        for (int c = 0; c < cells.length; c++) {
            cells[c] /= mesh.volume[c];
        }
    }

    /** Gradient of a scalar. */
    void gradient(final double[][] gradient, final double[] inside, final double[] boundary) {
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        final double[] w = mesh.weights;
        final double[] gx = gradient[0];
        final double[] gy = gradient[1];
        final double[] gz = gradient[2];
        final double[] sx = mesh.area[0];
        final double[] sy = mesh.area[1];
        final double[] sz = mesh.area[2];
        Arrays.fill(gx, 0);
        Arrays.fill(gy, 0);
        Arrays.fill(gz, 0);
        for (int f = 0; f < l.length; f++) {
            final int p = l[f];
            final int n = u[f];
            final double value = w[f] * (inside[p] - inside[n]) + inside[n];
            final double x = sx[f] * value;
            final double y = sy[f] * value;
            final double z = sz[f] * value;
            gx[p] += x;
            gx[n] -= x;
            gy[p] += y;
            gy[n] -= y;
            gz[p] += z;
            gz[n] -= z;
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                final int f = patch.start + i;
                final int p = patch.faceCells[i];
                final double value = atPatch(patch, i, inside, boundary);
                gx[p] += sx[f] * value;
                gy[p] += sy[f] * value;
                gz[p] += sz[f] * value;
            }
        }
        for (int c = 0; c < mesh.cells; c++) {
            final double v = mesh.volume[c];
            gx[c] /= v;
            gy[c] /= v;
            gz[c] /= v;
        }
    }

    /** Makes the gradients of all components, those of cells on the other side of patches included. */
    private void gradients(final double[][] inside, final double[][] boundary) {
        if (gradients == null || gradients.length < 3 * inside.length) {
            gradients = new double[3 * inside.length][mesh.cells];
            gradientsBeside = new double[3 * inside.length][mesh.boundaryFaces];
        }
        for (int c = 0; c < inside.length; c++) {
            gradient(Arrays.copyOfRange(gradients, 3 * c, 3 * c + 3), inside[c], boundary[c]);
        }
        final int parts = 3 * inside.length;
        mesh.exchange(Arrays.copyOf(gradients, parts), Arrays.copyOf(gradientsBeside, parts));
    }

    /**
     * What a gradient along the normal lacks where centres do not lie along it, times a coefficient.
     *
     * @param correction by component and face
     * @param coefficient by face
     * @param inside the field
     * @param boundary the field at patches
     * @param limit share of the correction beside the rest: OpenFOAM's limited scheme; 1 for all
     */
    void snGradCorrection(
            final double[][] correction,
            final double[] coefficient,
            final double[][] inside,
            final double[][] boundary,
            final double limit) {
        gradients(inside, boundary);
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        for (int f = 0; f < l.length; f++) {
            double implicit = 0;
            double explicit = 0;
            for (int c = 0; c < inside.length; c++) {
                double sum = 0;
                for (int d = 0; d < 3; d++) {
                    final double[] g = gradients[3 * c + d];
                    sum += mesh.nonOrthCorrection[d][f] * (mesh.weights[f] * (g[l[f]] - g[u[f]]) + g[u[f]]);
                }
                correction[c][f] = sum;
                explicit += sum * sum;
                final double difference = mesh.nonOrthDeltaCoeffs[f] * (inside[c][u[f]] - inside[c][l[f]]);
                implicit += difference * difference;
            }
            limit(correction, f, limit, implicit, explicit, coefficient[f]);
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                final int f = patch.start + i;
                double implicit = 0;
                double explicit = 0;
                for (int c = 0; c < inside.length; c++) {
                    double sum = 0;
                    if (patch.coupled()) {
                        for (int d = 0; d < 3; d++) {
                            sum += mesh.nonOrthCorrection[d][f]
                                    * atPatch(patch, i, gradients[3 * c + d], gradientsBeside[3 * c + d]);
                        }
                        final double difference = mesh.nonOrthDeltaCoeffs[f]
                                * (boundary[c][patch.offset + i] - inside[c][patch.faceCells[i]]);
                        implicit += difference * difference;
                    }
                    correction[c][f] = sum;
                    explicit += sum * sum;
                }
                limit(correction, f, limit, implicit, explicit, coefficient[f]);
            }
        }
    }

    private static void limit(
            final double[][] correction,
            final int f,
            final double limit,
            final double implicit,
            final double explicit,
            final double coefficient) {
        final double limiter = limit == 1
                ? 1
                : Math.max(0, Math.min(1, limit * Math.sqrt(implicit) / ((1 - limit) * Math.sqrt(explicit) + SMALL)));
        for (final double[] component : correction) {
            component[f] = coefficient * (limiter * component[f]);
        }
    }

    /**
     * The owner's share by limitedLinearV: between linear and upwind, by how much the gradient at the upwind cell and
     * the difference over the face agree. Of faces inside and those that join cells to others.
     *
     * @param shares by face
     * @param k OpenFOAM's coefficient of the scheme
     */
    void limitedShares(
            final double[] shares,
            final double k,
            final double[] phi,
            final double[][] inside,
            final double[][] boundary) {
        gradients(inside, boundary);
        final double twoByK = 2 / Math.max(k, SMALL);
        final double[][] centre = mesh.places.centre();
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        for (int f = 0; f < l.length; f++) {
            final int upwind = phi[f] > 0 ? l[f] : u[f];
            double difference = 0;
            double along = 0;
            for (int c = 0; c < 3; c++) {
                final double over = inside[c][u[f]] - inside[c][l[f]];
                double step = 0;
                for (int d = 0; d < 3; d++) {
                    step += (centre[d][u[f]] - centre[d][l[f]]) * gradients[3 * c + d][upwind];
                }
                difference += over * over;
                along += over * step;
            }
            shares[f] = share(mesh.weights[f], phi[f], twoByK, difference, along);
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size && patch.coupled(); i++) {
                final int f = patch.start + i;
                final int cell = patch.faceCells[i];
                double difference = 0;
                double along = 0;
                for (int c = 0; c < 3; c++) {
                    final double over = boundary[c][patch.offset + i] - inside[c][cell];
                    double step = 0;
                    for (int d = 0; d < 3; d++) {
                        final double slope =
                                phi[f] > 0 ? gradients[3 * c + d][cell] : gradientsBeside[3 * c + d][patch.offset + i];
                        step += mesh.places.delta()[d][f] * slope;
                    }
                    difference += over * over;
                    along += over * step;
                }
                shares[f] = share(mesh.weights[f], phi[f], twoByK, difference, along);
            }
        }
    }

    private static double share(
            final double weight, final double phi, final double twoByK, final double difference, final double along) {
        final double r = Math.abs(along) >= 1000 * Math.abs(difference)
                ? 2 * 1000 * sign(along) * sign(difference) - 1
                : 2 * (along / difference) - 1;
        final double limiter = Math.max(Math.min(twoByK * r, 1), 0);
        return limiter * weight + (1 - limiter) * (phi >= 0 ? 1 : 0);
    }

    /** OpenFOAM's: of nothing it is 1. */
    private static double sign(final double value) {
        return value >= 0 ? 1 : -1;
    }

    /** What linearUpwind adds to the upwind cell's value, times the flux. */
    void upwindCorrection(
            final double[][] correction, final double[] phi, final double[][] inside, final double[][] boundary) {
        gradients(inside, boundary);
        final int[] l = mesh.addressing.lower;
        final int[] u = mesh.addressing.upper;
        for (int f = 0; f < l.length; f++) {
            final int cell = phi[f] > 0 ? l[f] : u[f];
            for (int c = 0; c < inside.length; c++) {
                double sum = 0;
                for (int d = 0; d < 3; d++) {
                    sum += (mesh.places.faceCentre()[d][f] - mesh.places.centre()[d][cell])
                            * gradients[3 * c + d][cell];
                }
                correction[c][f] = phi[f] * sum;
            }
        }
        for (final FvPatch patch : mesh.patches) {
            for (int i = 0; i < patch.size; i++) {
                final int f = patch.start + i;
                final int cell = patch.faceCells[i];
                for (int c = 0; c < inside.length; c++) {
                    double sum = 0;
                    for (int d = 0; d < 3 && patch.coupled(); d++) {
                        sum += phi[f] > 0
                                ? (mesh.places.faceCentre()[d][f] - mesh.places.centre()[d][cell])
                                        * gradients[3 * c + d][cell]
                                : (mesh.places.faceCentre()[d][f]
                                                - mesh.places.delta()[d][f]
                                                - mesh.places.centre()[d][cell])
                                        * gradientsBeside[3 * c + d][patch.offset + i];
                    }
                    correction[c][f] = phi[f] * sum;
                }
            }
        }
    }
}
