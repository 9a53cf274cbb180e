package org.parley.foam.blockmesh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.Token;
import org.parley.foam.dictionary.Tokens;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.Patch;

/**
 * A mesh from blockMeshDict. Points, faces and cells have the labels that OpenFOAM's blockMesh gives them. Not here:
 * collapsed blocks, projections to geometry, named vertices and blocks, mergePatchPairs.
 */
public final class BlockMesh {
    private final Dictionary dict;
    private final List<Block> blocks = new ArrayList<>();
    private final List<double[]> blockPoints = new ArrayList<>();
    private int[] pointOffsets;
    private int[] cellOffsets;
    /** For each cell and each of its six faces the cell behind it; -1 where there is none. */
    private int[] behind;
    /** For each point of each block: first an equal one of lower label or itself, then its label in the mesh. */
    private int[] merged;

    private BlockMesh(final Dictionary dict) {
        this.dict = dict;
    }

    /**
     * Makes the mesh.
     *
     * @param dict system/blockMeshDict.
     * @return the mesh.
     */
    public static Mesh create(final Dictionary dict) {
        return new BlockMesh(dict).create();
    }

    private Mesh create() {
        for (final String keyword :
                new String[] {"mergePatchPairs", "geometry", "faces", "namedVertices", "namedBlocks"}) {
            refuse(keyword);
        }
        final double[] vertices = readVertices();
        final List<Curve> curves = readEdges(vertices);
        readBlocks(vertices);
        for (final Block block : blocks) {
            blockPoints.add(block.points(vertices, curves));
        }
        joinCells();
        final Map<String, int[]> faces = blockFaces();
        for (final int[] pair : faces.values()) {
            if (pair.length == 2) {
                glue(pair[0] / 6, pair[0] % 6, pair[1] / 6, pair[1] % 6);
            }
        }
        return assemble(new BlockPatches(dict, blocks, faces, vertices.length / 3).read());
    }

    private void refuse(final String keyword) {
        if (dict.isDictionary(keyword)) {
            if (!dict.dictionary(keyword).keywords().isEmpty()) {
                throw dict.error(keyword, "'" + keyword + "' is not supported");
            }
        } else if (dict.has(keyword)) {
            final Tokens tokens = dict.tokens(keyword);
            final Token begin = tokens.peek();
            tokens.expect('(');
            if (!tokens.accept(')')) {
                throw begin.error("'" + keyword + "' is not supported");
            }
        }
    }

    private double[] readVertices() {
        final Tokens tokens = dict.tokens("vertices");
        if (tokens.peek().is('(') || tokens.peek().kind() == Token.Kind.NUMBER) {
            final double[] vertices = tokens.numbers(3);
            tokens.expectEnd();
            return vertices;
        }
        throw tokens.unexpected("a list of points");
    }

    private List<Curve> readEdges(final double[] vertices) {
        final List<Curve> curves = new ArrayList<>();
        if (!dict.has("edges")) {
            return curves;
        }
        final Tokens tokens = dict.tokens("edges");
        beginList(tokens);
        while (!tokens.accept(')')) {
            curves.add(Curve.read(tokens, vertices));
        }
        tokens.expectEnd();
        return curves;
    }

    private void readBlocks(final double[] vertices) {
        final Tokens tokens = dict.tokens("blocks");
        final Token begin = tokens.peek();
        beginList(tokens);
        while (!tokens.accept(')')) {
            blocks.add(new Block(tokens, vertices));
        }
        tokens.expectEnd();
        pointOffsets = new int[blocks.size() + 1];
        cellOffsets = new int[blocks.size() + 1];
        long points = 0;
        for (int i = 0; i < blocks.size(); i++) {
            points += blocks.get(i).pointCount();
            if (points > Integer.MAX_VALUE / 8) {
                throw begin.error("a mesh of more than " + Integer.MAX_VALUE / 8 + " points is not supported");
            }
            pointOffsets[i + 1] = (int) points;
            cellOffsets[i + 1] = cellOffsets[i] + blocks.get(i).cells();
        }
        if (blocks.isEmpty()) {
            throw begin.error("there has to be a block");
        }
        merged = new int[pointOffsets[blocks.size()]];
        for (int i = 0; i < merged.length; i++) {
            merged[i] = i;
        }
    }

    static void beginList(final Tokens tokens) {
        if (tokens.peek().kind() == Token.Kind.NUMBER) {
            tokens.next();
        }
        tokens.expect('(');
    }

    private void joinCells() {
        behind = new int[6 * cellOffsets[blocks.size()]];
        Arrays.fill(behind, -1);
        for (int b = 0; b < blocks.size(); b++) {
            final Block block = blocks.get(b);
            for (int k = 0; k < block.nk; k++) {
                for (int j = 0; j < block.nj; j++) {
                    for (int i = 0; i < block.ni; i++) {
                        final int cell = cellOffsets[b] + block.cell(i, j, k);
                        join(i + 1 < block.ni, cell, 0, cell + 1);
                        join(j + 1 < block.nj, cell, 2, cell + block.ni);
                        join(k + 1 < block.nk, cell, 4, cell + block.ni * block.nj);
                    }
                }
            }
        }
    }

    private void join(final boolean inside, final int cell, final int low, final int next) {
        if (inside) {
            behind[6 * cell + low + 1] = next;
            behind[6 * next + low] = cell;
        }
    }

    /** The faces of all blocks, 6 * block + face, by their vertices: two where blocks touch. */
    private Map<String, int[]> blockFaces() {
        final Map<String, int[]> faces = new HashMap<>();
        for (int b = 0; b < blocks.size(); b++) {
            for (int f = 0; f < 6; f++) {
                final int[] corners = new int[4];
                for (int i = 0; i < 4; i++) {
                    corners[i] = blocks.get(b).vertices[Block.FACES[f][i]];
                }
                final String key = BlockPatches.key(corners);
                final int[] old = faces.get(key);
                if (old != null && old.length == 2) {
                    throw blocks.get(b).where.error("three blocks share the face of vertices " + key);
                }
                faces.put(key, old == null ? new int[] {6 * b + f} : new int[] {old[0], 6 * b + f});
            }
        }
        return faces;
    }

    /** Merges the points of two blocks' common face, and makes its cells neighbours. */
    private void glue(final int p, final int pf, final int n, final int nf) {
        final Block first = blocks.get(p);
        final Block second = blocks.get(n);
        final int[] size = first.faceSize(pf);
        final int[] other = second.faceSize(nf);
        final int[] origin = place(second, nf, corner(first, pf, 0, 0));
        final int[] alongA = place(second, nf, corner(first, pf, 1, 0));
        final int[] alongB = place(second, nf, corner(first, pf, 0, 1));
        final int[] da = {alongA[0] - origin[0], alongA[1] - origin[1]};
        final int[] db = {alongB[0] - origin[0], alongB[1] - origin[1]};
        final boolean straight = da[0] != 0;
        if (size[0] != other[straight ? 0 : 1] || size[1] != other[straight ? 1 : 0]) {
            throw second.where.error("block " + n + " and block " + p + " divide their common face into different"
                    + " numbers of cells: " + size[0] + " by " + size[1] + " and " + other[straight ? 0 : 1] + " by "
                    + other[straight ? 1 : 0]);
        }
        final double[] firstPoints = blockPoints.get(p);
        final double[] secondPoints = blockPoints.get(n);
        final double tolerance = smallest(first, firstPoints, pf, size) / 10;
        for (int a = 0; a <= size[0]; a++) {
            for (int b = 0; b <= size[1]; b++) {
                final int one = first.pointAt(pf, a, b);
                final int two = second.pointAt(
                        nf, origin[0] * other[0] + da[0] * a + db[0] * b, origin[1] * other[1] + da[1] * a + db[1] * b);
                if (squareDistance(firstPoints, one, secondPoints, two) >= tolerance) {
                    throw second.where.error("the points of block " + n + " and block " + p
                            + " on their common face differ: their gradings do not fit");
                }
                union(pointOffsets[p] + one, pointOffsets[n] + two);
            }
        }
        for (int a = 0; a < size[0]; a++) {
            for (int b = 0; b < size[1]; b++) {
                final int x = origin[0] * (other[0] - 1) + da[0] * a + db[0] * b;
                final int y = origin[1] * (other[1] - 1) + da[1] * a + db[1] * b;
                final int one = cellOffsets[p] + first.cellAt(pf, a, b);
                final int two = cellOffsets[n] + second.cellAt(nf, x, y);
                behind[6 * one + pf] = two;
                behind[6 * two + nf] = one;
            }
        }
    }

    private static int corner(final Block block, final int face, final int a, final int b) {
        final int i = face / 2 == 0 ? face % 2 : a;
        final int j = face / 2 == 0 ? a : face / 2 == 1 ? face % 2 : b;
        final int k = face / 2 == 2 ? face % 2 : b;
        return block.vertices[4 * k + (j == 0 ? i : 3 - i)];
    }

    private static int[] place(final Block block, final int face, final int vertex) {
        for (int corner = 0; corner < 4; corner++) {
            if (corner(block, face, corner / 2, corner % 2) == vertex) {
                return new int[] {corner / 2, corner % 2};
            }
        }
        throw new IllegalStateException("vertex " + vertex);
    }

    private static double smallest(final Block block, final double[] points, final int face, final int[] size) {
        double smallest = Double.MAX_VALUE;
        for (int a = 0; a < size[0]; a++) {
            for (int b = 0; b < size[1]; b++) {
                final int[] quad = {
                    block.pointAt(face, a, b),
                    block.pointAt(face, a + 1, b),
                    block.pointAt(face, a + 1, b + 1),
                    block.pointAt(face, a, b + 1)
                };
                for (int i = 0; i < 4; i++) {
                    for (int j = 0; j < i; j++) {
                        smallest = Math.min(smallest, squareDistance(points, quad[i], points, quad[j]));
                    }
                }
            }
        }
        return smallest;
    }

    private static double squareDistance(final double[] p, final int i, final double[] q, final int j) {
        final double x = p[3 * i] - q[3 * j];
        final double y = p[3 * i + 1] - q[3 * j + 1];
        final double z = p[3 * i + 2] - q[3 * j + 2];
        return x * x + y * y + z * z;
    }

    private int root(final int point) {
        int at = point;
        while (merged[at] != at) {
            merged[at] = merged[merged[at]];
            at = merged[at];
        }
        return at;
    }

    private void union(final int one, final int two) {
        final int a = root(one);
        final int b = root(two);
        merged[Math.max(a, b)] = Math.min(a, b);
    }

    private Mesh assemble(final List<BlockPatches.Faces> patches) {
        final double[] points = numberPoints();
        final int cells = cellOffsets[blocks.size()];
        final int[] cornersOf = cellCorners();
        int internal = 0;
        int all = 0;
        for (int i = 0; i < behind.length; i++) {
            internal += behind[i] > i / 6 ? 1 : 0;
            all += behind[i] > i / 6 || behind[i] < 0 ? 1 : 0;
        }
        final int[] vertices = new int[4 * all];
        final int[] owner = new int[all];
        final int[] neighbour = new int[internal];
        int face = 0;
        for (int cell = 0; cell < cells; cell++) {
            // In the order of the neighbours' labels: upper-triangular order.
            for (int last = cell; ; ) {
                int next = -1;
                for (int f = 0; f < 6; f++) {
                    final int other = behind[6 * cell + f];
                    if (other > last && (next < 0 || other < behind[6 * cell + next])) {
                        next = f;
                    }
                }
                if (next < 0) {
                    break;
                }
                last = behind[6 * cell + next];
                owner[face] = cell;
                neighbour[face] = last;
                putFace(vertices, face++, cornersOf, cell, next);
            }
        }
        final List<Patch> made = new ArrayList<>();
        for (final BlockPatches.Faces patch : patches) {
            final int start = face;
            for (final int blockFace : patch.blockFaces()) {
                face = addBoundary(blockFace / 6, blockFace % 6, vertices, owner, cornersOf, face);
            }
            made.add(patch.patch().at(start, face - start));
        }
        final int[] starts = new int[all + 1];
        for (int i = 0; i <= all; i++) {
            starts[i] = 4 * i;
        }
        checkCyclics(made);
        return new Mesh(points, starts, vertices, owner, neighbour, made);
    }

    private void checkCyclics(final List<Patch> patches) {
        for (final Patch patch : patches) {
            for (final Patch other : patches) {
                if (other.name().equals(patch.neighbour()) && other.size() != patch.size()) {
                    throw dict.error(
                            "boundary",
                            "cyclic patches '" + patch.name() + "' and '" + other.name() + "' have " + patch.size()
                                    + " and " + other.size() + " faces");
                }
            }
        }
    }

    private int addBoundary(
            final int b, final int f, final int[] vertices, final int[] owner, final int[] cornersOf, final int from) {
        final Block block = blocks.get(b);
        final int[] size = block.faceSize(f);
        int face = from;
        // blockMesh goes along the other direction first on faces of i than on those of j and k.
        final boolean swap = f < 2;
        for (int x = 0; x < size[swap ? 1 : 0]; x++) {
            for (int y = 0; y < size[swap ? 0 : 1]; y++) {
                final int cell = cellOffsets[b] + block.cellAt(f, swap ? y : x, swap ? x : y);
                owner[face] = cell;
                putFace(vertices, face++, cornersOf, cell, f);
            }
        }
        return face;
    }

    private static void putFace(
            final int[] vertices, final int face, final int[] cornersOf, final int cell, final int f) {
        for (int i = 0; i < 4; i++) {
            vertices[4 * face + i] = cornersOf[8 * cell + Block.FACES[f][i]];
        }
    }

    private double[] numberPoints() {
        int count = 0;
        final int[] labels = new int[merged.length];
        for (int i = 0; i < merged.length; i++) {
            final int root = root(i);
            labels[i] = root == i ? count++ : labels[root];
        }
        merged = labels;
        double scale = dict.number("convertToMeters", dict.number("scale", 1));
        if (scale <= 0) {
            scale = 1;
        }
        final double[] points = new double[3 * count];
        for (int b = 0; b < blocks.size(); b++) {
            final double[] own = blockPoints.get(b);
            for (int i = 0; i < own.length; i++) {
                points[3 * labels[pointOffsets[b] + i / 3] + i % 3] = scale * own[i];
            }
        }
        return points;
    }

    private int[] cellCorners() {
        final int[] corners = new int[8 * cellOffsets[blocks.size()]];
        for (int b = 0; b < blocks.size(); b++) {
            final Block block = blocks.get(b);
            for (int k = 0; k < block.nk; k++) {
                for (int j = 0; j < block.nj; j++) {
                    for (int i = 0; i < block.ni; i++) {
                        final int at = 8 * (cellOffsets[b] + block.cell(i, j, k));
                        for (int corner = 0; corner < 8; corner++) {
                            final int dj = corner % 4 / 2;
                            final int di = dj == 0 ? corner % 4 : 3 - corner % 4;
                            corners[at + corner] =
                                    merged[pointOffsets[b] + block.point(i + di, j + dj, k + corner / 4)];
                        }
                    }
                }
            }
        }
        return corners;
    }
}
