package org.parley.foam.blockmesh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.Token;
import org.parley.foam.dictionary.Tokens;
import org.parley.foam.mesh.Patch;

/** The patches of blockMeshDict, of its list {@code boundary} or of the older one {@code patches}. */
final class BlockPatches {
    /** A patch without its place, and the block faces (6 * block + face) that it is made of. */
    record Faces(Patch patch, int[] blockFaces) {}

    private final Dictionary dict;
    private final List<Block> blocks;
    private final Map<String, int[]> faces;
    private final int vertices;
    private final Set<Integer> taken = new HashSet<>();
    private final List<Faces> patches = new ArrayList<>();

    BlockPatches(final Dictionary dict, final List<Block> blocks, final Map<String, int[]> faces, final int vertices) {
        this.dict = dict;
        this.blocks = blocks;
        this.faces = faces;
        this.vertices = vertices;
    }

    List<Faces> read() {
        if (dict.has("patches")) {
            readOld();
        } else if (dict.has("boundary")) {
            readBoundary();
        } else {
            throw dict.error("boundary", "entry 'boundary' is missing");
        }
        for (final Faces one : patches) {
            final Patch patch = one.patch();
            if (patch.neighbour() == null) {
                continue;
            }
            final boolean found = patches.stream()
                    .map(Faces::patch)
                    .anyMatch(other -> other.name().equals(patch.neighbour())
                            && patch.name().equals(other.neighbour()));
            if (!found) {
                throw patch.dictionary()
                        .error(
                                "neighbourPatch",
                                "patch '" + patch.name() + "': there is no cyclic patch '" + patch.neighbour()
                                        + "' whose neighbourPatch it is");
            }
        }
        addDefault();
        return patches;
    }

    private void readBoundary() {
        final Tokens tokens = dict.tokens("boundary");
        BlockMesh.beginList(tokens);
        while (!tokens.accept(')')) {
            final Token name = tokens.peek();
            tokens.text();
            tokens.expect('{');
            final Dictionary entries = tokens.dictionary(name.text(), dict);
            final Tokens list = entries.tokens("faces");
            final int[] blockFaces = readFaces(list, name.text());
            list.expectEnd();
            entries.remove("faces");
            final Patch.Type type = type(entries.tokens("type").peek(), entries.word("type"), name.text());
            final String neighbour = type == Patch.Type.CYCLIC ? entries.word("neighbourPatch") : null;
            add(name, new Patch(name.text(), type, 0, 0, neighbour, -1, -1, entries), blockFaces);
        }
        tokens.expectEnd();
    }

    private void readOld() {
        final Tokens tokens = dict.tokens("patches");
        BlockMesh.beginList(tokens);
        while (!tokens.accept(')')) {
            final Token word = tokens.peek();
            final Patch.Type type = type(word, tokens.word(), "of the list 'patches'");
            if (type == Patch.Type.CYCLIC) {
                throw word.error("a cyclic patch in the list 'patches' is not supported: use the list 'boundary'");
            }
            final Token name = tokens.peek();
            tokens.text();
            add(name, new Patch(name.text(), type, 0, 0), readFaces(tokens, name.text()));
        }
        tokens.expectEnd();
    }

    private static Patch.Type type(final Token where, final String word, final String patch) {
        final Patch.Type type = Patch.Type.of(word);
        if (type == null || type == Patch.Type.PROCESSOR || type == Patch.Type.PROCESSOR_CYCLIC) {
            throw where.error("patch '" + patch + "': type '" + word + "' is not supported: patch, wall, empty,"
                    + " symmetryPlane, symmetry and cyclic are");
        }
        return type;
    }

    private void add(final Token name, final Patch patch, final int[] blockFaces) {
        if (patches.stream().anyMatch(one -> one.patch().name().equals(patch.name()))) {
            throw name.error("patch '" + patch.name() + "' is there twice");
        }
        patches.add(new Faces(patch, blockFaces));
    }

    /** {@code ((0 4 7 3) ...)}, by vertices, or by block and face {@code ((0 1) ...)}. */
    private int[] readFaces(final Tokens tokens, final String patch) {
        int[] blockFaces = new int[0];
        BlockMesh.beginList(tokens);
        while (!tokens.accept(')')) {
            final Token where = tokens.peek();
            final int[] labels = tokens.integers();
            final int face = labels.length == 2 ? byNumber(labels, where) : byVertices(labels, where, patch);
            if (!taken.add(face)) {
                throw where.error("the face " + Arrays.toString(labels) + " belongs to a patch already");
            }
            blockFaces = Arrays.copyOf(blockFaces, blockFaces.length + 1);
            blockFaces[blockFaces.length - 1] = face;
        }
        return blockFaces;
    }

    private int byNumber(final int[] labels, final Token where) {
        if (labels[0] < 0 || labels[0] >= blocks.size() || labels[1] < 0 || labels[1] >= 6) {
            throw where.error("there is no block " + labels[0] + " with a face " + labels[1]);
        }
        final int face = 6 * labels[0] + labels[1];
        for (final int[] pair : faces.values()) {
            if (pair.length == 2 && (pair[0] == face || pair[1] == face)) {
                throw where.error("face " + labels[1] + " of block " + labels[0] + " lies between two blocks");
            }
        }
        return face;
    }

    private int byVertices(final int[] labels, final Token where, final String patch) {
        for (final int vertex : labels) {
            if (vertex < 0 || vertex >= vertices) {
                throw where.error("patch '" + patch + "': there is no vertex " + vertex + ": there are " + vertices);
            }
        }
        final int[] found = faces.get(key(labels));
        if (found == null) {
            throw where.error("patch '" + patch + "': " + Arrays.toString(labels) + " is no face of a block");
        }
        if (found.length == 2) {
            throw where.error("patch '" + patch + "': " + Arrays.toString(labels) + " lies between two blocks");
        }
        return found[0];
    }

    /** What belongs to no patch becomes one of its own, as blockMesh has it. */
    private void addDefault() {
        int[] rest = new int[0];
        final Set<Integer> inside = new HashSet<>();
        for (final int[] pair : faces.values()) {
            if (pair.length == 2) {
                inside.add(pair[0]);
                inside.add(pair[1]);
            }
        }
        for (int face = 0; face < 6 * blocks.size(); face++) {
            if (!taken.contains(face) && !inside.contains(face)) {
                rest = Arrays.copyOf(rest, rest.length + 1);
                rest[rest.length - 1] = face;
            }
        }
        if (rest.length == 0) {
            return;
        }
        final Dictionary entries = dict.dictionaryOrEmpty("defaultPatch");
        final String name = entries.word("name", "defaultFaces");
        final String word = entries.word("type", "empty");
        final Patch.Type type = Patch.Type.of(word);
        if (type == null || type.ordinal() >= Patch.Type.CYCLIC.ordinal()) {
            throw entries.error("type", "defaultPatch: type '" + word + "' is not supported");
        }
        for (int i = 0; i < patches.size(); i++) {
            final Faces old = patches.get(i);
            if (old.patch().name().equals(name)) {
                if (i != patches.size() - 1 || old.blockFaces().length > 0) {
                    throw entries.error(
                            "name",
                            "the default patch '" + name + "' has faces already, or is not the last of the patches");
                }
                patches.set(i, new Faces(old.patch(), rest));
                return;
            }
        }
        patches.add(new Faces(new Patch(name, type, 0, 0), rest));
    }

    static String key(final int[] corners) {
        final int[] sorted = corners.clone();
        Arrays.sort(sorted);
        return Arrays.toString(sorted);
    }
}
