package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.parley.foam.Main;
import org.parley.testbed.VerbsShim;

/** The OpenFOAM proxy over each transport: the log and the fields of icoFoam, to the last digit. */
class IcoFoamTransportsTest {
    private static final Path TUTORIAL =
            Path.of("/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity");

    @TempDir
    Path folder;

    /** A log's time steps and the ranks' files. */
    private record Run(String log, Map<String, String> fields) {}

    @Test
    void shouldGiveTheSameBitsOverVerbs() throws Exception {
        assumeVerbs();
        Command.Result made = parley(Map.of(), "shm", "--cells", "12x12x1", "--steps", "4", "-case", "shm");
        Run expected = run(made, "shm");
        assertThat(expected.log()).contains("Solving for p, Initial residual = ");
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            made = parley(OnShim.environment(shim), "rc", "--cells", "12x12x1", "--steps", "4", "-case", "rc");
            assertThat(run(made, "rc")).isEqualTo(expected);
        }
    }

    @Test
    void shouldRunTheTutorialAsByIcoFoamOverTcp() throws Exception {
        Run expected = byIcoFoam();
        assertThat(run(parley(Map.of(), "tcp", "-case", "tutorial"), "tutorial"))
                .isEqualTo(expected);
    }

    @Test
    void shouldRunTheTutorialAsByIcoFoamOverVerbs() throws Exception {
        assumeVerbs();
        Run expected = byIcoFoam();
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            assertThat(run(parley(OnShim.environment(shim), "rc", "-case", "tutorial"), "tutorial"))
                    .isEqualTo(expected);
        }
    }

    private static void assumeVerbs() {
        Optional<String> lack = VerbsShim.lacks();
        assumeTrue(lack.isEmpty(), lack.orElse(""));
    }

    private Command.Result parley(Map<String, String> environment, String transport, String... words) throws Exception {
        Path classes = Path.of(
                Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String[] run = {"run", "-n", "2", "--transports", "self," + transport, "-cp", classes.toString()};
        String[] command = Stream.of(
                        new String[] {Launch.PARLEY.toString()}, run, new String[] {Main.class.getName()}, words)
                .flatMap(Stream::of)
                .toArray(String[]::new);
        return Command.run(folder, environment, command);
    }

    /** Runs the tutorial on two ranks by OpenFOAM; what it starts from is then a case in the folder "tutorial". */
    private Run byIcoFoam() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/icoFoam")), "needs icoFoam: apt-get install openfoam");
        assumeTrue(Files.isDirectory(TUTORIAL), "needs OpenFOAM's tutorials: apt-get install openfoam-examples");
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "elsewhere compilers fuse additions and products");
        for (String name : new String[] {"tutorial", "theirs"}) {
            copy(TUTORIAL, folder.resolve(name));
            // A tenth of its steps: each waits some hundred times for the other rank, which may have no processor just
            // then.
            Path control = folder.resolve(name).resolve("system/controlDict");
            Files.writeString(
                    control,
                    Files.readString(control)
                            .replaceAll("endTime +0.5;", "endTime 0.05;")
                            .replaceAll("writeInterval +20;", "writeInterval 10;"));
            Files.writeString(
                    folder.resolve(name).resolve("system/decomposeParDict"),
                    "FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }\n"
                            + "numberOfSubdomains 2; method simple; simpleCoeffs { n (2 1 1); delta 0.001; }\n");
        }
        openFoam("blockMesh");
        openFoam("decomposePar");
        // Whoever waits for the other rank lets others work: more may run here than there are processors.
        Command.Result made = openFoam(
                "mpirun",
                "--allow-run-as-root",
                "--oversubscribe",
                "-np",
                "2",
                "--mca",
                "mpi_yield_when_idle",
                "1",
                "icoFoam",
                "-parallel",
                "-noFunctionObjects");
        assumeTrue(made.out().contains("OPENFOAM=1912"), "the installed OpenFOAM is not v1912");
        Run run = run(made, "theirs");
        assertThat(run.log()).contains("Time = 0.05\n").doesNotContain("Time = 0.055");
        return run;
    }

    private Command.Result openFoam(String... words) throws Exception {
        String[] command =
                Stream.concat(Stream.of(words), Stream.of("-case", "theirs")).toArray(String[]::new);
        Command.Result result = Command.run(folder, Map.of("WM_PROJECT_DIR", "/usr/share/openfoam"), command);
        assertThat(result.code()).as(result.toString()).isZero();
        return result;
    }

    private Run run(Command.Result made, String name) throws IOException {
        assertThat(made.code()).as(made.toString()).isZero();
        String log = made.out()
                .substring(made.out().indexOf("Starting time loop"), made.out().indexOf("\nEnd\n"))
                .replaceAll("ExecutionTime.*", "");
        Map<String, String> fields = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder.resolve(name))) {
            for (Path file : files.filter(path -> path.getFileName().toString().matches("U|p|phi"))
                    .toList()) {
                Path path = folder.resolve(name).relativize(file);
                // What the runs have written, and not what they began with.
                if (path.toString().matches("processor./0\\..*")) {
                    String text = Files.readString(file);
                    fields.put(path.toString(), text.substring(text.indexOf("\ndimensions")));
                }
            }
        }
        assertThat(fields).isNotEmpty();
        return new Run(log, fields);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            files.forEach(file -> {
                try {
                    Files.copy(file, to.resolve(from.relativize(file).toString()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
