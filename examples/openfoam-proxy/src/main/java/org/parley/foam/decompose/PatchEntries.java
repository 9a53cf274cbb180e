package org.parley.foam.decompose;

import org.parley.foam.Field;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.Token;
import org.parley.foam.dictionary.Tokens;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.Patch;

/** A patch's entries in a field's file, and the values among them: those that are uniform or nonuniform. */
final class PatchEntries {
    private PatchEntries() {}

    static boolean isField(final Dictionary entries, final String keyword) {
        if (entries.isDictionary(keyword)) {
            return false;
        }
        final Tokens tokens = entries.tokens(keyword);
        return tokens.peek().isNamed("uniform") || tokens.peek().isNamed("nonuniform");
    }

    /** Whether an entry has a value for each face. */
    private static boolean isList(final Dictionary entries, final String keyword) {
        return isField(entries, keyword) && entries.tokens(keyword).peek().isNamed("nonuniform");
    }

    private static int components(final Dictionary entries, final String keyword, final int otherwise) {
        final Tokens tokens = entries.tokens(keyword);
        tokens.next();
        final Token list = tokens.peek();
        return list.kind() == Token.Kind.LIST && list.number() > 0
                ? list.values().length / (int) list.number()
                : otherwise;
    }

    /** The entries for some faces of a patch, given by their addresses (labels plus one). */
    static Dictionary cut(final Dictionary entries, final Patch patch, final int[] addresses, final int components) {
        final Dictionary cut = entries.copy();
        if (patch.type() == Patch.Type.EMPTY) {
            // Its fields have no values, however many faces it has.
            return cut;
        }
        for (final String keyword : entries.keywords()) {
            if (addresses.length == 0 && isField(entries, keyword)) {
                cut.putField(keyword, components, new double[0]);
                continue;
            }
            if (!isList(entries, keyword)) {
                continue;
            }
            final int width = components(entries, keyword, components);
            final double[] all = entries.field(keyword, width, patch.size());
            final double[] some = new double[width * addresses.length];
            for (int i = 0; i < addresses.length; i++) {
                System.arraycopy(all, width * (addresses[i] - 1 - patch.start()), some, width * i, width);
            }
            cut.putField(keyword, width, some);
        }
        return cut;
    }

    /** A surface field's value at a face of the boundary. */
    static double value(final Field field, final Mesh mesh, final int face) {
        for (final Patch patch : mesh.patches()) {
            if (face >= patch.start() && face < patch.start() + patch.size()) {
                final Dictionary entries = field.patches().get(patch.name());
                return entries.has("value") ? entries.field("value", 1, patch.size())[face - patch.start()] : 0;
            }
        }
        throw new IllegalArgumentException("face " + face + " is in no patch");
    }
}
