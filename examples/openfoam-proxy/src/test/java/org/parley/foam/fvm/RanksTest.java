package org.parley.foam.fvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.parley.foam.Case;
import org.parley.foam.Field;
import org.parley.foam.decompose.Reconstruction;
import org.parley.foam.dictionary.FoamException;

/** What the number of ranks and the way they talk must not change. */
class RanksTest {
    private static final String TIGHT = "solver PCG; preconditioner DIC; tolerance 1e-12; relTol 0; maxIter 3000;";
    private static final String TIGHT_U =
            "solver PBiCGStab; preconditioner DILU; tolerance 1e-12; relTol 0; maxIter 3000;";

    @TempDir
    Path folder;

    @Test
    void shouldGiveTheSameFieldsOnOneAndOnManyRanks() {
        Cases.cavity(folder, 24, 100, 0.01, 5, TIGHT, TIGHT_U);
        Runs.mesh(folder);
        Runs.solve(folder, 1);
        final double[] alone = velocity();
        for (final int ranks : new int[] {2, 4}) {
            Runs.decompose(folder, ranks);
            Runs.solve(folder, ranks);
            Reconstruction.reconstruct(Case.of(folder));
            assertArrayEquals(alone, velocity(), 1e-9, ranks + " ranks");
            removeParts(ranks);
        }
    }

    /** A run that was stopped may have left its last time with some ranks only. */
    @Test
    void shouldGoOnFromTheLastTimeOfAllRanks() throws IOException {
        Cases.write(folder, "cavity");
        final Path control = folder.resolve("system/controlDict");
        final String text = Files.readString(control).replace("writeInterval 20", "writeInterval 5");
        Files.writeString(control, text);
        Runs.mesh(folder);
        Runs.decompose(folder, 3);
        final String whole = steps(Runs.solve(folder, 3));
        remove(folder.resolve("processor1/0.1"));
        assertEquals(
                List.of("0", "0.025", "0.05", "0.075"),
                Reconstruction.reconstruct(Case.of(folder)),
                "the times that all have");
        Files.writeString(control, text.replace("startFrom startTime", "startFrom latestTime"));
        final String rest = steps(Runs.solve(folder, 3));
        assertTrue(rest.startsWith("Time = 0.08\n"), rest);
        final String expected = whole.substring(whole.indexOf("Time = 0.08\n"));
        SolverLog.assertClose(SolverLog.parse(expected), SolverLog.parse(rest));
        assertTrue(Files.exists(folder.resolve("processor1/0.1/U")));
    }

    private static String steps(final String log) {
        return log.substring(log.indexOf("Time = "), log.indexOf("\nEnd\n"));
    }

    private double[] velocity() {
        return Case.of(folder).readField("0.05", "U", Field.Kind.VOL_VECTOR).internal();
    }

    private void removeParts(final int ranks) {
        for (int rank = 0; rank < ranks; rank++) {
            remove(folder.resolve("processor" + rank));
        }
    }

    private static void remove(final Path folder) {
        try (var paths = Files.walk(folder)) {
            for (final Path path :
                    paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldGiveTheSameBitsByAllCommsTypes() throws IOException {
        Cases.write(folder, "blocks");
        Runs.mesh(folder);
        Runs.decompose(folder, 4);
        final String expected = withoutTimes(Runs.solve(folder, 4));
        final Path control = folder.resolve("system/controlDict");
        final String text = Files.readString(control);
        for (final String type : new String[] {"blocking", "scheduled", "nonBlocking"}) {
            Files.writeString(control, text + "OptimisationSwitches { commsType " + type + "; }\n");
            assertEquals(expected, withoutTimes(Runs.solve(folder, 4)), type);
        }
    }

    @Test
    void shouldSolveWithGatheredReductionsAsWithAllreduce() throws IOException {
        Cases.write(folder, "gamg");
        Runs.mesh(folder);
        Runs.decompose(folder, 4);
        final String expected = Runs.solve(folder, 4);
        final Path control = folder.resolve("system/controlDict");
        Files.writeString(control, Files.readString(control) + "OptimisationSwitches { nProcsSimpleSum 16; }\n");
        SolverLog.assertClose(SolverLog.parse(expected), SolverLog.parse(Runs.solve(folder, 4)));
    }

    @Test
    void shouldTakeTheCellAtAPointForThePressuresReference() throws IOException {
        Cases.cavity(folder, 8, 100, 0.02, 2, TIGHT, TIGHT_U);
        final Path solution = folder.resolve("system/fvSolution");
        final String text = Files.readString(solution);
        Files.writeString(solution, text.replaceAll("pRefCell +0;", "pRefCell 43;"));
        Runs.mesh(folder);
        final String byCell = withoutTimes(Runs.solve(folder, 1));
        Files.writeString(solution, text.replaceAll("pRefCell +0;", "pRefPoint (0.45 0.7 0.01);"));
        assertEquals(byCell, withoutTimes(Runs.solve(folder, 1)));
        Files.writeString(solution, text.replaceAll("pRefCell +0;", "pRefPoint (0.45 0.7 9);"));
        final FoamException outside = assertThrows(FoamException.class, () -> Runs.solve(folder, 1));
        assertTrue(outside.getMessage().contains("pRefPoint lies in no cell"), outside.getMessage());
    }

    private static String withoutTimes(final String log) {
        return log.replaceAll("ExecutionTime.*", "").replaceAll("(?s)\nEnd\n.*", "");
    }
}
