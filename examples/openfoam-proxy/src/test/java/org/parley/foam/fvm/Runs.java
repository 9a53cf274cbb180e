package org.parley.foam.fvm;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.parley.Parley;
import org.parley.foam.Case;
import org.parley.foam.blockmesh.BlockMesh;
import org.parley.foam.decompose.Decomposition;
import org.parley.foam.mesh.PolyMeshFiles;

/** Runs of cases, by this solver and by OpenFOAM's. */
final class Runs {
    private static final long DEADLINE_SECONDS = 110;

    private Runs() {}

    /** Makes the mesh of a case. */
    static void mesh(final Path folder) {
        PolyMeshFiles.write(
                folder.resolve("constant/polyMesh"),
                BlockMesh.create(Case.of(folder).system("blockMeshDict")),
                PolyMeshFiles.DIGITS);
    }

    /** Cuts a case into parts. */
    static void decompose(final Path folder, final int ranks) {
        Cases.decomposition(folder, ranks);
        Decomposition.decompose(Case.of(folder), ranks);
    }

    /** Solves a case that has its mesh, and its parts if there are several ranks; returns the log. */
    static String solve(final Path folder, final int ranks) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
        if (ranks == 1) {
            new IcoFoam(Case.of(folder), null, out).run();
        } else {
            Parley.local(ranks, parley -> {
                final Case mine = Case.of(folder).processor(parley.world().rank());
                new IcoFoam(mine, parley.world(), out).run();
            });
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Skips the test where OpenFOAM is not installed. */
    static void assumeOpenFoam() {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/icoFoam")), "needs OpenFOAM's icoFoam: apt-get install openfoam");
    }

    /** Runs a program of OpenFOAM on a case and returns its log. */
    static String openFoam(final Path folder, final int ranks, final String program, final String... options) {
        final List<String> command = new ArrayList<>();
        if (ranks > 1) {
            command.addAll(List.of("mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "" + ranks));
        }
        command.addAll(List.of(program, "-case", folder.toString()));
        if (ranks > 1) {
            command.add("-parallel");
        }
        command.addAll(List.of(options));
        try {
            final Path log = Files.createTempFile(folder, program, ".log");
            final ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
            builder.environment().put("WM_PROJECT_DIR", "/usr/share/openfoam");
            final Process process = builder.start();
            try {
                if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                    throw new AssertionError(command + " takes too long");
                }
            } finally {
                process.destroyForcibly();
            }
            final String text = Files.readString(log);
            if (process.exitValue() != 0) {
                throw new AssertionError(command + " failed:\n" + text);
            }
            return text;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
