package org.parley.foam.fvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.parley.foam.Case;
import org.parley.foam.Field;

/** The same cases by icoFoam itself, where it is installed: logs and fields. */
class OpenFoamTest {
    @TempDir
    Path theirs;

    @TempDir
    Path ours;

    @ParameterizedTest
    @CsvSource({"limited, 1", "inout, 1", "gamg, 2", "cyclic, 2", "blocks, 4"})
    void shouldGiveTheLogAndTheFieldsOfIcoFoam(final String name, final int ranks) {
        Runs.assumeOpenFoam();
        for (final Path folder : new Path[] {theirs, ours}) {
            Cases.write(folder, name);
            Runs.openFoam(folder, 1, "blockMesh");
            if (ranks > 1) {
                Cases.decomposition(folder, ranks);
                Runs.openFoam(folder, 1, "decomposePar");
            }
        }
        final String expected = Runs.openFoam(theirs, ranks, "icoFoam");
        SolverLog.assertClose(SolverLog.parse(expected), SolverLog.parse(Runs.solve(ours, ranks)));
        for (int rank = 0; rank < ranks; rank++) {
            final Case a = ranks == 1 ? Case.of(theirs) : Case.of(theirs).processor(rank);
            final Case b = ranks == 1 ? Case.of(ours) : Case.of(ours).processor(rank);
            final double[] times = b.times();
            final String last = b.timeFolder(times[times.length - 1]);
            assertSame(a.readField(last, "U", Field.Kind.VOL_VECTOR), b.readField(last, "U", Field.Kind.VOL_VECTOR));
            assertSame(a.readField(last, "p", Field.Kind.VOL_SCALAR), b.readField(last, "p", Field.Kind.VOL_SCALAR));
            assertSame(
                    a.readField(last, "phi", Field.Kind.SURFACE_SCALAR),
                    b.readField(last, "phi", Field.Kind.SURFACE_SCALAR));
        }
    }

    /** Twelve digits of all that is printed; GAMG, PCG and sweeps, meshes of lines and others. */
    @ParameterizedTest
    @CsvSource({"large, 1", "large, 2", "skewed, 1", "limited, 2", "gamg, 2"})
    void shouldPrintTheDigitsOfIcoFoam(final String name, final int ranks) {
        Runs.assumeOpenFoam();
        Assumptions.assumeTrue(
                System.getProperty("os.arch").equals("amd64"), "elsewhere compilers fuse additions and products");
        for (final Path folder : new Path[] {theirs, ours}) {
            if (name.equals("large")) {
                Cases.cavity(folder, 100, 100, 0.008, 20, Cases.PCG, Cases.SMOOTH);
            } else {
                Cases.write(folder, name);
            }
            Runs.openFoam(folder, 1, "blockMesh");
            if (ranks > 1) {
                Cases.decomposition(folder, ranks);
                Runs.openFoam(folder, 1, "decomposePar");
            }
        }
        final String expected = Runs.openFoam(theirs, ranks, "icoFoam");
        Assumptions.assumeTrue(expected.contains("OPENFOAM=1912"), "the installed OpenFOAM is not v1912");
        assertEquals(steps(expected), steps(Runs.solve(ours, ranks)));
    }

    static String steps(final String log) {
        return log.substring(log.indexOf("Starting time loop"), log.indexOf("\nEnd\n"))
                .replaceAll("ExecutionTime.*", "");
    }

    private static void assertSame(final Field expected, final Field actual) {
        double largest = 0;
        for (final double value : expected.internal()) {
            largest = Math.max(largest, Math.abs(value));
        }
        for (int i = 0; i < expected.internal().length; i++) {
            assertEquals(expected.internal()[i], actual.internal()[i], 1e-5 * largest, expected.name() + " at " + i);
        }
    }
}
