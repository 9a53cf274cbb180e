package org.parley.foam.linear;

/** Gauss-Seidel sweeps; what comes over interfaces is that of before the sweep, as OpenFOAM has it. */
final class Smoother {
    private final boolean symmetric;
    private final double[] rhs;

    /**
     * Makes a smoother.
     *
     * @param name GaussSeidel or symGaussSeidel
     * @param rhs to work in, of as many cells as the largest level has
     */
    Smoother(final String name, final double[] rhs) {
        this.symmetric = switch (name) {
            case "GaussSeidel" -> false;
            case "symGaussSeidel" -> true;
            default ->
                throw new IllegalArgumentException(
                        "no smoother " + name + " here: there are GaussSeidel and symGaussSeidel");
        };
        this.rhs = rhs;
    }

    void smooth(final LduMatrix matrix, final double[] x, final double[] b, final int sweeps) {
        for (int sweep = 0; sweep < sweeps; sweep++) {
            matrix.interfaces.start(x);
            System.arraycopy(b, 0, rhs, 0, x.length);
            matrix.interfaces.finish();
            matrix.interfaces.addProducts(rhs, matrix.boundaryCoeffs, 1);
            if (matrix.addressing.line > 0 && matrix.addressing.bands.length == 2) {
                LineSweeps.forward(matrix, x, rhs);
                if (symmetric) {
                    LineSweeps.backward(matrix, x, rhs);
                }
                continue;
            }
            forward(matrix, x);
            if (symmetric) {
                backward(matrix, x);
            }
        }
    }

    private void forward(final LduMatrix matrix, final double[] x) {
        final int[] u = matrix.addressing.upper;
        final int[] start = matrix.addressing.ownerStart;
        final double[] upper = matrix.upper;
        final double[] lower = matrix.lower;
        final double[] diag = matrix.diag;
        final double[] right = rhs;
        int f = 0;
        for (int c = 0; c < x.length; c++) {
            final int first = f;
            final int end = start[c + 1];
            double sum = right[c];
            for (; f < end; f++) {
                sum -= upper[f] * x[u[f]];
            }
            sum /= diag[c];
            for (f = first; f < end; f++) {
                right[u[f]] -= lower[f] * sum;
            }
            x[c] = sum;
        }
    }

    /** What the cells below contribute has been taken off by the forward sweep. */
    private void backward(final LduMatrix matrix, final double[] x) {
        final int[] u = matrix.addressing.upper;
        final int[] start = matrix.addressing.ownerStart;
        final double[] upper = matrix.upper;
        final double[] diag = matrix.diag;
        for (int c = x.length - 1; c >= 0; c--) {
            final int end = start[c + 1];
            double sum = rhs[c];
            for (int f = start[c]; f < end; f++) {
                sum -= upper[f] * x[u[f]];
            }
            x[c] = sum / diag[c];
        }
    }
}
