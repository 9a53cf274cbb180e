package org.parley.foam;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.parley.foam.decompose.Decomposition;
import org.parley.foam.decompose.Reconstruction;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.fvm.IcoFoam;
import org.parley.foam.mesh.Patch;
import org.parley.foam.mesh.PolyMeshFiles;

/** Cases in parts, and back. */
class DecompositionTest {
    @TempDir
    Path folder;

    private Case caze(final String name) {
        final Case caze = Case.of(
                switch (name) {
                    case "blocks" -> Cases.blocks(folder);
                    case "channel" -> Cases.channel(folder);
                    default -> Cases.square(folder, 8);
                });
        MeshFiles.make(caze);
        return caze;
    }

    private void method(final String method, final int ranks, final String coefficients) {
        Cases.put(
                folder,
                "system/decomposeParDict",
                "numberOfSubdomains " + ranks + ";\nmethod " + method + ";\n" + method + "Coeffs { " + coefficients
                        + " }\n");
    }

    /** Runs it, so that there are values to cut, and a flux, and makes the last time the start. */
    private static void advance(final Case caze) {
        new IcoFoam(caze, null, null).run();
        Cases.edit(caze.folder().resolve("system/controlDict"), "startFrom startTime", "startFrom latestTime");
    }

    @ParameterizedTest
    @CsvSource({
        "channel, simple, 4, n (2 2 1);",
        "channel, simple, 12, n (3 2 2); delta 0.01;",
        "channel, hierarchical, 8, n (2 2 2); order yxz;",
        "channel, hierarchical, 2, n (2 1 1);",
        "blocks, hierarchical, 6, n (3 2 1); order zyx;",
        "blocks, simple, 5, n (5 1 1);",
        "square, simple, 4, n (2 2 1);",
        "square, simple, 3, n (1 3 1);"
    })
    void shouldWriteTheFilesOfDecomposePar(
            final String name, final String method, final int ranks, final String coefficients)
            throws IOException, InterruptedException {
        OpenFoam.assumeInstalled("decomposePar");
        advance(caze(name));
        method(method, ranks, coefficients);
        Decomposition.decompose(Case.of(folder), ranks);
        final Path ours = Files.createDirectory(folder.resolve("ours"));
        for (int rank = 0; rank < ranks; rank++) {
            Files.move(folder.resolve("processor" + rank), ours.resolve("processor" + rank));
        }
        OpenFoam.run(folder, "decomposePar");
        final List<Path> files = OpenFoam.files(folder, "processor");
        assertTrue(files.size() >= 12 * ranks, files::toString);
        for (final Path file : files) {
            assertEquals(OpenFoam.body(folder.resolve(file)), OpenFoam.body(ours.resolve(file)), file.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"channel, 4", "channel, 7", "blocks, 6", "square, 2", "square, 64"})
    void shouldPutTogetherWhatItCut(final String name, final int ranks) throws IOException {
        advance(caze(name));
        method("coordinateBisection", ranks, "");
        final Case caze = Case.of(folder);
        Decomposition.decompose(caze, ranks);
        final Path time = folder.resolve("0.02");
        final Path kept = folder.resolve("kept");
        Files.move(time, kept);
        assertEquals(List.of("0.02"), Reconstruction.reconstruct(caze));
        for (final String field : List.of("U", "p", "phi")) {
            assertEquals(OpenFoam.body(kept.resolve(field)), OpenFoam.body(time.resolve(field)), field);
        }
    }

    @ParameterizedTest
    @CsvSource({"channel, 4", "blocks, 3", "square, 4"})
    void shouldPutTogetherAsReconstructParDoes(final String name, final int ranks)
            throws IOException, InterruptedException {
        OpenFoam.assumeInstalled("reconstructPar");
        advance(caze(name));
        method("coordinateBisection", ranks, "");
        final Case caze = Case.of(folder);
        Decomposition.decompose(caze, ranks);
        Reconstruction.reconstruct(caze);
        final Path time = folder.resolve("0.02");
        final Path ours = folder.resolve("ours");
        Files.move(time, ours);
        // It reads no more of this than the number.
        method("simple", ranks, "n (" + ranks + " 1 1);");
        OpenFoam.run(folder, "reconstructPar");
        for (final String field : List.of("U", "p", "phi")) {
            assertEquals(OpenFoam.body(time.resolve(field)), OpenFoam.body(ours.resolve(field)), field);
        }
    }

    @Test
    void shouldGiveEachCellToOneRankAndEachBorderToTwo() {
        final Case caze = caze("blocks");
        method("coordinateBisection", 7, "");
        Decomposition.decompose(caze, 7);
        assertEquals(7, caze.processors());
        final int[] owners = new int[caze.mesh().cells()];
        final int[] borders = new int[caze.mesh().faces()];
        for (int rank = 0; rank < 7; rank++) {
            final Case part = caze.processor(rank);
            final Path mesh = part.folder().resolve("constant/polyMesh");
            final int[] cells = PolyMeshFiles.readLabels(mesh.resolve("cellProcAddressing"));
            for (final int cell : cells) {
                owners[cell]++;
            }
            assertEquals(caze.mesh().cells() / 7.0, cells.length, 1);
            final int[] faces = PolyMeshFiles.readLabels(mesh.resolve("faceProcAddressing"));
            for (final Patch patch : part.mesh().patches()) {
                for (int i = patch.start(); patch.isProcessor() && i < patch.start() + patch.size(); i++) {
                    borders[Math.abs(faces[i]) - 1] += faces[i] > 0 ? 1 : 10;
                }
            }
        }
        assertTrue(Arrays.stream(owners).allMatch(count -> count == 1));
        assertTrue(Arrays.stream(borders).allMatch(count -> count == 0 || count == 11));
    }

    @Test
    void shouldReadACaseThatDecomposeParMade() throws IOException, InterruptedException {
        OpenFoam.assumeInstalled("decomposePar");
        final Case caze = caze("channel");
        OpenFoam.run(folder, "decomposePar");
        assertEquals(4, caze.processors());
        final Field u = caze.processor(3).readField("0", "U", Field.Kind.VOL_VECTOR);
        assertEquals(3 * 48, u.internal().length);
        final Dictionary border = u.patches().get("procBoundary3to2throughright");
        assertEquals("processorCyclic", border.word("type"));
        assertArrayEquals(new double[] {0.1, 0, 0}, border.field("value", 3, 1));
    }
}
