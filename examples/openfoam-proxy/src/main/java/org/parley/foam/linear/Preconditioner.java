package org.parley.foam.linear;

/** An approximate inverse, local to a rank as OpenFOAM's are. */
abstract class Preconditioner {
    /** As the log has it in front of the solver's name. */
    final String name;

    Preconditioner(final String name) {
        this.name = name;
    }

    static Preconditioner create(final String name, final Workspace work, final boolean symmetric) {
        return switch (name) {
            case "DIC", "FDIC" -> {
                if (!symmetric) {
                    throw new IllegalArgumentException(name + " needs a symmetric matrix: use DILU, diagonal or none");
                }
                yield new Incomplete(name, work);
            }
            case "DILU" -> {
                if (symmetric) {
                    throw new IllegalArgumentException("DILU is for asymmetric matrices: use DIC, diagonal or none");
                }
                yield new Incomplete(name, work);
            }
            case "diagonal" -> new Diagonal(work);
            case "none" -> new None();
            default ->
                throw new IllegalArgumentException(
                        "no preconditioner " + name + " here: there are DIC, DILU, diagonal and none");
        };
    }

    /** Takes in a matrix. */
    abstract void prepare(LduMatrix matrix);

    /** Sets w to the approximate solution of A w = r. */
    abstract void apply(double[] w, double[] r);

    /** The same for the transposed matrix. */
    abstract void applyTransposed(double[] w, double[] r);

    private static final class None extends Preconditioner {
        None() {
            super("none");
        }

        @Override
        void prepare(final LduMatrix matrix) {
            // Nothing to know of it.
        }

        @Override
        void apply(final double[] w, final double[] r) {
            System.arraycopy(r, 0, w, 0, r.length);
        }

        @Override
        void applyTransposed(final double[] w, final double[] r) {
            apply(w, r);
        }
    }

    private static final class Diagonal extends Preconditioner {
        private final double[] reciprocal;

        Diagonal(final Workspace work) {
            super("diagonal");
            this.reciprocal = work.take();
        }

        @Override
        void prepare(final LduMatrix matrix) {
            for (int c = 0; c < reciprocal.length; c++) {
                reciprocal[c] = 1 / matrix.diag[c];
            }
        }

        @Override
        void apply(final double[] w, final double[] r) {
            final double[] d = reciprocal;
            for (int c = 0; c < d.length; c++) {
                w[c] = d[c] * r[c];
            }
        }

        @Override
        void applyTransposed(final double[] w, final double[] r) {
            apply(w, r);
        }
    }
}
