package org.parley.foam.fvm;

import org.parley.foam.dictionary.Dictionary;

/**
 * What a field does at a patch. Boundary arrays have one array a component and are counted as
 * boundary fields count faces.
 */
abstract class Condition {
    final FvMesh mesh;
    final FvPatch patch;
    final Dictionary dictionary;

    Condition(final FvMesh mesh, final FvPatch patch, final Dictionary dictionary) {
        this.mesh = mesh;
        this.patch = patch;
        this.dictionary = dictionary;
    }

    /** Whether the value is given: then no flux is to be corrected here, and no reference is needed. */
    boolean fixesValue() {
        return false;
    }

    /** Whether fluxes through the patch may be adjusted though the condition fixes its value. */
    boolean adjustable() {
        return !fixesValue();
    }

    /** Whether values may be assigned; else they are kept in what is derived of the field. */
    boolean assignable() {
        return true;
    }

    /** Brings up to date what the condition depends on, once before each evaluation. */
    void update(final double[] phi) {
        // Most depend on nothing.
    }

    /** Sets the values at the patch. */
    abstract void evaluate(double[][] inside, double[][] boundary, double[] phi);

    /** Sets values of what is derived of the field and is free at the patch: those of the cells. */
    void extrapolate(final double[][] inside, final double[][] boundary) {
        for (int c = 0; c < inside.length; c++) {
            for (int i = 0; i < patch.size; i++) {
                boundary[c][patch.offset + i] = inside[c][patch.faceCells[i]];
            }
        }
    }

    /** Writes the value at the patch as internal times the cell's, plus boundary. */
    abstract void valueCoefficients(double[][] inside, double[][] boundary, double[][] internal, double[][] rest);

    /** Writes the gradient along the normal at the patch as internal times the cell's, plus boundary. */
    abstract void gradientCoefficients(double[][] inside, double[][] boundary, double[][] internal, double[][] rest);

    /** Whether the file has the values of the patch. */
    boolean writesValue() {
        return false;
    }

    /** Whether the file has to give the values. */
    boolean isFixed() {
        return false;
    }

    /** Value at every face of the patch. */
    final void fill(final double[][] field, final double value) {
        for (final double[] component : field) {
            java.util.Arrays.fill(component, patch.offset, patch.offset + patch.size, value);
        }
    }

    /** fixedValue and noSlip. */
    static final class Fixed extends Condition {
        private final boolean value;

        Fixed(final FvMesh mesh, final FvPatch patch, final Dictionary dictionary, final boolean value) {
            super(mesh, patch, dictionary);
            this.value = value;
        }

        @Override
        boolean fixesValue() {
            return true;
        }

        @Override
        boolean assignable() {
            return false;
        }

        @Override
        void evaluate(final double[][] inside, final double[][] boundary, final double[] phi) {
            // The values stand.
        }

        @Override
        void valueCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            fill(internal, 0);
            for (int c = 0; c < rest.length; c++) {
                System.arraycopy(boundary[c], patch.offset, rest[c], patch.offset, patch.size);
            }
        }

        @Override
        void gradientCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            for (int c = 0; c < rest.length; c++) {
                for (int i = 0; i < patch.size; i++) {
                    final double coefficient = mesh.patchDeltaCoeffs(patch.start + i);
                    internal[c][patch.offset + i] = -coefficient;
                    rest[c][patch.offset + i] = coefficient * boundary[c][patch.offset + i];
                }
            }
        }

        @Override
        boolean isFixed() {
            return value;
        }

        @Override
        boolean writesValue() {
            return value;
        }
    }

    /** zeroGradient. */
    static final class ZeroGradient extends Condition {
        ZeroGradient(final FvMesh mesh, final FvPatch patch, final Dictionary dictionary) {
            super(mesh, patch, dictionary);
        }

        @Override
        void evaluate(final double[][] inside, final double[][] boundary, final double[] phi) {
            for (int c = 0; c < inside.length; c++) {
                for (int i = 0; i < patch.size; i++) {
                    boundary[c][patch.offset + i] = inside[c][patch.faceCells[i]];
                }
            }
        }

        @Override
        void valueCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            fill(internal, 1);
            fill(rest, 0);
        }

        @Override
        void gradientCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            fill(internal, 0);
            fill(rest, 0);
        }
    }

    /** empty, which has no faces, and the patches that join cells to others: the fields exchange those. */
    static final class Constraint extends Condition {
        Constraint(final FvMesh mesh, final FvPatch patch, final Dictionary dictionary) {
            super(mesh, patch, dictionary);
        }

        @Override
        void evaluate(final double[][] inside, final double[][] boundary, final double[] phi) {
            // Nothing of its own.
        }

        @Override
        void valueCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            // Made by weights where matrices are.
        }

        @Override
        void gradientCoefficients(
                final double[][] inside, final double[][] boundary, final double[][] internal, final double[][] rest) {
            // Made by distances where matrices are.
        }

        @Override
        boolean writesValue() {
            return patch.patch.isProcessor();
        }
    }
}
