package org.parley.foam.linear;

/**
 * Gauss-Seidel sweeps over a plane of lines, {@link Lines#TOGETHER} at once as in {@link Lines}. A
 * division a cell in one long chain is what sweeps cell by cell wait for.
 */
final class LineSweeps {
    private final double[] diag;
    private final double[] up;
    private final double[] low;
    private final double[] upLine;
    private final double[] lowLine;
    private final double[] x;
    private final double[] rhs;
    private final int line;
    private final int n;

    private LineSweeps(final LduMatrix matrix, final double[] x, final double[] rhs) {
        this.diag = matrix.diag;
        this.up = matrix.bandUpper(0);
        this.low = matrix.bandLower(0);
        this.upLine = matrix.bandUpper(1);
        this.lowLine = matrix.bandLower(1);
        this.x = x;
        this.rhs = rhs;
        this.line = matrix.addressing.line;
        this.n = x.length;
    }

    /** Sweeps up; takes what the cells below contribute off the right-hand side. */
    static void forward(final LduMatrix matrix, final double[] x, final double[] rhs) {
        new LineSweeps(matrix, x, rhs).forward();
    }

    /** Sweeps down, with the right-hand side that the sweep up has left. */
    static void backward(final LduMatrix matrix, final double[] x, final double[] rhs) {
        new LineSweeps(matrix, x, rhs).backward();
    }

    private void forward() {
        forwardCells(0, line);
        int start = line;
        for (; start + (Lines.TOGETHER + 1) * line <= n; start += Lines.TOGETHER * line) {
            final int b = start + line;
            final int c = b + line;
            final int d = c + line;
            forwardCells(start, start + 3);
            forwardCells(b, b + 2);
            forwardCells(c, c + 1);
            forwardTogether(diag, up, low, upLine, lowLine, x, rhs, line, start);
            forwardCells(c - 1, c);
            forwardCells(d - 2, d);
            forwardCells(d + line - 3, d + line);
        }
        forwardCells(start, n);
    }

    private void forwardCells(final int from, final int to) {
        for (int c = from; c < to; c++) {
            double sum = rhs[c];
            if (c >= line) {
                sum -= lowLine[c - line] * x[c - line];
            }
            if (c > 0) {
                sum -= low[c - 1] * x[c - 1];
            }
            rhs[c] = sum;
            x[c] = above(c, sum) / diag[c];
        }
    }

    private double above(final int c, final double right) {
        double sum = right;
        if (c + 1 < n) {
            sum -= up[c] * x[c + 1];
        }
        if (c + line < n) {
            sum -= upLine[c] * x[c + line];
        }
        return sum;
    }

    private static void forwardTogether(
            final double[] diag,
            final double[] up,
            final double[] low,
            final double[] upLine,
            final double[] lowLine,
            final double[] x,
            final double[] rhs,
            final int line,
            final int start) {
        // Of each line: where cell i of the step is, and where the cell before it and the two lines beside are.
        final int b = start + line - 1;
        final int c = b + line - 1;
        final int d = c + line - 1;
        final int a1 = start - 1;
        final int b1 = b - 1;
        final int c1 = c - 1;
        final int d1 = d - 1;
        final int above = start - line;
        final int below = d + line;
        double x0 = x[start + 2];
        double x1 = x[b + 2];
        double x2 = x[c + 2];
        double x3 = 0;
        for (int i = 3; i < line; i++) {
            final double r0 = rhs[start + i] - lowLine[above + i] * x[above + i] - low[a1 + i] * x0;
            final double r1 = rhs[b + i] - lowLine[a1 + i] * x0 - low[b1 + i] * x1;
            final double r2 = rhs[c + i] - lowLine[b1 + i] * x1 - low[c1 + i] * x2;
            final double r3 = rhs[d + i] - lowLine[c1 + i] * x2 - low[d1 + i] * x3;
            x0 = (r0 - up[start + i] * x[start + 1 + i] - upLine[start + i] * x[b + 1 + i]) / diag[start + i];
            x1 = (r1 - up[b + i] * x[b + 1 + i] - upLine[b + i] * x[c + 1 + i]) / diag[b + i];
            x2 = (r2 - up[c + i] * x[c + 1 + i] - upLine[c + i] * x[d + 1 + i]) / diag[c + i];
            x3 = (r3 - up[d + i] * x[d + 1 + i] - upLine[d + i] * x[below + i]) / diag[d + i];
            rhs[start + i] = r0;
            rhs[b + i] = r1;
            rhs[c + i] = r2;
            rhs[d + i] = r3;
            x[start + i] = x0;
            x[b + i] = x1;
            x[c + i] = x2;
            x[d + i] = x3;
        }
    }

    private void backward() {
        backwardCells(n - line, n);
        int end = n - line;
        for (; end - Lines.TOGETHER * line >= 0; end -= Lines.TOGETHER * line) {
            final int start = end - Lines.TOGETHER * line;
            final int b = start + line;
            final int c = b + line;
            final int d = c + line;
            backwardCells(d + line - 3, d + line);
            backwardCells(c + line - 2, c + line);
            backwardCells(b + line - 1, b + line);
            backwardTogether(diag, up, upLine, x, rhs, line, start);
            backwardCells(c, c + 1);
            backwardCells(b, b + 2);
            backwardCells(start, start + 3);
        }
        backwardCells(0, end);
    }

    private void backwardCells(final int from, final int to) {
        for (int c = to - 1; c >= from; c--) {
            x[c] = above(c, rhs[c]) / diag[c];
        }
    }

    private static void backwardTogether(
            final double[] diag,
            final double[] up,
            final double[] upLine,
            final double[] x,
            final double[] rhs,
            final int line,
            final int start) {
        final int a = start + 3;
        final int b = start + line + 2;
        final int c = start + 2 * line + 1;
        final int d = start + 3 * line;
        final int below = d + line;
        double x0 = x[d + line - 3];
        double x1 = x[c + line - 3];
        double x2 = x[b + line - 3];
        double x3 = 0;
        for (int i = line - 4; i >= 0; i--) {
            final double n0 = (rhs[d + i] - up[d + i] * x0 - upLine[d + i] * x[below + i]) / diag[d + i];
            final double n1 = (rhs[c + i] - up[c + i] * x1 - upLine[c + i] * x0) / diag[c + i];
            final double n2 = (rhs[b + i] - up[b + i] * x2 - upLine[b + i] * x1) / diag[b + i];
            final double n3 = (rhs[a + i] - up[a + i] * x3 - upLine[a + i] * x2) / diag[a + i];
            x[d + i] = n0;
            x[c + i] = n1;
            x[b + i] = n2;
            x[a + i] = n3;
            x0 = n0;
            x1 = n1;
            x2 = n2;
            x3 = n3;
        }
    }
}
