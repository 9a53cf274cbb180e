package org.parley.foam.fvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** OpenFOAM's own tutorials of icoFoam, as they are: the same logs and the same files as icoFoam's. */
class TutorialsTest {
    private static final Path TUTORIALS = Path.of("/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam");

    @TempDir
    Path theirs;

    @TempDir
    Path ours;

    @TempDir
    Path other;

    @ParameterizedTest
    @CsvSource({
        "cavity, 1",
        "cavity, 2",
        "cavityGrade, 1",
        "cavityGrade, 2",
        "cavityClipped, 1",
        "cavityClipped, 4",
        "elbow, 1",
        "elbow, 2",
        "cavityMappingTest, 1"
    })
    void shouldRunAsByIcoFoam(final String name, final int ranks) throws IOException {
        Runs.assumeOpenFoam();
        Assumptions.assumeTrue(
                Files.isDirectory(TUTORIALS), "needs OpenFOAM's tutorials: apt-get install openfoam-examples");
        prepare(name);
        copy(theirs, ours);
        if (name.equals("cavity")) {
            // Ours makes its mesh itself.
            Runs.openFoam(theirs, 1, "blockMesh");
            Runs.mesh(ours);
        }
        if (ranks > 1 && name.equals("elbow")) {
            // On fewer processors than ranks its 200 steps may take MPI longer than a test has.
            shorten(theirs);
            shorten(ours);
        }
        if (ranks > 1) {
            Cases.decomposition(theirs, ranks);
            Runs.openFoam(theirs, 1, "decomposePar");
            Runs.decompose(ours, ranks);
        }
        final String expected = Runs.openFoam(theirs, ranks, "icoFoam", "-noFunctionObjects");
        final String actual = Runs.solve(ours, ranks);
        SolverLog.assertClose(SolverLog.parse(expected), SolverLog.parse(actual));
        final boolean sameMachine = System.getProperty("os.arch").equals("amd64") && expected.contains("OPENFOAM=1912");
        if (sameMachine && ranks <= 2) {
            assertEquals(OpenFoamTest.steps(expected), OpenFoamTest.steps(actual));
            assertSameFields();
        }
    }

    /** As the tutorials' Allrun does it, but for the mesh of cavity. */
    private void prepare(final String name) throws IOException {
        copy(
                TUTORIALS.resolve(name.equals("elbow") || name.equals("cavityMappingTest") ? name : "cavity/" + name),
                theirs);
        switch (name) {
            case "cavityGrade", "cavityClipped" -> {
                copy(TUTORIALS.resolve("cavity/cavity"), other);
                Runs.openFoam(other, 1, "blockMesh");
                Runs.openFoam(other, 1, "icoFoam");
                Runs.openFoam(theirs, 1, "blockMesh");
                if (name.equals("cavityClipped")) {
                    copy(theirs.resolve("0"), theirs.resolve("0.5"));
                    Runs.openFoam(theirs, 1, "mapFields", other.toString(), "-sourceTime", "latestTime");
                } else {
                    Runs.openFoam(theirs, 1, "mapFields", other.toString(), "-sourceTime", "latestTime", "-consistent");
                }
            }
            case "elbow" -> {
                final Path mesh = theirs.resolve("elbow.msh");
                try (InputStream in = new GZIPInputStream(new FileInputStream(mesh + ".gz"))) {
                    Files.copy(in, mesh);
                }
                Runs.openFoam(theirs, 1, "fluentMeshToFoam", mesh.toString());
            }
            case "cavityMappingTest" -> Runs.openFoam(theirs, 1, "blockMesh", "-dict", "system/blockMeshDict.fine");
            default -> {
                // Nothing besides its mesh.
            }
        }
    }

    private static void shorten(final Path folder) throws IOException {
        final Path control = folder.resolve("system/controlDict");
        Files.writeString(control, Files.readString(control).replaceAll("endTime +10;", "endTime 1;"));
    }

    private void assertSameFields() throws IOException {
        final List<Path> written;
        try (Stream<Path> files = Files.walk(theirs)) {
            written = files.filter(file -> file.getFileName().toString().matches("U|p|phi"))
                    .map(theirs::relativize)
                    .toList();
        }
        assertFalse(written.isEmpty());
        for (final Path file : written) {
            assertEquals(body(theirs.resolve(file)), body(ours.resolve(file)), file.toString());
        }
    }

    private static String body(final Path file) throws IOException {
        final String text = Files.readString(file);
        return text.substring(text.indexOf("\ndimensions"));
    }

    private static void copy(final Path from, final Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            files.forEach(file -> {
                try {
                    final Path target = to.resolve(from.relativize(file).toString());
                    if (Files.isDirectory(file)) {
                        Files.createDirectories(target);
                    } else {
                        Files.copy(file, target);
                    }
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
