package org.parley.foam;

import java.nio.file.Path;
import java.util.Map;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.FoamWriter;
import org.parley.foam.dictionary.Lexer;
import org.parley.foam.dictionary.Tokens;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.Patch;

/** Fields from and to OpenFOAM's files. */
final class FieldFiles {
    private FieldFiles() {}

    /** The kind that a file's header names; null if it names another, or there is no header. */
    static Field.Kind kind(final Path file) {
        final Lexer lexer = Lexer.of(file);
        if (!lexer.next().isNamed("FoamFile")) {
            return null;
        }
        final String word = Dictionary.readHeader(Lexer.of(file)).word("class", "");
        for (final Field.Kind kind : Field.Kind.values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        return null;
    }

    static Field read(final Path file, final Path root, final Field.Kind kind, final Mesh mesh) {
        final Dictionary content = Dictionary.read(file, root);
        final Dictionary header = content.dictionary("FoamFile");
        if (!header.word("class").equals(kind.word())) {
            throw header.error("class", "class '" + header.word("class") + "': expected " + kind.word());
        }
        final int count = kind == Field.Kind.SURFACE_SCALAR ? mesh.internalFaces() : mesh.cells();
        final Tokens dimensions = content.tokens("dimensions");
        final Field field = new Field(
                file.getFileName().toString(),
                kind,
                dimensions.dimensions(),
                content.field("internalField", kind.components(), count));
        dimensions.expectEnd();
        final Dictionary boundary = content.dictionary("boundaryField");
        for (final Patch patch : mesh.patches()) {
            final Dictionary entry = entry(content, boundary, patch).copy();
            checkType(patch, entry);
            field.patches().put(patch.name(), entry);
        }
        return field;
    }

    /** A patch's entry: of its name, of a group that it is in, of a pattern; an empty patch needs none. */
    private static Dictionary entry(final Dictionary content, final Dictionary boundary, final Patch patch) {
        if (boundary.keywords().contains(patch.name())) {
            return boundary.dictionary(patch.name());
        }
        for (final String group : patch.groups()) {
            if (boundary.keywords().contains(group)) {
                return boundary.dictionary(group);
            }
        }
        if (!boundary.has(patch.name())) {
            if (patch.type() == Patch.Type.EMPTY) {
                final Dictionary empty = new Dictionary(patch.name());
                empty.put("type", "empty");
                return empty;
            }
            throw content.error(
                    "boundaryField", "boundaryField has no entry for patch '" + patch.name() + "' of the mesh");
        }
        return boundary.dictionary(patch.name());
    }

    /** A patch that is a constraint has that condition, and no other patch has. */
    private static void checkType(final Patch patch, final Dictionary entry) {
        final String type = entry.word("type");
        final boolean constraint = patch.type() != Patch.Type.PATCH && patch.type() != Patch.Type.WALL;
        final Patch.Type same = Patch.Type.of(type);
        if (constraint ? same != patch.type() : same != null && same != Patch.Type.PATCH && same != Patch.Type.WALL) {
            throw entry.error(
                    "type",
                    "condition '" + type + "' does not fit patch '" + patch.name() + "', which is of type '"
                            + patch.type().word() + "' in the mesh");
        }
    }

    static void write(final Path file, final String time, final Field field, final int precision) {
        try (FoamWriter writer = FoamWriter.create(file, precision)) {
            writer.header(field.kind().word(), time, field.name());
            writer.dimensions(field.dimensions());
            if (field.kind() == Field.Kind.SURFACE_SCALAR) {
                // A flux changes its sign with the face's direction.
                writer.entry("oriented", "oriented");
            }
            writer.line("");
            writer.line("");
            writer.field("internalField", field.kind().components(), field.internal());
            writer.line("");
            writer.open("boundaryField");
            for (final Map.Entry<String, Dictionary> patch : field.patches().entrySet()) {
                writer.open(patch.getKey());
                writer.entries(patch.getValue());
                writer.close("}");
            }
            writer.close("}");
            writer.line("");
            writer.footer();
        }
    }
}
