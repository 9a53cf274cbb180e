package org.parley.foam.mesh;

import java.util.ArrayList;
import java.util.List;
import org.parley.foam.dictionary.Dictionary;

/**
 * Boundary faces of one name: those from {@code start}, {@code size} of them.
 *
 * @param name of it.
 * @param type of it.
 * @param start its first face.
 * @param size how many faces.
 * @param neighbour of a cyclic patch: the other half's name; of a processorCyclic one: the cyclic patch that it is part
 *     of ({@code referPatch}); else null.
 * @param rank of a processor patch: whose mesh this is; else -1.
 * @param neighbourRank of a processor patch: who has the other side; else -1.
 * @param dictionary its entries as read, or as to be written, but type, nFaces, startFace and the above; may be empty.
 */
public record Patch(
        String name,
        Type type,
        int start,
        int size,
        String neighbour,
        int rank,
        int neighbourRank,
        Dictionary dictionary) {
    /** What a patch is. */
    public enum Type {
        /** An inlet, an outlet, whatever has conditions. */
        PATCH("patch"),
        /** A wall. */
        WALL("wall"),
        /** Faces across a direction that is not solved. */
        EMPTY("empty"),
        /** A plane of symmetry. */
        SYMMETRY_PLANE("symmetryPlane"),
        /** A surface of symmetry that need not be a plane. */
        SYMMETRY("symmetry"),
        /** One of two patches that are one in truth. */
        CYCLIC("cyclic"),
        /** The border to another rank's cells. */
        PROCESSOR("processor"),
        /** The border to another rank's cells through a cyclic patch. */
        PROCESSOR_CYCLIC("processorCyclic");

        private final String word;

        Type(final String word) {
            this.word = word;
        }

        /**
         * The name in files.
         *
         * @return the word.
         */
        public String word() {
            return word;
        }

        /**
         * The type of a name.
         *
         * @param word as in files.
         * @return the type; null if there is none of that name here.
         */
        public static Type of(final String word) {
            for (final Type type : values()) {
                if (type.word.equals(word)) {
                    return type;
                }
            }
            return null;
        }
    }

    /**
     * A patch without a neighbour.
     *
     * @param name of it.
     * @param type of it.
     * @param start its first face.
     * @param size how many faces.
     */
    public Patch(final String name, final Type type, final int start, final int size) {
        this(name, type, start, size, null, -1, -1, new Dictionary(name));
    }

    /**
     * The groups that it is in: those of inGroups, and for a wall or a constraint one of its type's name.
     *
     * @return their names.
     */
    public List<String> groups() {
        final List<String> groups = new ArrayList<>();
        if (dictionary.has("inGroups")) {
            groups.addAll(dictionary.tokens("inGroups").words());
        }
        if (type != Type.PATCH && !groups.contains(type.word())) {
            groups.add(type.word());
        }
        return groups;
    }

    /**
     * Whether another rank has the other side of its faces.
     *
     * @return whether it is of type processor or processorCyclic.
     */
    public boolean isProcessor() {
        return type == Type.PROCESSOR || type == Type.PROCESSOR_CYCLIC;
    }

    /**
     * The same patch at other faces.
     *
     * @param newStart its first face.
     * @param newSize how many faces.
     * @return the patch.
     */
    public Patch at(final int newStart, final int newSize) {
        return new Patch(name, type, newStart, newSize, neighbour, rank, neighbourRank, dictionary);
    }

    /**
     * The same patch between two ranks.
     *
     * @param through the cyclic patch that it is part of; null if it is of none.
     * @param mine whose mesh it is in.
     * @param other who has the other side.
     * @return the patch.
     */
    public Patch between(final String through, final int mine, final int other) {
        return new Patch(name, type, start, size, through, mine, other, dictionary);
    }
}
