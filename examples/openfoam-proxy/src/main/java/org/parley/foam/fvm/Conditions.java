package org.parley.foam.fvm;

import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.mesh.Patch;

/** The conditions by the names that files have for them. */
final class Conditions {
    private Conditions() {}

    static Condition of(final FvMesh mesh, final FvPatch patch, final Dictionary entry, final int components) {
        final String type = entry.word("type");
        return switch (type) {
            case "fixedValue" -> new Condition.Fixed(mesh, patch, entry, true);
            case "noSlip" -> {
                if (components == 1) {
                    throw entry.error("type", "noSlip is a condition of vectors: use fixedValue");
                }
                yield new Condition.Fixed(mesh, patch, entry, false);
            }
            case "zeroGradient" -> new Condition.ZeroGradient(mesh, patch, entry);
            case "inletOutlet" -> new InletOutlet(mesh, patch, entry, components);
            case "symmetryPlane", "symmetry" ->
                components == 1 ? new Condition.ZeroGradient(mesh, patch, entry) : new Symmetry(mesh, patch, entry);
            case "empty", "cyclic", "processor", "processorCyclic" -> new Condition.Constraint(mesh, patch, entry);
            default ->
                throw entry.error(
                        "type",
                        "condition '" + type + "' of patch '" + patch.patch.name()
                                + "' is not supported: fixedValue, noSlip,"
                                + " zeroGradient, inletOutlet, symmetryPlane, symmetry, empty and cyclic are");
        };
    }

    /** The inlet's value where the flux comes in, the cell's where it goes out. */
    private static final class InletOutlet extends Condition {
        private final double[] inlet;
        private final double[] fraction;
        private final int components;
        private boolean updated;

        InletOutlet(final FvMesh mesh, final FvPatch patch, final Dictionary dictionary, final int components) {
            super(mesh, patch, dictionary);
            this.components = components;
            this.inlet = dictionary.field("inletValue", components, patch.size);
            this.fraction = new double[patch.size];
            final String flux = dictionary.word("phi", "phi");
            if (!flux.equals("phi")) {
                throw dictionary.error("phi", "flux '" + flux + "' is not there: icoFoam's is phi");
            }
        }

        @Override
        boolean fixesValue() {
            return true;
        }

        @Override
        boolean adjustable() {
            return true;
        }

        @Override
        void update(final double[] phi) {
            if (!updated) {
                for (int i = 0; i < patch.size; i++) {
                    fraction[i] = phi[patch.start + i] >= 0 ? 0 : 1;
                }
                updated = true;
            }
        }

        private double inlet(final int i, final int c) {
            return inlet[i * components + c];
        }

        @Override
        void evaluate(final double[][] inside, final double[][] boundary, final double[] phi) {
            update(phi);
            updated = false;
            for (int c = 0; c < components; c++) {
                for (int i = 0; i < patch.size; i++) {
                    boundary[c][patch.offset + i] =
                            fraction[i] * inlet(i, c) + (1 - fraction[i]) * inside[c][patch.faceCells[i]];
                }
            }
        }

        @Override
        void valueCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            for (int c = 0; c < components; c++) {
                for (int i = 0; i < patch.size; i++) {
                    internal[c][patch.offset + i] = 1 - fraction[i];
                    rest[c][patch.offset + i] = fraction[i] * inlet(i, c);
                }
            }
        }

        @Override
        void gradientCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            for (int c = 0; c < components; c++) {
                for (int i = 0; i < patch.size; i++) {
                    final double coefficient = fraction[i] * mesh.patchDeltaCoeffs(patch.start + i);
                    internal[c][patch.offset + i] = -coefficient;
                    rest[c][patch.offset + i] = coefficient * inlet(i, c);
                }
            }
        }

        @Override
        boolean writesValue() {
            return true;
        }
    }

    /** Of a vector: its part along the plane, and half the normal part's gradient to a mirrored cell. */
    private static final class Symmetry extends Condition {
        private final double[][] normal;

        Symmetry(final FvMesh mesh, final FvPatch patch, final Dictionary dictionary) {
            super(mesh, patch, dictionary);
            this.normal = new double[3][patch.size];
            final boolean plane = patch.patch.type() == Patch.Type.SYMMETRY_PLANE;
            for (int d = 0; d < 3; d++) {
                for (int i = 0; i < patch.size; i++) {
                    final int f = patch.start + (plane ? 0 : i);
                    normal[d][i] = mesh.area[d][f] / mesh.areaMagnitude[f];
                }
            }
        }

        @Override
        void extrapolate(final double[][] inside, final double[][] boundary) {
            evaluate(inside, boundary, null);
        }

        private double along(final double[][] inside, final int i) {
            final int cell = patch.faceCells[i];
            return normal[0][i] * inside[0][cell] + normal[1][i] * inside[1][cell] + normal[2][i] * inside[2][cell];
        }

        @Override
        void evaluate(final double[][] inside, final double[][] boundary, final double[] phi) {
            for (int i = 0; i < patch.size; i++) {
                final double along = along(inside, i);
                for (int c = 0; c < 3; c++) {
                    boundary[c][patch.offset + i] = inside[c][patch.faceCells[i]] - along * normal[c][i];
                }
            }
        }

        @Override
        void valueCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            for (int c = 0; c < 3; c++) {
                for (int i = 0; i < patch.size; i++) {
                    final double coefficient = 1 - Math.abs(normal[c][i]);
                    internal[c][patch.offset + i] = coefficient;
                    rest[c][patch.offset + i] =
                            boundary[c][patch.offset + i] - coefficient * inside[c][patch.faceCells[i]];
                }
            }
        }

        @Override
        void gradientCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            for (int i = 0; i < patch.size; i++) {
                final double along = along(inside, i);
                final double distance = mesh.patchDeltaCoeffs(patch.start + i);
                for (int c = 0; c < 3; c++) {
                    final double gradient = -2 * along * normal[c][i] * (distance / 2);
                    final double coefficient = -distance * Math.abs(normal[c][i]);
                    internal[c][patch.offset + i] = coefficient;
                    rest[c][patch.offset + i] = gradient - coefficient * inside[c][patch.faceCells[i]];
                }
            }
        }
    }
}
