package org.parley.foam.decompose;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.Patch;

/**
 * A rank's part of a mesh: where its cells, faces, points and patches come from, in decomposePar's order. A face's
 * address is its label in the whole plus one, negative where the part sees it from the other side.
 */
final class Part {
    private final int rank;
    private final Ints cells = new Ints();
    private final Ints faces = new Ints();
    private int[] points;
    private int[] patchStarts;
    private int[] patchSizes;

    /** By the neighbour's rank, ascending. */
    private final Map<Integer, Border> borders = new TreeMap<>();

    /** The faces to one neighbour, in runs: of what were internal faces (patch -1), then of cyclic patches. */
    private static final class Border {
        final Ints faces = new Ints();
        final Ints patches = new Ints();
        final Ints starts = new Ints();

        void add(final int patch, final int address) {
            if (patches.size == 0 || patches.get(patches.size - 1) != patch) {
                patches.add(patch);
                starts.add(faces.size);
            }
            faces.add(address);
        }
    }

    /** A list of ints that grows. */
    private static final class Ints {
        private int[] values = new int[16];
        private int size;

        void add(final int value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, 2 * size);
            }
            values[size++] = value;
        }

        int get(final int i) {
            return values[i];
        }

        int[] array() {
            return Arrays.copyOf(values, size);
        }
    }

    private Part(final int rank) {
        this.rank = rank;
    }

    /** The parts of a mesh. */
    static List<Part> of(final Mesh mesh, final int[] rankOf, final int ranks) {
        final List<Part> parts = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            parts.add(new Part(rank));
        }
        for (int cell = 0; cell < rankOf.length; cell++) {
            parts.get(rankOf[cell]).cells.add(cell);
        }
        final int[] owner = mesh.owner();
        final int[] neighbour = mesh.neighbour();
        for (int face = 0; face < neighbour.length; face++) {
            final int own = rankOf[owner[face]];
            final int other = rankOf[neighbour[face]];
            if (own == other) {
                parts.get(own).faces.add(face + 1);
            } else {
                parts.get(own).border(other).add(-1, face + 1);
                parts.get(other).border(own).add(-1, -(face + 1));
            }
        }
        addPatches(mesh, rankOf, parts);
        // Two ranks may share both halves of a cyclic patch: what one sends first the other has to take first. Hence
        // the lower rank lists the owner's half before the neighbour's, the higher the other way round.
        addCyclics(mesh, rankOf, parts, true, true);
        addCyclics(mesh, rankOf, parts, false, true);
        addCyclics(mesh, rankOf, parts, false, false);
        addCyclics(mesh, rankOf, parts, true, false);
        parts.forEach(part -> part.close(mesh));
        return parts;
    }

    private Border border(final int other) {
        return borders.computeIfAbsent(other, key -> new Border());
    }

    private static void addPatches(final Mesh mesh, final int[] rankOf, final List<Part> parts) {
        final int count = mesh.patches().size();
        for (final Part part : parts) {
            part.patchStarts = new int[count];
            part.patchSizes = new int[count];
        }
        for (int i = 0; i < count; i++) {
            final Patch patch = mesh.patches().get(i);
            for (final Part part : parts) {
                part.patchStarts[i] = part.faces.size;
            }
            final int twin = patch.type() == Patch.Type.CYCLIC
                    ? mesh.patches().get(mesh.patch(patch.neighbour())).start()
                    : patch.start();
            for (int face = 0; face < patch.size(); face++) {
                final int own = rankOf[mesh.owner()[patch.start() + face]];
                if (own == rankOf[mesh.owner()[twin + face]]) {
                    parts.get(own).faces.add(patch.start() + face + 1);
                    parts.get(own).patchSizes[i]++;
                }
            }
        }
    }

    private static void addCyclics(
            final Mesh mesh,
            final int[] rankOf,
            final List<Part> parts,
            final boolean owners,
            final boolean ascending) {
        for (int i = 0; i < mesh.patches().size(); i++) {
            final Patch patch = mesh.patches().get(i);
            if (patch.type() != Patch.Type.CYCLIC) {
                continue;
            }
            final int other = mesh.patch(patch.neighbour());
            if (i < other != owners) {
                continue;
            }
            for (int face = 0; face < patch.size(); face++) {
                final int own = rankOf[mesh.owner()[patch.start() + face]];
                final int across = rankOf[mesh.owner()[mesh.patches().get(other).start() + face]];
                if (ascending ? own < across : own > across) {
                    parts.get(own).border(across).add(i, patch.start() + face + 1);
                }
            }
        }
    }

    private void close(final Mesh mesh) {
        for (final Border border : borders.values()) {
            border.starts.add(border.faces.size);
            for (int i = 0; i < border.faces.size; i++) {
                faces.add(border.faces.get(i));
            }
        }
        final boolean[] used = new boolean[mesh.points().length / 3];
        for (int i = 0; i < faces.size; i++) {
            final int face = Math.abs(faces.get(i)) - 1;
            for (int j = mesh.faceStarts()[face]; j < mesh.faceStarts()[face + 1]; j++) {
                used[mesh.faceVertices()[j]] = true;
            }
        }
        final Ints list = new Ints();
        for (int point = 0; point < used.length; point++) {
            if (used[point]) {
                list.add(point);
            }
        }
        points = list.array();
    }

    int rank() {
        return rank;
    }

    int[] cells() {
        return cells.array();
    }

    int[] faces() {
        return faces.array();
    }

    int[] points() {
        return points;
    }

    /** For each patch of the part its place in the whole mesh; -1 of a border. */
    int[] patches() {
        final Ints patches = new Ints();
        for (int i = 0; i < patchSizes.length; i++) {
            patches.add(i);
        }
        borders.values().forEach(border -> {
            for (int i = 0; i < border.patches.size; i++) {
                patches.add(-1);
            }
        });
        return patches.array();
    }

    /** The part as a mesh of its own. */
    Mesh mesh(final Mesh whole) {
        final int[] localPoint = inverse(points, whole.points().length / 3);
        final int[] localCell = inverse(cells.array(), whole.cells());
        final double[] coordinates = new double[3 * points.length];
        for (int i = 0; i < points.length; i++) {
            System.arraycopy(whole.points(), 3 * points[i], coordinates, 3 * i, 3);
        }
        final int internal = patchStarts.length > 0 ? patchStarts[0] : countInternal(whole);
        final int[] starts = new int[faces.size + 1];
        final Ints vertices = new Ints();
        final int[] owner = new int[faces.size];
        final int[] neighbour = new int[internal];
        for (int i = 0; i < faces.size; i++) {
            final int face = Math.abs(faces.get(i)) - 1;
            final boolean turned = faces.get(i) < 0;
            final int begin = whole.faceStarts()[face];
            final int end = whole.faceStarts()[face + 1];
            vertices.add(localPoint[whole.faceVertices()[begin]]);
            for (int j = 1; j < end - begin; j++) {
                vertices.add(localPoint[whole.faceVertices()[turned ? end - j : begin + j]]);
            }
            starts[i + 1] = vertices.size;
            owner[i] = localCell[turned ? whole.neighbour()[face] : whole.owner()[face]];
            if (i < internal) {
                neighbour[i] = localCell[whole.neighbour()[face]];
            }
        }
        return new Mesh(coordinates, starts, vertices.array(), owner, neighbour, localPatches(whole));
    }

    private int countInternal(final Mesh whole) {
        int count = 0;
        while (count < faces.size && faces.get(count) > 0 && faces.get(count) <= whole.internalFaces()) {
            count++;
        }
        return count;
    }

    private static int[] inverse(final int[] labels, final int count) {
        final int[] inverse = new int[count];
        Arrays.fill(inverse, -1);
        for (int i = 0; i < labels.length; i++) {
            inverse[labels[i]] = i;
        }
        return inverse;
    }

    private List<Patch> localPatches(final Mesh whole) {
        final List<Patch> patches = new ArrayList<>();
        int start = patchStarts.length > 0 ? patchStarts[0] : countInternal(whole);
        for (int i = 0; i < patchSizes.length; i++) {
            patches.add(whole.patches().get(i).at(patchStarts[i], patchSizes[i]));
            start = patchStarts[i] + patchSizes[i];
        }
        for (final Map.Entry<Integer, Border> entry : borders.entrySet()) {
            final Border border = entry.getValue();
            for (int i = 0; i < border.patches.size; i++) {
                final int patch = border.patches.get(i);
                final String through =
                        patch < 0 ? null : whole.patches().get(patch).name();
                final String name =
                        "procBoundary" + rank + "to" + entry.getKey() + (through == null ? "" : "through" + through);
                final Patch.Type type = through == null ? Patch.Type.PROCESSOR : Patch.Type.PROCESSOR_CYCLIC;
                final int size = border.starts.get(i + 1) - border.starts.get(i);
                patches.add(new Patch(name, type, 0, 0)
                        .between(through, rank, entry.getKey())
                        .at(start, size));
                start += size;
            }
        }
        return patches;
    }
}
