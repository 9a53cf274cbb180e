package org.parley.foam.fvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Residuals and iterations against those that icoFoam of OpenFOAM v1912 printed for the same cases,
 * kept as resources. {@code -Dparley.foam.write=FOLDER} writes them anew where OpenFOAM is.
 */
class ReferenceTest {
    private static final String WRITE = System.getProperty("parley.foam.write");

    @TempDir
    Path folder;

    static Stream<String> names() {
        return Stream.concat(
                Cases.ALL.stream(), Stream.of("cyclic-2", "gamg-2", "inout-3", "cube-4", "limited-4", "blocks-4"));
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldPrintTheResidualsOfIcoFoam(final String name) throws IOException {
        final String[] parts = name.split("-");
        final int ranks = parts.length > 1 ? Integer.parseInt(parts[1]) : 1;
        Cases.write(folder, parts[0]);
        if (WRITE != null) {
            write(name, ranks);
            return;
        }
        Runs.mesh(folder);
        if (ranks > 1) {
            Runs.decompose(folder, ranks);
        }
        final List<SolverLog.Solution> expected;
        try (InputStream in = ReferenceTest.class.getResourceAsStream(name + ".residuals")) {
            expected = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(SolverLog.Solution::of)
                    .toList();
        }
        assertTrue(expected.size() >= 100);
        final List<SolverLog.Solution> actual = SolverLog.parse(Runs.solve(folder, ranks));
        if (ranks <= 2) {
            SolverLog.assertSame(expected, actual);
        } else {
            // The order in which three and more ranks are added up is that of the reduction's algorithm.
            SolverLog.assertClose(expected, actual);
        }
    }

    private void write(final String name, final int ranks) throws IOException {
        Runs.assumeOpenFoam();
        Runs.openFoam(folder, 1, "blockMesh");
        if (ranks > 1) {
            Cases.decomposition(folder, ranks);
            Runs.openFoam(folder, 1, "decomposePar");
        }
        final String text = SolverLog.parse(Runs.openFoam(folder, ranks, "icoFoam")).stream()
                .map(s -> s.name() + " " + (float) s.first() + " " + (float) s.last() + " " + s.iterations() + "\n")
                .collect(Collectors.joining());
        Files.writeString(Path.of(WRITE, name + ".residuals"), text);
    }
}
