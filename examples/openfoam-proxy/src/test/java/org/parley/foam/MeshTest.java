package org.parley.foam;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.PolyMeshFiles;

/** Meshes of blocks. */
class MeshTest {
    @TempDir
    Path folder;

    private Case caze(final String name) {
        return Case.of(
                switch (name) {
                    case "blocks" -> Cases.blocks(folder);
                    case "channel" -> Cases.channel(folder);
                    default -> Cases.square(folder, 5);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocks", "channel", "square"})
    void shouldMakeTheFilesOfBlockMesh(final String name) throws IOException, InterruptedException {
        OpenFoam.assumeInstalled("blockMesh");
        final Case caze = caze(name);
        MeshFiles.make(caze);
        final Path theirs = folder.resolve("constant/polyMesh");
        final Path ours = folder.resolve("ours");
        Files.move(theirs, ours);
        OpenFoam.run(folder, "blockMesh");
        for (final String file : List.of("points", "faces", "owner", "neighbour", "boundary")) {
            assertEquals(OpenFoam.body(theirs.resolve(file)), OpenFoam.body(ours.resolve(file)), file);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocks", "channel", "square"})
    void shouldReadWhatItWrites(final String name) throws IOException {
        final Case caze = caze(name);
        final Mesh mesh = MeshFiles.make(caze);
        final Path written = folder.resolve("constant/polyMesh");
        final Path again = folder.resolve("again");
        PolyMeshFiles.write(again, PolyMeshFiles.read(written), PolyMeshFiles.DIGITS);
        for (final String file : List.of("points", "faces", "owner", "neighbour", "boundary")) {
            assertEquals(Files.readString(written.resolve(file)), Files.readString(again.resolve(file)), file);
        }
        assertEquals(mesh.cells(), caze.mesh().cells());
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocks", "channel", "square"})
    void shouldCloseEachCell(final String name) {
        final Mesh mesh = MeshFiles.make(caze(name));
        final double[] sum = new double[3 * mesh.cells()];
        double volume = 0;
        for (int face = 0; face < mesh.faces(); face++) {
            for (int i = 0; i < 3; i++) {
                sum[3 * mesh.owner()[face] + i] += mesh.faceAreas()[3 * face + i];
                if (face < mesh.internalFaces()) {
                    sum[3 * mesh.neighbour()[face] + i] -= mesh.faceAreas()[3 * face + i];
                }
            }
        }
        for (final double part : sum) {
            assertEquals(0, part, 1e-16);
        }
        for (final double one : mesh.cellVolumes()) {
            assertFalse(one <= 0);
            volume += one;
        }
        if (!name.equals("blocks")) {
            assertEquals(name.equals("channel") ? 0.003 : 0.1, volume, 1e-12);
        }
    }

    @Test
    void shouldMakeAMeshOfAMillionPointsWithoutAStackThatGrows() {
        Cases.square(folder, 700);
        final Mesh mesh = MeshFiles.make(Case.of(folder));
        assertEquals(490_000, mesh.cells());
        assertEquals(2 * 701 * 701, mesh.points().length / 3);
    }
}
