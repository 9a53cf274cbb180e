package org.parley.foam.mesh;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.dictionary.FoamWriter;
import org.parley.foam.dictionary.Lexer;
import org.parley.foam.dictionary.Numbers;
import org.parley.foam.dictionary.Token;

/** The files of a mesh in OpenFOAM's ascii format: points, faces, owner, neighbour, boundary. */
public final class PolyMeshFiles {
    /** Significant digits of the points that blockMesh writes. */
    public static final int DIGITS = 10;

    /** How far the halves of a cyclic patch may differ, by the size of a face. */
    private static final double MATCH = 1e-3;

    private static final String LOCATION = "constant/polyMesh";

    private PolyMeshFiles() {}

    /**
     * Reads a mesh, and checks that its parts fit each other.
     *
     * @param folder constant/polyMesh.
     * @return the mesh.
     */
    public static Mesh read(final Path folder) {
        final double[] points = open(folder.resolve("points"), "vectorField").readNumbers(3);
        final Faces faces = readFaces(folder.resolve("faces"), points.length / 3);
        final int count = faces.starts.length - 1;
        final Path ownerFile = folder.resolve("owner");
        final Path neighbourFile = folder.resolve("neighbour");
        final int[] owner = readLabels(ownerFile);
        final int[] neighbour = readLabels(neighbourFile);
        if (owner.length != count) {
            throw new FoamException(ownerFile, 0, "has " + owner.length + " labels, the mesh has " + count + " faces");
        }
        final List<Patch> patches = readBoundary(folder.resolve("boundary"), count);
        final int internal = patches.isEmpty() ? count : patches.get(0).start();
        // Older files list -1 for the faces of the boundary.
        int length = neighbour.length;
        while (length > 0 && neighbour[length - 1] == -1) {
            length--;
        }
        if (length != internal) {
            throw new FoamException(
                    neighbourFile, 0, "has " + length + " labels, the boundary begins at face " + internal);
        }
        // A cell has four faces at least.
        final int limit = (count + internal) / 4;
        for (int face = 0; face < count; face++) {
            if (owner[face] < 0 || owner[face] >= limit) {
                throw new FoamException(
                        ownerFile,
                        0,
                        "face " + face + " has owner " + owner[face] + ": no cell of a mesh of " + count + " faces");
            }
            if (face < internal && (neighbour[face] <= owner[face] || neighbour[face] >= limit)) {
                throw new FoamException(
                        neighbourFile,
                        0,
                        "face " + face + " has neighbour " + neighbour[face] + ": expected a cell after its owner "
                                + owner[face]);
            }
        }
        final Mesh mesh =
                new Mesh(points, faces.starts, faces.vertices, owner, Arrays.copyOf(neighbour, length), patches);
        for (final Patch patch : patches) {
            if (patch.type() == Patch.Type.CYCLIC) {
                checkTwins(mesh, patch, patches.get(mesh.patch(patch.neighbour())));
            }
        }
        return mesh;
    }

    /** Face by face the halves of a cyclic patch are the same but for one translation. */
    private static void checkTwins(final Mesh mesh, final Patch patch, final Patch other) {
        final double[] areas = mesh.faceAreas();
        final double[] centres = mesh.faceCentres();
        for (int i = 0; i < patch.size(); i++) {
            final int face = 3 * (patch.start() + i);
            final int twin = 3 * (other.start() + i);
            double size = 0;
            double turned = 0;
            double moved = 0;
            for (int d = 0; d < 3; d++) {
                final double first = centres[3 * other.start() + d] - centres[3 * patch.start() + d];
                size += areas[face + d] * areas[face + d];
                turned += Math.pow(areas[face + d] + areas[twin + d], 2);
                moved += Math.pow(centres[twin + d] - centres[face + d] - first, 2);
            }
            if (Math.sqrt(turned) > MATCH * Math.sqrt(size) || moved > MATCH * MATCH * Math.sqrt(size)) {
                throw patch.dictionary()
                        .error(
                                "neighbourPatch",
                                "face " + i + " of cyclic patch '" + patch.name() + "' does not match that of '"
                                        + other.name() + "' by one translation; rotation is not supported");
            }
        }
    }

    /**
     * Writes a mesh as OpenFOAM does.
     *
     * @param folder constant/polyMesh.
     * @param mesh what.
     * @param precision significant digits of the points.
     */
    public static void write(final Path folder, final Mesh mesh, final int precision) {
        final String note = "nPoints:" + mesh.points().length / 3 + "  nCells:" + mesh.cells() + "  nFaces:"
                + mesh.faces() + "  nInternalFaces:" + mesh.internalFaces();
        try (FoamWriter writer = FoamWriter.create(folder.resolve("points"), precision)) {
            writer.header("vectorField", LOCATION, "points");
            writer.points(mesh.points());
            writer.line("");
            writer.footer();
        }
        try (FoamWriter writer = FoamWriter.create(folder.resolve("faces"), precision)) {
            writer.header("faceList", LOCATION, "faces");
            writer.faces(mesh.faceStarts(), mesh.faceVertices());
            writer.line("");
            writer.footer();
        }
        writeLabels(folder.resolve("owner"), mesh.owner(), note);
        writeLabels(folder.resolve("neighbour"), mesh.neighbour(), note);
        writeBoundary(folder.resolve("boundary"), mesh.patches(), precision);
    }

    /**
     * Reads a list of labels, such as {@code cellProcAddressing}.
     *
     * @param file which.
     * @return the labels.
     */
    public static int[] readLabels(final Path file) {
        final Lexer lexer = open(file, "labelList");
        final double[] numbers = lexer.readNumbers(1);
        final int[] labels = new int[numbers.length];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = (int) numbers[i];
            if (labels[i] != numbers[i]) {
                throw new FoamException(file, 0, "label " + i + " is " + numbers[i] + ", no whole number");
            }
        }
        return labels;
    }

    /**
     * Writes a list of labels.
     *
     * @param file which.
     * @param labels what.
     * @param note for the header; may be null.
     */
    public static void writeLabels(final Path file, final int[] labels, final String note) {
        try (FoamWriter writer = FoamWriter.create(file, 1)) {
            writer.header("labelList", LOCATION, file.getFileName().toString(), note);
            writer.list(labels);
            writer.footer();
        }
    }

    private record Faces(int[] starts, int[] vertices) {}

    private static Faces readFaces(final Path file, final int points) {
        final Lexer lexer = open(file, "faceList");
        final int count = lexer.readCount();
        int[] starts = new int[1];
        int[] vertices = new int[0];
        int face = 0;
        for (lexer.expect('('); !lexer.accept(')'); face++) {
            if (face + 1 >= starts.length) {
                starts = Arrays.copyOf(starts, 2 * starts.length);
            }
            final int size = lexer.readCount();
            int at = starts[face];
            for (lexer.expect('('); !lexer.accept(')'); at++) {
                if (at == vertices.length) {
                    vertices = Arrays.copyOf(vertices, 2 * at + 16);
                }
                vertices[at] = lexer.readInt();
                if (vertices[at] < 0 || vertices[at] >= points) {
                    throw lexer.error("face " + face + " has point " + vertices[at] + ", the mesh has " + points);
                }
            }
            if (size < 3 || at - starts[face] != size) {
                throw lexer.error("face " + face + " begins with " + size + " points and has " + (at - starts[face])
                        + "; a face has 3 at least");
            }
            starts[face + 1] = at;
        }
        if (face != count) {
            throw lexer.error("the list has " + face + " faces, but begins with " + count);
        }
        return new Faces(Arrays.copyOf(starts, count + 1), Arrays.copyOf(vertices, starts[count]));
    }

    private static Lexer open(final Path file, final String type) {
        final Lexer lexer = Lexer.of(file);
        final Dictionary header = Dictionary.readHeader(lexer);
        if (!header.word("class").equals(type) && !(type.equals("faceList") && isCompact(header))) {
            throw header.error("class", "class '" + header.word("class") + "': expected " + type);
        }
        return lexer;
    }

    private static boolean isCompact(final Dictionary header) {
        if (header.word("class").equals("faceCompactList")) {
            throw header.error("class", "class 'faceCompactList' comes with binary files, which are not supported");
        }
        return false;
    }

    private static List<Patch> readBoundary(final Path file, final int faces) {
        final Lexer lexer = open(file, "polyBoundaryMesh");
        final int count = lexer.readCount();
        final List<Patch> patches = new ArrayList<>();
        lexer.expect('(');
        int last = -1;
        while (!lexer.accept(')')) {
            final Token name = lexer.next();
            if (name.kind() != Token.Kind.WORD) {
                throw name.error("expected the name of a patch, found " + name);
            }
            final Dictionary entries = Dictionary.readBraces(lexer, name);
            final Patch patch = patch(name.text(), entries);
            if (last >= 0 && patch.start() != last) {
                throw entries.error(
                        "startFace",
                        "patch '" + name.text() + "' begins at face " + patch.start() + ", expected " + last);
            }
            for (final Patch other : patches) {
                if (other.name().equals(patch.name())) {
                    throw name.error("patch '" + name.text() + "' is there twice");
                }
            }
            last = patch.start() + patch.size();
            patches.add(patch);
        }
        if (patches.size() != count) {
            throw lexer.error("the list has " + patches.size() + " patches, but begins with " + count);
        }
        if (last >= 0 && last != faces) {
            throw lexer.error("the patches end at face " + last + ", the mesh has " + faces + " faces");
        }
        for (final Patch patch : patches) {
            checkNeighbour(patch, patches);
        }
        return patches;
    }

    private static void checkNeighbour(final Patch patch, final List<Patch> patches) {
        if (patch.neighbour() == null) {
            return;
        }
        final Patch other = patches.stream()
                .filter(one -> one.name().equals(patch.neighbour()))
                .findFirst()
                .orElse(null);
        final boolean half = patch.type() == Patch.Type.CYCLIC;
        if (other == null || other.type() != Patch.Type.CYCLIC || half && other.size() != patch.size()) {
            throw patch.dictionary()
                    .error(
                            half ? "neighbourPatch" : "referPatch",
                            "patch '" + patch.name() + "': '" + patch.neighbour() + "' is no cyclic patch"
                                    + (half ? " of " + patch.size() + " faces" : ""));
        }
    }

    /**
     * A patch of its entries.
     *
     * @param name of it.
     * @param entries as in the file boundary.
     * @return the patch.
     */
    static Patch patch(final String name, final Dictionary entries) {
        final String word = entries.word("type");
        final Patch.Type type = Patch.Type.of(word);
        if (type == null) {
            throw entries.error("type", "patch '" + name + "': type '" + word + "' is not supported");
        }
        final int size = entries.integer("nFaces");
        final int start = entries.integer("startFace");
        if (size < 0 || start < 0) {
            throw entries.error(
                    size < 0 ? "nFaces" : "startFace",
                    "patch '" + name + "': startFace " + start + ", nFaces " + size + ": less than 0");
        }
        final boolean processor = type == Patch.Type.PROCESSOR || type == Patch.Type.PROCESSOR_CYCLIC;
        final String neighbour = switch (type) {
            case CYCLIC -> entries.word("neighbourPatch");
            case PROCESSOR_CYCLIC -> entries.word("referPatch");
            default -> null;
        };
        return new Patch(
                name,
                type,
                start,
                size,
                neighbour,
                processor ? entries.integer("myProcNo") : -1,
                processor ? entries.integer("neighbProcNo") : -1,
                entries);
    }

    private static String format(final double number) {
        return Numbers.format(number, Numbers.PRECISION);
    }

    /**
     * Writes the file boundary.
     *
     * @param file which.
     * @param patches in the order of their faces.
     * @param precision significant digits.
     */
    static void writeBoundary(final Path file, final List<Patch> patches, final int precision) {
        try (FoamWriter writer = FoamWriter.create(file, precision)) {
            writer.header("polyBoundaryMesh", LOCATION, "boundary");
            writer.openList(patches.size());
            for (final Patch patch : patches) {
                writer.open(patch.name());
                final Dictionary entries = new Dictionary(patch.name());
                entries.put("type", patch.type().word());
                if (patch.dictionary().has("physicalType")) {
                    entries.take("physicalType", patch.dictionary());
                }
                final List<String> groups = patch.groups();
                if (!groups.isEmpty()) {
                    entries.put("inGroups", groups.size() + "(" + String.join(" ", groups) + ")");
                }
                entries.put("nFaces", Integer.toString(patch.size()));
                entries.put("startFace", Integer.toString(patch.start()));
                switch (patch.type()) {
                    case CYCLIC -> {
                        entries.put("matchTolerance", format(patch.dictionary().number("matchTolerance", 0.0001)));
                        entries.put("transform", patch.dictionary().word("transform", "unknown"));
                        entries.put("neighbourPatch", patch.neighbour());
                        for (final String keyword :
                                new String[] {"rotationAxis", "rotationCentre", "separationVector"}) {
                            if (patch.dictionary().has(keyword)) {
                                entries.take(keyword, patch.dictionary());
                            }
                        }
                    }
                    case PROCESSOR, PROCESSOR_CYCLIC -> {
                        entries.put("matchTolerance", "0.0001");
                        entries.put("transform", "unknown");
                        entries.put("myProcNo", Integer.toString(patch.rank()));
                        entries.put("neighbProcNo", Integer.toString(patch.neighbourRank()));
                        if (patch.neighbour() != null) {
                            entries.put("referPatch", patch.neighbour());
                        }
                    }
                    default -> {
                        // No more than the above.
                    }
                }
                writer.entries(entries);
                writer.close("}");
            }
            writer.close(")");
            writer.footer();
        }
    }
}
