package org.parley.foam.decompose;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.parley.foam.Case;
import org.parley.foam.Field;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.Patch;
import org.parley.foam.mesh.PolyMeshFiles;

/** Writes the folders processor0, processor1, ... of a case: its mesh and the fields of its start time, in parts. */
public final class Decomposition {
    /** decomposePar writes no fewer digits, so that what is put together again is what it was. */
    private static final int DIGITS = 10;

    private Decomposition() {}

    /**
     * Decomposes a case.
     *
     * @param caze the whole case, with its mesh.
     * @param ranks how many parts.
     * @throws FoamException if system/decomposeParDict says otherwise, or the case is decomposed already.
     */
    public static void decompose(final Case caze, final int ranks) {
        if (caze.processors() > 0) {
            throw new FoamException(
                    caze.root(),
                    0,
                    "is decomposed already, into " + caze.processors() + ": remove the folders processor*");
        }
        final Dictionary dict = caze.exists("system/decomposeParDict") ? caze.system("decomposeParDict") : null;
        if (dict != null && dict.integer("numberOfSubdomains") != ranks) {
            throw dict.error(
                    "numberOfSubdomains",
                    "numberOfSubdomains is " + dict.integer("numberOfSubdomains") + ", but there are " + ranks
                            + " ranks");
        }
        final Mesh mesh = caze.mesh();
        if (ranks > mesh.cells()) {
            throw new FoamException(
                    caze.root(), 0, "cannot be decomposed into " + ranks + ": it has " + mesh.cells() + " cells");
        }
        final List<Part> parts = Part.of(mesh, Method.assign(mesh, ranks, dict), ranks);
        final int digits = Math.max(DIGITS, caze.writePrecision());
        final String time = caze.runTime().name();
        final Map<String, Field.Kind> kinds = caze.fields(time);
        final Map<String, Field> fields = new LinkedHashMap<>();
        kinds.forEach((name, kind) -> fields.put(name, caze.readField(time, name, kind)));
        for (final Part part : parts) {
            final Case own = caze.processor(part.rank());
            final Mesh partMesh = part.mesh(mesh);
            own.mesh(partMesh);
            for (final Field field : fields.values()) {
                own.writeField(time, cut(field, mesh, part, partMesh), digits);
            }
            copyUniform(caze.folder().resolve(time), own.folder().resolve(time));
            // The mesh at last: what looks whether a case is decomposed looks for it.
            writeMesh(own.folder().resolve("constant/polyMesh"), part, partMesh, digits);
        }
    }

    private static void writeMesh(final Path folder, final Part part, final Mesh mesh, final int digits) {
        PolyMeshFiles.writeLabels(folder.resolve("cellProcAddressing"), part.cells(), null);
        PolyMeshFiles.writeLabels(folder.resolve("faceProcAddressing"), part.faces(), null);
        PolyMeshFiles.writeLabels(folder.resolve("pointProcAddressing"), part.points(), null);
        PolyMeshFiles.writeLabels(folder.resolve("boundaryProcAddressing"), part.patches(), null);
        PolyMeshFiles.write(folder, mesh, digits);
    }

    /** A part's values of a field, with processor patches. */
    private static Field cut(final Field field, final Mesh whole, final Part part, final Mesh mesh) {
        final int components = field.kind().components();
        final boolean surface = field.kind() == Field.Kind.SURFACE_SCALAR;
        final int[] faces = part.faces();
        final int[] cells = part.cells();
        final double[] internal = new double[components * (surface ? mesh.internalFaces() : cells.length)];
        for (int i = 0; i < internal.length / components; i++) {
            final int from = surface ? faces[i] - 1 : cells[i];
            System.arraycopy(field.internal(), components * from, internal, components * i, components);
        }
        final Field cut = new Field(field.name(), field.kind(), field.dimensions(), internal);
        for (final Patch patch : mesh.patches()) {
            final int[] addresses = Arrays.copyOfRange(faces, patch.start(), patch.start() + patch.size());
            final Dictionary entries;
            if (patch.isProcessor()) {
                entries = new Dictionary(patch.name());
                entries.put("type", patch.type().word());
                entries.putField(
                        "value",
                        components,
                        surface ? borderFaces(field, whole, addresses) : across(field, whole, addresses));
            } else {
                final Patch old = whole.patches().get(whole.patch(patch.name()));
                entries = PatchEntries.cut(field.patches().get(patch.name()), old, addresses, components);
            }
            cut.patches().put(patch.name(), entries);
        }
        return cut;
    }

    /** Of a face that was inside the value of the cell behind it, of a cyclic one that of its own cell. */
    private static double[] across(final Field field, final Mesh whole, final int[] addresses) {
        final int components = field.kind().components();
        final double[] values = new double[components * addresses.length];
        for (int i = 0; i < addresses.length; i++) {
            final int face = Math.abs(addresses[i]) - 1;
            final int cell =
                    face < whole.internalFaces() && addresses[i] > 0 ? whole.neighbour()[face] : whole.owner()[face];
            System.arraycopy(field.internal(), components * cell, values, components * i, components);
        }
        return values;
    }

    private static double[] borderFaces(final Field field, final Mesh whole, final int[] addresses) {
        final double[] values = new double[addresses.length];
        for (int i = 0; i < addresses.length; i++) {
            final int face = Math.abs(addresses[i]) - 1;
            final double value =
                    face < whole.internalFaces() ? field.internal()[face] : PatchEntries.value(field, whole, face);
            values[i] = addresses[i] < 0 ? -value : value;
        }
        return values;
    }

    private static void copyUniform(final Path from, final Path to) {
        final Path source = from.resolve("uniform");
        if (!Files.isDirectory(source)) {
            return;
        }
        try (Stream<Path> files = Files.list(source)) {
            for (final Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                final Path target = to.resolve("uniform").resolve(file.getFileName());
                Files.createDirectories(target.getParent());
                Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (final IOException e) {
            throw new FoamException(source, 0, "cannot be copied: " + e);
        }
    }
}
