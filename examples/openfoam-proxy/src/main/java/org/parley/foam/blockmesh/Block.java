package org.parley.foam.blockmesh;

import java.util.List;
import org.parley.foam.dictionary.Token;
import org.parley.foam.dictionary.Tokens;

/** A block of ni by nj by nk cells: its eight vertices, its edges' gradings, and the points in it. */
final class Block {
    /** The faces of a hexahedron in OpenFOAM's order: i, j and k, each low and high, with normals outwards. */
    static final int[][] FACES = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};

    /** The twelve edges in OpenFOAM's order: four along i, four along j, four along k. */
    private static final int[][] EDGES = {
        {0, 1}, {3, 2}, {7, 6}, {4, 5}, {0, 3}, {1, 2}, {5, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}
    };

    private static final int MOST_CELLS = 1 << 28;

    final Token where;
    final int[] vertices;
    final int ni;
    final int nj;
    final int nk;
    private final Grading[] gradings = new Grading[12];

    /** {@code hex (0 1 2 3 4 5 6 7) zone (ni nj nk) simpleGrading (1 1 1)}. */
    Block(final Tokens tokens, final double[] points) {
        where = tokens.peek();
        final String shape = tokens.word();
        if (!shape.equals("hex")) {
            throw where.error("block '" + shape + "' is not supported, only hex is");
        }
        vertices = tokens.integers();
        checkVertices(points);
        if (tokens.peek().kind() == Token.Kind.WORD) {
            tokens.next();
        }
        final Token density = tokens.peek();
        final int[] cells =
                density.is('(') ? tokens.integers() : new int[] {tokens.integer(), tokens.integer(), tokens.integer()};
        if (cells.length != 3 || cells[0] < 1 || cells[1] < 1 || cells[2] < 1) {
            throw density.error("a block has three numbers of cells of 1 or more");
        }
        if ((double) cells[0] * cells[1] * cells[2] > MOST_CELLS) {
            throw density.error("a block of more than " + MOST_CELLS + " cells is not supported");
        }
        ni = cells[0];
        nj = cells[1];
        nk = cells[2];
        if (tokens.peek().kind() == Token.Kind.WORD) {
            final Token word = tokens.next();
            if (!word.text().equals("simpleGrading") && !word.text().equals("edgeGrading")) {
                throw word.error("grading " + word + " is unknown: simpleGrading and edgeGrading are known");
            }
        }
        final Token begin = tokens.peek();
        int count = 0;
        final Grading[] read = new Grading[13];
        tokens.expect('(');
        while (!tokens.accept(')') && count < 13) {
            read[count++] = Grading.read(tokens);
        }
        if (count != 1 && count != 3 && count != 12) {
            throw begin.error("a grading has 1, 3 or 12 ratios, here are " + count);
        }
        for (int edge = 0; edge < 12; edge++) {
            gradings[edge] = read[count == 12 ? edge : count == 3 ? edge / 4 : 0];
        }
    }

    private void checkVertices(final double[] points) {
        if (vertices.length != 8) {
            throw where.error("a hex has eight vertices, here are " + vertices.length);
        }
        for (int i = 0; i < 8; i++) {
            if (vertices[i] < 0 || vertices[i] >= points.length / 3) {
                throw where.error("there is no vertex " + vertices[i] + ": there are " + points.length / 3);
            }
            for (int j = 0; j < i; j++) {
                if (vertices[i] == vertices[j]) {
                    throw where.error("vertex " + vertices[i]
                            + " is there twice: collapsed blocks are not supported, only full hexahedra");
                }
            }
        }
        int outward = 0;
        for (final int[] face : FACES) {
            outward += isOutward(face, points) ? 1 : 0;
        }
        if (outward < 6) {
            throw where.error(
                    outward == 0
                            ? "the block is inside-out"
                            : "the block has " + (6 - outward) + " inward-pointing faces");
        }
    }

    private boolean isOutward(final int[] face, final double[] points) {
        final double[] out = new double[3];
        final double[] a = new double[3];
        final double[] b = new double[3];
        for (int i = 0; i < 3; i++) {
            for (final int vertex : face) {
                out[i] += points[3 * vertices[vertex] + i] / 4;
            }
            for (final int vertex : vertices) {
                out[i] -= points[3 * vertex + i] / 8;
            }
            a[i] = points[3 * vertices[face[2]] + i] - points[3 * vertices[face[0]] + i];
            b[i] = points[3 * vertices[face[3]] + i] - points[3 * vertices[face[1]] + i];
        }
        final double x = a[1] * b[2] - a[2] * b[1];
        final double y = a[2] * b[0] - a[0] * b[2];
        final double z = a[0] * b[1] - a[1] * b[0];
        return Math.sqrt(x * x + y * y + z * z) / 2 <= 1e-15 || out[0] * x + out[1] * y + out[2] * z > 0;
    }

    int cells() {
        return ni * nj * nk;
    }

    int pointCount() {
        return (ni + 1) * (nj + 1) * (nk + 1);
    }

    int point(final int i, final int j, final int k) {
        return i + (ni + 1) * (j + (nj + 1) * k);
    }

    int cell(final int i, final int j, final int k) {
        return i + ni * (j + nj * k);
    }

    /** The size of a face along the directions that {@link #cellAt} and {@link #pointAt} count. */
    int[] faceSize(final int face) {
        return switch (face / 2) {
            case 0 -> new int[] {nj, nk};
            case 1 -> new int[] {ni, nk};
            default -> new int[] {ni, nj};
        };
    }

    int pointAt(final int face, final int a, final int b) {
        return switch (face) {
            case 0 -> point(0, a, b);
            case 1 -> point(ni, a, b);
            case 2 -> point(a, 0, b);
            case 3 -> point(a, nj, b);
            case 4 -> point(a, b, 0);
            default -> point(a, b, nk);
        };
    }

    int cellAt(final int face, final int a, final int b) {
        return switch (face) {
            case 0 -> cell(0, a, b);
            case 1 -> cell(ni - 1, a, b);
            case 2 -> cell(a, 0, b);
            case 3 -> cell(a, nj - 1, b);
            case 4 -> cell(a, b, 0);
            default -> cell(a, b, nk - 1);
        };
    }

    /** The points by transfinite interpolation from the edges, as OpenFOAM weighs them. */
    double[] points(final double[] vertexPoints, final List<Curve> curves) {
        final double[][] w = new double[12][];
        final double[][][] p = new double[12][][];
        final boolean curved = divideEdges(vertexPoints, curves, w, p);
        final double[][] v = new double[8][3];
        for (int i = 0; i < 8; i++) {
            System.arraycopy(vertexPoints, 3 * vertices[i], v[i], 0, 3);
        }
        final double[] points = new double[3 * pointCount()];
        final double[] weights = new double[12];
        for (int k = 0; k <= nk; k++) {
            for (int j = 0; j <= nj; j++) {
                for (int i = 0; i <= ni; i++) {
                    final int at = 3 * point(i, j, k);
                    final int corner = corner(i, j, k);
                    if (corner >= 0) {
                        System.arraycopy(v[corner], 0, points, at, 3);
                        continue;
                    }
                    weigh(w, i, j, k, weights);
                    for (int d = 0; d < 3; d++) {
                        points[at + d] = blend(w, p, v, weights, i, j, k, d, curved);
                    }
                }
            }
        }
        return points;
    }

    private int corner(final int i, final int j, final int k) {
        if (i != 0 && i != ni || j != 0 && j != nj || k != 0 && k != nk) {
            return -1;
        }
        return (k == 0 ? 0 : 4) + (j == 0 ? i == 0 ? 0 : 1 : i == 0 ? 3 : 2);
    }

    private static double blend(
            final double[][] w,
            final double[][][] p,
            final double[][] v,
            final double[] weights,
            final int i,
            final int j,
            final int k,
            final int d,
            final boolean curved) {
        double sum = 0;
        double correction = 0;
        for (int edge = 0; edge < 12; edge++) {
            final int n = edge < 4 ? i : edge < 8 ? j : k;
            final double from = v[EDGES[edge][0]][d];
            final double straight = from + (v[EDGES[edge][1]][d] - from) * w[edge][n];
            sum += weights[edge] * straight;
            if (curved) {
                correction += weights[edge] * (p[edge][n][d] - straight);
            }
        }
        return curved ? sum / 3 + correction : sum / 3;
    }

    private static void weigh(final double[][] w, final int i, final int j, final int k, final double[] weights) {
        final double w0 = w[0][i];
        final double w1 = w[1][i];
        final double w2 = w[2][i];
        final double w3 = w[3][i];
        final double w4 = w[4][j];
        final double w5 = w[5][j];
        final double w6 = w[6][j];
        final double w7 = w[7][j];
        final double w8 = w[8][k];
        final double w9 = w[9][k];
        final double w10 = w[10][k];
        final double w11 = w[11][k];
        weights[0] = (1 - w0) * (1 - w4) * (1 - w8) + w0 * (1 - w5) * (1 - w9);
        weights[1] = (1 - w1) * w4 * (1 - w11) + w1 * w5 * (1 - w10);
        weights[2] = (1 - w2) * w7 * w11 + w2 * w6 * w10;
        weights[3] = (1 - w3) * (1 - w7) * w8 + w3 * (1 - w6) * w9;
        weights[4] = (1 - w4) * (1 - w0) * (1 - w8) + w4 * (1 - w1) * (1 - w11);
        weights[5] = (1 - w5) * w0 * (1 - w9) + w5 * w1 * (1 - w10);
        weights[6] = (1 - w6) * w3 * w9 + w6 * w2 * w10;
        weights[7] = (1 - w7) * (1 - w3) * w8 + w7 * (1 - w2) * w11;
        weights[8] = (1 - w8) * (1 - w0) * (1 - w4) + w8 * (1 - w3) * (1 - w7);
        weights[9] = (1 - w9) * w0 * (1 - w5) + w9 * w3 * (1 - w6);
        weights[10] = (1 - w10) * w1 * w5 + w10 * w2 * w6;
        weights[11] = (1 - w11) * (1 - w1) * w4 + w11 * (1 - w2) * w7;
        for (int direction = 0; direction < 12; direction += 4) {
            final double sum =
                    weights[direction] + weights[direction + 1] + weights[direction + 2] + weights[direction + 3];
            for (int edge = direction; edge < direction + 4; edge++) {
                weights[edge] /= sum;
            }
        }
    }

    private boolean divideEdges(
            final double[] vertexPoints, final List<Curve> curves, final double[][] w, final double[][][] p) {
        boolean curved = false;
        for (int edge = 0; edge < 12; edge++) {
            final int n = edge < 4 ? ni : edge < 8 ? nj : nk;
            final int start = vertices[EDGES[edge][0]];
            final int end = vertices[EDGES[edge][1]];
            Curve curve = null;
            for (final Curve one : curves) {
                if (one.start == start && one.end == end || one.start == end && one.end == start) {
                    curve = one;
                    break;
                }
            }
            p[edge] = new double[n + 1][3];
            final boolean same = curve == null || curve.start == start;
            final double[] at = (same ? gradings[edge] : gradings[edge].inverse()).divide(n);
            w[edge] = new double[n + 1];
            for (int i = 0; i <= n; i++) {
                final int from = same ? i : n - i;
                w[edge][i] = same ? at[i] : 1 - at[from];
                if (curve != null) {
                    p[edge][i] = curve.position(at[from]);
                    continue;
                }
                for (int d = 0; d < 3; d++) {
                    final double first = vertexPoints[3 * start + d];
                    p[edge][i][d] = first + at[i] * (vertexPoints[3 * end + d] - first);
                }
            }
            curved |= curve != null;
        }
        return curved;
    }
}
