package org.parley.foam.fvm;

import org.parley.foam.mesh.Patch;

/** A patch as finite volumes see it: the faces of an empty one are not there. Read only. */
final class FvPatch {
    final Patch patch;

    /** First face, as fields of faces count them. */
    final int start;

    /** Number of faces. */
    final int size;

    /** First face, as boundary fields count faces. */
    final int offset;

    /** Cell at each face. */
    final int[] faceCells;

    /** Index among the interfaces, or -1 if the patch joins its cells to no others. */
    final int side;

    FvPatch(final Patch patch, final int offset, final int internalFaces, final int[] owner, final int side) {
        this.patch = patch;
        this.size = isEmpty(patch) ? 0 : patch.size();
        this.offset = offset;
        this.start = internalFaces + offset;
        this.faceCells = java.util.Arrays.copyOfRange(owner, patch.start(), patch.start() + size);
        this.side = side;
    }

    static boolean isEmpty(final Patch patch) {
        return patch.type() == Patch.Type.EMPTY;
    }

    boolean coupled() {
        return side >= 0;
    }
}
