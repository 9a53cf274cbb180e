package org.parley.foam.decompose;

import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.Tokens;
import org.parley.foam.mesh.Mesh;

/**
 * Which rank has which cell, by decomposeParDict: simple and hierarchical as OpenFOAM has them, and coordinateBisection,
 * which needs no coefficients: it halves the cells, again and again, across the longest side of what they fill.
 */
final class Method {
    private final Mesh mesh;
    private final int ranks;
    private final int[] rankOf;

    private Method(final Mesh mesh, final int ranks) {
        this.mesh = mesh;
        this.ranks = ranks;
        this.rankOf = new int[mesh.cells()];
    }

    /** A rank for each cell; by coordinateBisection where {@code dict} is null. */
    static int[] assign(final Mesh mesh, final int ranks, final Dictionary dict) {
        final Method method = new Method(mesh, ranks);
        final String name = dict == null ? "coordinateBisection" : dict.word("method");
        switch (name) {
            case "simple" -> method.simple(coefficients(dict, name));
            case "hierarchical" -> method.hierarchical(coefficients(dict, name));
            case "coordinateBisection" -> method.bisect(identity(mesh.cells()), 0, mesh.cells(), 0, ranks);
            default ->
                throw dict.error(
                        "method",
                        "method '" + name + "' is not supported: simple, hierarchical and coordinateBisection are");
        }
        return method.rankOf;
    }

    private static Dictionary coefficients(final Dictionary dict, final String name) {
        return dict.dictionary(dict.has(name + "Coeffs") || !dict.has("coeffs") ? name + "Coeffs" : "coeffs");
    }

    private static int[] identity(final int n) {
        final int[] identity = new int[n];
        for (int i = 0; i < n; i++) {
            identity[i] = i;
        }
        return identity;
    }

    private int[] divisions(final Dictionary coefficients) {
        final Tokens tokens = coefficients.tokens("n");
        final int[] n = tokens.integers();
        tokens.expectEnd();
        if (n.length != 3 || n[0] < 1 || n[1] < 1 || n[2] < 1 || (long) n[0] * n[1] * n[2] != ranks) {
            throw coefficients.error("n", "n has to be three numbers whose product is numberOfSubdomains " + ranks);
        }
        return n;
    }

    /** Cell centres in axes that are turned a little, so that no two cells of a regular mesh tie. */
    private double[] turned(final Dictionary coefficients) {
        final double a = coefficients.number("delta", 0.001);
        final double d = 1 - 0.5 * a * a;
        final double a2 = a * a;
        final double d2 = d * d;
        final double[] t = {d2, -a * d, a, a * d - a2 * d, a * a2 + d2, -2 * a * d, a * d2 + a2, a * d - a2 * d, d2 - a2
        };
        final double[] c = mesh.cellCentres();
        final double[] turned = new double[c.length];
        for (int i = 0; i < c.length; i += 3) {
            for (int row = 0; row < 3; row++) {
                turned[i + row] = t[3 * row] * c[i] + t[3 * row + 1] * c[i + 1] + t[3 * row + 2] * c[i + 2];
            }
        }
        return turned;
    }

    private void simple(final Dictionary coefficients) {
        final int[] n = divisions(coefficients);
        final double[] points = turned(coefficients);
        final int[] order = identity(mesh.cells());
        int factor = 1;
        for (int direction = 0; direction < 3; direction++) {
            sort(order, 0, order.length, points, direction);
            final int each = order.length / n[direction];
            final int larger = order.length - each * n[direction];
            int at = 0;
            for (int group = 0; group < n[direction]; group++) {
                for (int i = group < larger ? -1 : 0; i < each; i++) {
                    rankOf[order[at++]] += factor * group;
                }
            }
            factor *= n[direction];
        }
    }

    private void hierarchical(final Dictionary coefficients) {
        final int[] n = divisions(coefficients);
        final String order = coefficients.word("order", "xyz");
        if (!order.matches("[xyz]{3}")) {
            throw coefficients.error("order", "order '" + order + "' has to be three of the letters x, y, z");
        }
        final int[] directions = {order.charAt(0) - 'x', order.charAt(1) - 'x', order.charAt(2) - 'x'};
        slice(identity(mesh.cells()), 0, mesh.cells(), turned(coefficients), n, directions, 0, 1);
    }

    private void slice(
            final int[] order,
            final int from,
            final int to,
            final double[] points,
            final int[] n,
            final int[] directions,
            final int level,
            final int factor) {
        if (level == 3) {
            return;
        }
        final int direction = directions[level];
        sort(order, from, to, points, direction);
        int begin = from;
        for (int bin = 0; bin < n[direction]; bin++) {
            final int end = bin == n[direction] - 1 ? to : begin + (to - from) / n[direction];
            for (int i = begin; i < end; i++) {
                rankOf[order[i]] += bin * factor;
            }
            slice(order, begin, end, points, n, directions, level + 1, factor * n[direction]);
            begin = end;
        }
    }

    private void bisect(final int[] order, final int from, final int to, final int firstRank, final int count) {
        if (count == 1) {
            for (int i = from; i < to; i++) {
                rankOf[order[i]] = firstRank;
            }
            return;
        }
        final double[] centres = mesh.cellCentres();
        int widest = 0;
        double width = -1;
        for (int direction = 0; direction < 3; direction++) {
            double low = Double.POSITIVE_INFINITY;
            double high = Double.NEGATIVE_INFINITY;
            for (int i = from; i < to; i++) {
                low = Math.min(low, centres[3 * order[i] + direction]);
                high = Math.max(high, centres[3 * order[i] + direction]);
            }
            // A side longer by rounding alone is not longer.
            if (high - low > width * (1 + 1e-9)) {
                width = high - low;
                widest = direction;
            }
        }
        sort(order, from, to, centres, widest);
        final int half = count / 2;
        final int middle = from + (int) ((long) (to - from) * half / count);
        bisect(order, from, middle, firstRank, half);
        bisect(order, middle, to, firstRank + half, count - half);
    }

    /** Merge sort: equal ones keep their order. */
    private static void sort(
            final int[] order, final int from, final int to, final double[] points, final int direction) {
        final int[] other = order.clone();
        merge(other, order, from, to, points, direction);
    }

    private static void merge(
            final int[] source,
            final int[] target,
            final int from,
            final int to,
            final double[] points,
            final int direction) {
        if (to - from < 2) {
            return;
        }
        final int middle = (from + to) >>> 1;
        merge(target, source, from, middle, points, direction);
        merge(target, source, middle, to, points, direction);
        int left = from;
        int right = middle;
        for (int i = from; i < to; i++) {
            final boolean takeLeft = right == to
                    || left < middle && points[3 * source[left] + direction] <= points[3 * source[right] + direction];
            target[i] = takeLeft ? source[left++] : source[right++];
        }
    }
}
