package org.parley.foam.blockmesh;

import java.util.Arrays;
import org.parley.foam.dictionary.Token;
import org.parley.foam.dictionary.Tokens;

/**
 * How an edge is divided: sections, each with a part of the length, a part of the cells, and the ratio of its last cell
 * to its first.
 */
record Grading(double[] lengths, double[] cells, double[] ratios) {
    /** A number, which is one section, or a list of sections {@code ((length cells ratio) ...)}. */
    static Grading read(final Tokens tokens) {
        if (tokens.peek().kind() == Token.Kind.NUMBER) {
            return new Grading(new double[] {1}, new double[] {1}, new double[] {ratio(tokens)});
        }
        final Token begin = tokens.peek();
        double[][] parts = new double[3][0];
        tokens.expect('(');
        while (!tokens.accept(')')) {
            final int count = parts[0].length;
            for (int i = 0; i < 3; i++) {
                parts[i] = Arrays.copyOf(parts[i], count + 1);
            }
            tokens.expect('(');
            parts[0][count] = tokens.number();
            parts[1][count] = tokens.number();
            if (!(parts[0][count] > 0 && parts[1][count] > 0)) {
                throw begin.error("a section of a grading needs a length and a number of cells of more than 0");
            }
            parts[2][count] = ratio(tokens);
            tokens.expect(')');
        }
        if (parts[0].length == 0) {
            throw begin.error("a grading has to have a section");
        }
        normalise(parts[0]);
        normalise(parts[1]);
        return new Grading(parts[0], parts[1], parts[2]);
    }

    /** A negative ratio is that of the first cell to the last. */
    private static double ratio(final Tokens tokens) {
        final Token token = tokens.peek();
        final double ratio = tokens.number();
        if (ratio == 0) {
            throw token.error("a ratio of cells cannot be 0");
        }
        return ratio < 0 ? 1 / -ratio : ratio;
    }

    private static void normalise(final double[] parts) {
        double sum = 0;
        for (final double part : parts) {
            sum += part;
        }
        for (int i = 0; i < parts.length; i++) {
            parts[i] /= sum;
        }
    }

    /** The same edge from its other end. */
    Grading inverse() {
        final int n = ratios.length;
        final Grading inverse = new Grading(new double[n], new double[n], new double[n]);
        for (int i = 0; i < n; i++) {
            inverse.lengths[i] = lengths[n - 1 - i];
            inverse.cells[i] = cells[n - 1 - i];
            inverse.ratios[i] = 1 / ratios[n - 1 - i];
        }
        return inverse;
    }

    /** Where the points of an edge of n cells are, 0 to 1: as OpenFOAM's lineDivide. */
    double[] divide(final int n) {
        final double[] at = new double[n + 1];
        at[n] = 1;
        if (n < ratios.length) {
            for (int i = 1; i < n; i++) {
                at[i] = (double) i / n;
            }
            return at;
        }
        final int[] counts = new int[ratios.length];
        int sum = 0;
        int largest = 0;
        for (int section = 0; section < counts.length; section++) {
            counts[section] = (int) (cells[section] * n + 0.5);
            sum += counts[section];
            largest = cells[section] > cells[largest] ? section : largest;
        }
        counts[largest] += n - sum;
        double begin = 0;
        int first = 1;
        for (int section = 0; section < counts.length; section++) {
            final int count = counts[section];
            final double factor = count > 1 ? Math.pow(ratios[section], 1.0 / (count - 1)) : 0;
            for (int i = 1; i <= count; i++) {
                at[first + i - 1] = ratios[section] == 1
                        ? begin + lengths[section] * i / count
                        : begin + lengths[section] * (1 - Math.pow(factor, i)) / (1 - Math.pow(factor, count));
            }
            first += count;
            begin = at[first - 1];
        }
        return at;
    }
}
