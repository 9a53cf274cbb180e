package org.parley.foam;

import java.util.LinkedHashMap;
import java.util.Map;
import org.parley.foam.dictionary.Dictionary;

/** A field as its file holds it: dimensions, a value a cell (or internal face), and the patches' entries. */
public final class Field {
    /** What a field has values of and at. */
    public enum Kind {
        /** A number for each cell. */
        VOL_SCALAR("volScalarField", 1),
        /** A vector for each cell. */
        VOL_VECTOR("volVectorField", 3),
        /** A number for each face. */
        SURFACE_SCALAR("surfaceScalarField", 1);

        private final String word;
        private final int components;

        Kind(final String word, final int components) {
            this.word = word;
            this.components = components;
        }

        /**
         * The class that OpenFOAM's headers name.
         *
         * @return the word.
         */
        public String word() {
            return word;
        }

        /**
         * Components of a value.
         *
         * @return 1 or 3.
         */
        public int components() {
            return components;
        }
    }

    private final String name;
    private final Kind kind;
    private final double[] dimensions;
    private final double[] internal;
    private final Map<String, Dictionary> patches = new LinkedHashMap<>();

    /**
     * A field without patches.
     *
     * @param name of it, such as {@code U}.
     * @param kind of it.
     * @param dimensions seven exponents.
     * @param internal the components of all values, one after the other; not copied.
     */
    public Field(final String name, final Kind kind, final double[] dimensions, final double[] internal) {
        this.name = name;
        this.kind = kind;
        this.dimensions = dimensions;
        this.internal = internal;
    }

    /**
     * The name.
     *
     * @return as {@code U}.
     */
    public String name() {
        return name;
    }

    /**
     * The kind.
     *
     * @return what it has values of and at.
     */
    public Kind kind() {
        return kind;
    }

    /**
     * The dimensions.
     *
     * @return seven exponents.
     */
    public double[] dimensions() {
        return dimensions;
    }

    /**
     * The values of the cells, or of the internal faces.
     *
     * @return the components of all, one after the other: the field's own.
     */
    public double[] internal() {
        return internal;
    }

    /**
     * The entries of the patches, {@code type} and the rest; in the order of the mesh's patches.
     *
     * @return by the patch's name; may be changed.
     */
    public Map<String, Dictionary> patches() {
        return patches;
    }
}
