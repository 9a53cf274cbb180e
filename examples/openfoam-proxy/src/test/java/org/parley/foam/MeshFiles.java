package org.parley.foam;

import org.parley.foam.blockmesh.BlockMesh;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.PolyMeshFiles;

/** The mesh of a case of a test. */
final class MeshFiles {
    private MeshFiles() {}

    /** Makes the mesh by blockMeshDict and writes it. */
    static Mesh make(final Case caze) {
        final Mesh mesh = BlockMesh.create(caze.blockMeshDict());
        PolyMeshFiles.write(caze.folder().resolve("constant/polyMesh"), mesh, PolyMeshFiles.DIGITS);
        return mesh;
    }
}
