package org.parley.foam.decompose;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.parley.foam.Case;
import org.parley.foam.Field;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.Patch;
import org.parley.foam.mesh.PolyMeshFiles;

/** Puts the fields of a decomposed case together again, as reconstructPar does. */
public final class Reconstruction {
    private final Case caze;
    private final Mesh whole;
    private final List<Case> parts = new ArrayList<>();
    private final List<int[]> cells = new ArrayList<>();
    private final List<int[]> faces = new ArrayList<>();

    private Reconstruction(final Case caze) {
        this.caze = caze;
        this.whole = caze.mesh();
    }

    /**
     * Writes the times that the ranks have written to the case's own folder.
     *
     * @param caze the whole case, with its mesh.
     * @return the names of the times, in their order.
     * @throws FoamException if the case is not decomposed or a part does not fit the mesh.
     */
    public static List<String> reconstruct(final Case caze) {
        final int count = caze.processors();
        if (count == 0) {
            throw new FoamException(caze.root(), 0, "is not decomposed: it has no folder processor0 with a mesh");
        }
        final Reconstruction reconstruction = new Reconstruction(caze);
        for (int rank = 0; rank < count; rank++) {
            reconstruction.open(rank);
        }
        final Case first = reconstruction.parts.get(0);
        final List<String> times = new ArrayList<>();
        for (final double value : first.times()) {
            final String time = first.timeFolder(value);
            if (!reconstruction.parts.stream().allMatch(part -> part.exists(time))) {
                continue;
            }
            caze.writeTime(time, () -> {
                first.fields(time).forEach((name, kind) -> reconstruction.join(time, name, kind));
                if (first.exists(time + "/uniform/time")) {
                    caze.writeDictionary(time + "/uniform/time", first.dictionary(time + "/uniform/time"));
                }
            });
            times.add(time);
        }
        return times;
    }

    private void open(final int rank) {
        final Case part = caze.processor(rank);
        final Path folder = part.folder().resolve("constant/polyMesh");
        parts.add(part);
        cells.add(labels(folder.resolve("cellProcAddressing"), part.mesh().cells(), 0, whole.cells() - 1));
        faces.add(labels(folder.resolve("faceProcAddressing"), part.mesh().faces(), -whole.faces(), whole.faces()));
    }

    private static int[] labels(final Path file, final int count, final int lowest, final int highest) {
        final int[] labels = PolyMeshFiles.readLabels(file);
        if (labels.length != count) {
            throw new FoamException(file, 0, "has " + labels.length + " labels, the part's mesh needs " + count);
        }
        for (final int label : labels) {
            if (label < lowest || label > highest || lowest < 0 && label == 0) {
                throw new FoamException(file, 0, "label " + label + " is none of the whole mesh");
            }
        }
        return labels;
    }

    private void join(final String time, final String name, final Field.Kind kind) {
        final int components = kind.components();
        final boolean surface = kind == Field.Kind.SURFACE_SCALAR;
        final double[] internal = new double[components * (surface ? whole.internalFaces() : whole.cells())];
        final List<Field> fields = new ArrayList<>();
        for (int rank = 0; rank < parts.size(); rank++) {
            final Case part = parts.get(rank);
            if (!Files.exists(part.folder().resolve(time).resolve(name))) {
                throw new FoamException(part.folder(), 0, "has no field " + time + "/" + name + ", processor0 has");
            }
            final Field field = part.readField(time, name, kind);
            fields.add(field);
            for (int i = 0; i < field.internal().length / components; i++) {
                final int to = surface ? Math.abs(faces.get(rank)[i]) - 1 : cells.get(rank)[i];
                System.arraycopy(field.internal(), components * i, internal, components * to, components);
            }
        }
        final Field joined = new Field(name, kind, fields.get(0).dimensions(), internal);
        final double[] boundary = new double[surface ? whole.faces() : 0];
        if (surface) {
            takeBorders(fields, internal, boundary);
        }
        for (final Patch patch : whole.patches()) {
            joined.patches().put(patch.name(), joinPatch(patch, fields, components, surface ? boundary : null));
        }
        caze.writeField(time, joined, caze.writePrecision());
    }

    /** Of a flux, what crosses borders: inside the whole, or at a cyclic patch's faces. */
    private void takeBorders(final List<Field> fields, final double[] internal, final double[] boundary) {
        for (int rank = 0; rank < parts.size(); rank++) {
            for (final Patch patch : parts.get(rank).mesh().patches()) {
                if (!patch.isProcessor()) {
                    continue;
                }
                final double[] values =
                        fields.get(rank).patches().get(patch.name()).field("value", 1, patch.size());
                for (int i = 0; i < patch.size(); i++) {
                    final int address = faces.get(rank)[patch.start() + i];
                    final int face = Math.abs(address) - 1;
                    if (face < internal.length) {
                        internal[face] = address < 0 ? -values[i] : values[i];
                    } else {
                        boundary[face] = values[i];
                    }
                }
            }
        }
    }

    private Dictionary joinPatch(
            final Patch patch, final List<Field> fields, final int components, final double[] boundary) {
        Dictionary model = null;
        for (int rank = 0; rank < parts.size(); rank++) {
            final Mesh mesh = parts.get(rank).mesh();
            final int own = mesh.patch(patch.name());
            if (own >= 0 && (model == null || mesh.patches().get(own).size() > 0)) {
                model = fields.get(rank).patches().get(patch.name());
                if (mesh.patches().get(own).size() > 0) {
                    break;
                }
            }
        }
        if (model == null) {
            throw new FoamException(caze.root(), 0, "no part has the patch '" + patch.name() + "'");
        }
        final Dictionary joined = model.copy();
        if (patch.type() == Patch.Type.EMPTY) {
            return joined;
        }
        for (final String keyword : model.keywords()) {
            if (!PatchEntries.isField(model, keyword)) {
                continue;
            }
            final double[] values = new double[components * patch.size()];
            if (boundary != null) {
                System.arraycopy(boundary, patch.start(), values, 0, patch.size());
            }
            for (int rank = 0; rank < parts.size(); rank++) {
                take(rank, fields.get(rank), patch, keyword, components, values);
            }
            joined.putField(keyword, components, values);
        }
        return joined;
    }

    private void take(
            final int rank,
            final Field field,
            final Patch patch,
            final String keyword,
            final int components,
            final double[] into) {
        final Mesh mesh = parts.get(rank).mesh();
        final int own = mesh.patch(patch.name());
        if (own < 0 || mesh.patches().get(own).size() == 0) {
            return;
        }
        final Patch part = mesh.patches().get(own);
        final double[] values = field.patches().get(patch.name()).field(keyword, components, part.size());
        for (int i = 0; i < part.size(); i++) {
            final int to = faces.get(rank)[part.start() + i] - 1 - patch.start();
            if (to < 0 || to >= patch.size()) {
                throw new FoamException(
                        parts.get(rank).folder(), 0, "patch '" + patch.name() + "' has a face of another patch");
            }
            System.arraycopy(values, components * i, into, components * to, components);
        }
    }
}
