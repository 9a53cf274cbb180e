package org.parley.foam.fvm;

import java.util.Map;
import org.parley.foam.Field;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.mesh.Patch;

/**
 * A field of cell values with its conditions: one array a component. At patches that join cells to
 * others its boundary values are those cells' (as of the last exchange).
 */
final class VolField {
    final FvMesh mesh;
    private final Field.Kind kind;
    private final double[] dimensions;
    final double[][] inside;
    final double[][] boundary;
    final Condition[] conditions;

    /**
     * Makes the field of a file.
     *
     * @param mesh of the rank
     * @param file as read
     * @param phi fluxes, if there are any yet
     */
    VolField(final FvMesh mesh, final Field file) {
        this.mesh = mesh;
        this.kind = file.kind();
        this.dimensions = file.dimensions();
        final int components = file.kind().components();
        this.inside = new double[components][mesh.cells];
        this.boundary = new double[components][mesh.boundaryFaces];
        this.conditions = new Condition[mesh.patches.length];
        copy(file.internal(), inside, 0, mesh.cells);
        for (int p = 0; p < conditions.length; p++) {
            final FvPatch patch = mesh.patches[p];
            final Dictionary entry = file.patches().get(patch.patch.name());
            conditions[p] = Conditions.of(mesh, patch, entry, components);
            if (conditions[p].writesValue() && !patch.coupled() && (entry.has("value") || conditions[p].isFixed())) {
                copy(entry.field("value", components, patch.size), boundary, patch.offset, patch.size);
            } else if (!conditions[p].fixesValue() || entry.word("type").equals("inletOutlet")) {
                new Condition.ZeroGradient(mesh, patch, entry).evaluate(inside, boundary, null);
                if (!conditions[p].fixesValue()) {
                    conditions[p].evaluate(inside, boundary, null);
                }
            }
        }
        exchange();
    }

    static void copy(final double[] from, final double[][] to, final int offset, final int count) {
        final int components = to.length;
        for (int c = 0; c < components; c++) {
            for (int i = 0; i < count; i++) {
                to[c][offset + i] = from[components * i + c];
            }
        }
    }

    static double[] join(final double[][] from, final int offset, final int count) {
        final int components = from.length;
        final double[] to = new double[components * count];
        for (int c = 0; c < components; c++) {
            for (int i = 0; i < count; i++) {
                to[components * i + c] = from[c][offset + i];
            }
        }
        return to;
    }

    /** Fetches the values of the cells on the other side of patches that join cells. */
    void exchange() {
        mesh.exchange(inside, boundary);
    }

    /** Brings the values at the patches up to date. */
    void correctBoundary(final double[] phi) {
        mesh.interfaces.start(inside);
        for (final Condition condition : conditions) {
            condition.evaluate(inside, boundary, phi);
        }
        mesh.interfaces.finish();
        mesh.takeIn(boundary);
    }

    /** Whether no patch of any rank fixes the value, so that a constant may be added. */
    boolean needsReference() {
        double fixed = 0;
        for (final Condition condition : conditions) {
            fixed += condition.fixesValue() ? 1 : 0;
        }
        return mesh.ranks.sum(fixed) == 0;
    }

    /** Returns what is to be written: the values now, under the name of the file or another. */
    Field toFile(final String name, final double[][] insideNow, final double[][] boundaryNow) {
        final Field now = new Field(name, kind, dimensions, join(insideNow, 0, mesh.cells));
        for (int p = 0; p < conditions.length; p++) {
            final FvPatch patch = mesh.patches[p];
            final Dictionary entry = conditions[p].dictionary.copy();
            if (conditions[p].writesValue()) {
                entry.putField("value", inside.length, join(boundaryNow, patch.offset, patch.size));
            }
            now.patches().put(patch.patch.name(), entry);
        }
        return now;
    }

    /** Writes fluxes: values inside, and those of each patch. */
    static Field fluxFile(final FvMesh mesh, final String name, final double[] phi) {
        final Field file = new Field(
                name,
                Field.Kind.SURFACE_SCALAR,
                new double[] {0, 3, -1, 0, 0, 0, 0},
                java.util.Arrays.copyOf(phi, mesh.internalFaces));
        for (final FvPatch patch : mesh.patches) {
            final Dictionary entry = new Dictionary(patch.patch.name());
            final boolean constraint = patch.patch.type() != Patch.Type.PATCH && patch.patch.type() != Patch.Type.WALL;
            entry.put("type", constraint ? patch.patch.type().word() : "calculated");
            entry.putField("value", 1, java.util.Arrays.copyOfRange(phi, patch.start, patch.start + patch.size));
            file.patches().put(patch.patch.name(), entry);
        }
        return file;
    }

    /** Reads fluxes that were written so. */
    static double[] flux(final FvMesh mesh, final Field file) {
        final double[] phi = new double[mesh.internalFaces + mesh.boundaryFaces];
        System.arraycopy(file.internal(), 0, phi, 0, mesh.internalFaces);
        for (final FvPatch patch : mesh.patches) {
            if (patch.size > 0) {
                final Map<String, Dictionary> entries = file.patches();
                final double[] values = entries.get(patch.patch.name()).field("value", 1, patch.size);
                System.arraycopy(values, 0, phi, patch.start, patch.size);
            }
        }
        return phi;
    }
}
