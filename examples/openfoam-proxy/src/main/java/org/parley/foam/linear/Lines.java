package org.parley.foam.linear;

/**
 * Kernels for meshes made of lines: cell c is joined to c + 1 within its line, to c + line, and
 * perhaps to c + plane. Coefficients are by cell and band, zero where there is no face.
 *
 * <p>Substitution goes through {@link #TOGETHER} lines at once, each one cell behind the line before
 * it. What a cell needs from the line before was made a step earlier and is still in a register, and
 * the processor has as many independent chains as there are lines instead of one. Each cell's own
 * sum is in the order of its faces, so that its bits are those of going through cell by cell.
 */
final class Lines {
    /** Lines that are gone through at once. */
    static final int TOGETHER = 4;

    private Lines() {}

    /** Adds to y the products with the bands 1 and line, of the rows from one to before another. */
    static void addProducts(
            final double[] y,
            final double[] x,
            final double[] up,
            final double[] low,
            final double[] upLine,
            final double[] lowLine,
            final int line,
            final int from,
            final int to) {
        final int n = up.length;
        final int first = Math.min(Math.max(from, line), to);
        final int last = Math.max(Math.min(to, n - line), first);
        for (int c = from; c < first; c++) {
            final double before = c > 0 ? low[c - 1] * x[c - 1] : 0;
            final double after = c + 1 < n ? up[c] * x[c + 1] : 0;
            final double above = c + line < n ? upLine[c] * x[c + line] : 0;
            y[c] = y[c] + before + after + above;
        }
        for (int c = first; c < last; c++) {
            y[c] = y[c]
                    + lowLine[c - line] * x[c - line]
                    + low[c - 1] * x[c - 1]
                    + up[c] * x[c + 1]
                    + upLine[c] * x[c + line];
        }
        for (int c = last; c < to; c++) {
            final double after = c + 1 < n ? up[c] * x[c + 1] : 0;
            y[c] = y[c] + lowLine[c - line] * x[c - line] + low[c - 1] * x[c - 1] + after;
        }
    }

    /**
     * Solves the lower factor: w[c] = rd[c] r[c], less each band's factor times the cell before on it.
     *
     * @param before factors by band and cell
     */
    static void forward(
            final double[] w, final double[] r, final double[] rd, final double[][] before, final int[] bands) {
        final int n = rd.length;
        final int line = bands[1];
        final double[] cell = before[0];
        begin(w, r, rd, before, bands, 0, line);
        for (int c = 1; c < line; c++) {
            w[c] -= cell[c] * w[c - 1];
        }
        int start = line;
        for (; start + TOGETHER * line <= n; start += TOGETHER * line) {
            begin(w, r, rd, before, bands, start, start + TOGETHER * line);
            forwardTogether(w, cell, before[1], line, start);
        }
        begin(w, r, rd, before, bands, start, n);
        forwardCells(w, cell, before[1], line, start, n);
    }

    /** What does not depend on the lines before. */
    private static void begin(
            final double[] w,
            final double[] r,
            final double[] rd,
            final double[][] before,
            final int[] bands,
            final int from,
            final int to) {
        for (int c = from; c < to; c++) {
            w[c] = rd[c] * r[c];
        }
        if (bands.length == 3) {
            final double[] factor = before[2];
            final int plane = bands[2];
            for (int c = Math.max(from, plane); c < to; c++) {
                w[c] -= factor[c] * w[c - plane];
            }
        }
    }

    private static void forwardCells(
            final double[] w, final double[] cell, final double[] above, final int line, final int from, final int to) {
        for (int c = from; c < to; c++) {
            w[c] = w[c] - above[c] * w[c - line] - cell[c] * w[c - 1];
        }
    }

    private static void forwardTogether(
            final double[] w, final double[] cell, final double[] above, final int line, final int start) {
        final int b = start + line;
        final int c = b + line;
        final int d = c + line;
        forwardCells(w, cell, above, line, start, start + 3);
        forwardCells(w, cell, above, line, b, b + 2);
        forwardCells(w, cell, above, line, c, c + 1);
        double w0 = w[start + 2];
        double w1 = w[b + 1];
        double w2 = w[c];
        double w3 = 0;
        final int before = start - line;
        final int b1 = b - 1;
        final int c2 = c - 2;
        final int d3 = d - 3;
        for (int i = 3; i < line; i++) {
            final double n0 = w[start + i] - above[start + i] * w[before + i] - cell[start + i] * w0;
            final double n1 = w[b1 + i] - above[b1 + i] * w0 - cell[b1 + i] * w1;
            final double n2 = w[c2 + i] - above[c2 + i] * w1 - cell[c2 + i] * w2;
            final double n3 = w[d3 + i] - above[d3 + i] * w2 - cell[d3 + i] * w3;
            w[start + i] = n0;
            w[b1 + i] = n1;
            w[c2 + i] = n2;
            w[d3 + i] = n3;
            w0 = n0;
            w1 = n1;
            w2 = n2;
            w3 = n3;
        }
        forwardCells(w, cell, above, line, c - 1, c);
        forwardCells(w, cell, above, line, d - 2, d);
        forwardCells(w, cell, above, line, d + line - 3, d + line);
    }

    /**
     * Solves the upper factor in place: w[c] less each band's factor times the cell after on it.
     *
     * @param after factors by band and cell
     */
    static void backward(final double[] w, final double[][] after, final int[] bands) {
        final int n = w.length;
        final int line = bands[1];
        final double[] cell = after[0];
        int end = n - line;
        for (int c = n - 2; c >= end; c--) {
            w[c] -= cell[c] * w[c + 1];
        }
        for (; end - TOGETHER * line >= 0; end -= TOGETHER * line) {
            final int from = end - TOGETHER * line;
            beginBackward(w, after, bands, from, end);
            backwardTogether(w, cell, after[1], line, from);
        }
        beginBackward(w, after, bands, 0, end);
        backwardCells(w, cell, after[1], line, 0, end);
    }

    private static void beginBackward(
            final double[] w, final double[][] after, final int[] bands, final int from, final int to) {
        if (bands.length == 3) {
            final double[] factor = after[2];
            final int plane = bands[2];
            final int last = Math.min(to, w.length - plane);
            for (int c = from; c < last; c++) {
                w[c] -= factor[c] * w[c + plane];
            }
        }
    }

    private static void backwardCells(
            final double[] w, final double[] cell, final double[] below, final int line, final int from, final int to) {
        for (int c = to - 1; c >= from; c--) {
            w[c] = w[c] - below[c] * w[c + line] - cell[c] * w[c + 1];
        }
    }

    private static void backwardTogether(
            final double[] w, final double[] cell, final double[] below, final int line, final int start) {
        final int b = start + line;
        final int c = b + line;
        final int d = c + line;
        final int last = line - 1;
        backwardCells(w, cell, below, line, d + last - 2, d + line);
        backwardCells(w, cell, below, line, c + last - 1, c + line);
        backwardCells(w, cell, below, line, b + last, b + line);
        double w0 = w[d + last - 2];
        double w1 = w[c + last - 1];
        double w2 = w[b + last];
        double w3 = 0;
        final int after = d + line;
        final int c1 = c + 1;
        final int b2 = b + 2;
        final int a3 = start + 3;
        for (int i = last - 3; i >= 0; i--) {
            final double n0 = w[d + i] - below[d + i] * w[after + i] - cell[d + i] * w0;
            final double n1 = w[c1 + i] - below[c1 + i] * w0 - cell[c1 + i] * w1;
            final double n2 = w[b2 + i] - below[b2 + i] * w1 - cell[b2 + i] * w2;
            final double n3 = w[a3 + i] - below[a3 + i] * w2 - cell[a3 + i] * w3;
            w[d + i] = n0;
            w[c1 + i] = n1;
            w[b2 + i] = n2;
            w[a3 + i] = n3;
            w0 = n0;
            w1 = n1;
            w2 = n2;
            w3 = n3;
        }
        backwardCells(w, cell, below, line, c, c + 1);
        backwardCells(w, cell, below, line, b, b + 2);
        backwardCells(w, cell, below, line, start, start + 3);
    }
}
