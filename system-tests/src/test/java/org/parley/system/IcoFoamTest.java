package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.parley.foam.Main;

/** The OpenFOAM proxy as a job of real processes. */
class IcoFoamTest {
    @TempDir
    Path folder;

    private static Path classes() throws Exception {
        return Path.of(
                Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private Command.Result run(int ranks, String... words) throws Exception {
        return start(List.of("run", "-n", ranks + ""), words);
    }

    private Command.Result start(List<String> run, String... words) throws Exception {
        List<String> command = new ArrayList<>(run);
        command.addAll(List.of("-cp", classes().toString(), Main.class.getName()));
        command.addAll(List.of(words));
        try (Launch job = Launch.parley(folder, command.toArray(String[]::new))) {
            return job.end();
        }
    }

    @Test
    void shouldGiveTheSameFlowOnOneRankAndOnThree() throws Exception {
        Command.Result one = run(1, "--cells", "12x12x1", "--steps", "5", "-case", "one", "--picture", "one.svg");
        Command.Result three = run(3, "--cells", "12x12x1", "--steps", "5", "-case", "three", "--reconstruct");

        assertThat(one.code()).as(one.err()).isZero();
        assertThat(three.code()).as(three.err()).isZero();
        assertThat(one.out()).contains("Courant Number mean: ", "Solving for Ux, Initial residual = ", "\nEnd\n");
        assertThat(three.out().lines().filter(line -> line.startsWith("Time = ")))
                .hasSize(5);
        assertThat(folder.resolve("one.svg")).content().contains("<path d=", "</svg>");
        double[] expected = velocities(folder.resolve("one"));
        double[] actual = velocities(folder.resolve("three"));
        assertThat(expected).hasSize(3 * 144);
        for (int i = 0; i < expected.length; i++) {
            assertThat(actual[i]).isCloseTo(expected[i], Offset.offset(1e-4));
        }
    }

    @Test
    void shouldPutARunsFieldsTogetherLater() throws Exception {
        Command.Result two = run(2, "--cells", "8x8x1", "--steps", "2", "-case", "cavity");
        assertThat(two.code()).as(two.err()).isZero();
        assertThat(times()).isEmpty();

        Command.Result joined = run(1, "-case", "cavity", "--reconstruct");

        assertThat(joined.code()).as(joined.err()).isZero();
        assertThat(joined.out()).startsWith("Reconstructed times ").doesNotContain("Time = ");
        assertThat(times()).hasSize(1);
        assertThat(velocities(folder.resolve("cavity"))).hasSize(3 * 64);
    }

    private List<Path> times() throws Exception {
        try (var folders = Files.list(folder.resolve("cavity"))) {
            return folders.filter(path -> path.getFileName().toString().matches("0\\..*"))
                    .toList();
        }
    }

    @Test
    void shouldGiveTheSameBitsOverEveryTransport() throws Exception {
        List<String> logs = new ArrayList<>();
        List<String> fields = new ArrayList<>();
        for (String transport : List.of("shm", "tcp")) {
            Command.Result result = start(
                    List.of("run", "-n", "3", "--transports", "self," + transport),
                    "--cells",
                    "12x12x1",
                    "--steps",
                    "4",
                    "-case",
                    transport);
            assertThat(result.code()).as(result.err()).isZero();
            logs.add(result.out().substring(0, result.out().indexOf("\nEnd\n")).replaceAll("ExecutionTime.*", ""));
            StringBuilder text = new StringBuilder();
            for (int rank = 0; rank < 3; rank++) {
                try (var files = Files.walk(folder.resolve(transport + "/processor" + rank))) {
                    for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                        text.append(file.getFileName()).append(Files.readString(file));
                    }
                }
            }
            fields.add(text.toString());
        }
        assertThat(logs.get(0)).contains("Solving for p, Initial residual = ").isEqualTo(logs.get(1));
        assertThat(fields.get(0)).contains("nonuniform List<vector>").isEqualTo(fields.get(1));
    }

    /** As a release archive has it: the script beside the jar, the distribution two folders up. */
    @Test
    void shouldRunByItsScript() throws Exception {
        Path root = Path.of(System.getProperty("test.dist")).resolve("../../..").normalize();
        Path example = Files.createDirectories(folder.resolve("release/examples/openfoam-proxy"));
        Path bin = Files.createSymbolicLink(
                folder.resolve("release/bin"), Path.of(System.getProperty("test.dist"), "bin"));
        Path jar = Files.createSymbolicLink(example.resolve("parley-openfoam-proxy.jar"), classes());
        Path script = Files.copy(
                root.resolve("examples/openfoam-proxy/icofoam"),
                example.resolve("icofoam"),
                StandardCopyOption.COPY_ATTRIBUTES);
        try {
            Path mine = Files.createDirectory(folder.resolve("my case's"));
            Command.Result made =
                    script(script, "-n", "2", "--cells", "6x6x1", "--steps", "1", "-case", mine.toString());
            assertThat(made.code()).as(made.err()).isZero();
            assertThat(made.out()).contains("\nEnd\n", "Communication profile");

            Command.Result joined = script(script, "--reconstruct", "-case=" + mine);
            assertThat(joined.code()).as(joined.err()).isZero();
            assertThat(joined.out()).startsWith("Reconstructed times ");

            Command.Result compared = script(script, "-n", "2", "--compare", "shm", "-case", mine.toString());
            assertThat(compared.code()).as(compared.err()).isZero();
            assertThat(compared.out().lines().map(line -> line.split(" ")[0])).containsExactly("transport", "shm");

            Command.Result none = script(script, "-n", "2", "--compare", "shm", "-case", "nowhere");
            assertThat(none.code()).isEqualTo(1);
            assertThat(none.err()).contains("nowhere is no case");
            assertThat(script(script, "--cells").code()).isEqualTo(2);
            Command.Result lone = script(script, "--compare", "shm", "-case", mine.toString());
            assertThat(lone.code()).isEqualTo(2);
            assertThat(lone.err()).contains("--compare needs two ranks at least");
            Command.Result unknown = script(script, "-n", "2", "--compare", "shm,shn", "-case", mine.toString());
            assertThat(unknown.code()).isEqualTo(2);
            assertThat(unknown.err()).contains("there is no transport 'shn'");
            assertThat(script(script, "--help").out()).startsWith("Usage: icofoam ");
            assertRefused(script(script, "-n", "2", "--cells", "6y6"), "icofoam: --cells 6y6: expected NXxNYxNZ");
            assertRefused(script(script, "--cells", "6x6", "--steps", "-1"), "icofoam: --steps -1: expected whole");
            assertRefused(script(script, "--cells", "6x6", "--picture", "a.png"), "icofoam: --picture a.png: expected");
            assertRefused(script(script, "--steps", "4"), "icofoam: --steps is of the cavity");
            assertRefused(script(script, "-n", "2", "cavity"), "icofoam: 'cavity' is no option");
            assertRefused(script(script, "cavity"), "icofoam: 'cavity' is no option");
            assertRefused(script(script, "-n", "two", "-case", mine.toString()), "parley run: -n two: it takes");
            assertRefused(script(script, "--parallel", "-case", mine.toString()), "parley run: there is no option");
            Command.Result nowhere = script(script, "-n", "2", "-case", "nowhere");
            assertThat(nowhere.code()).isEqualTo(1);
            assertThat(nowhere.err()).isEqualTo("icofoam: nowhere is no case: it has no system/controlDict\n");
        } finally {
            Files.delete(bin); // or JUnit warns that they point out of its folder
            Files.delete(jar);
        }
    }

    /** A user's mistake is one line, and no job that has failed. */
    private static void assertRefused(Command.Result result, String why) {
        assertThat(result.code()).as(result.toString()).isEqualTo(2);
        assertThat(result.err()).startsWith(why).hasLineCount(1);
    }

    private Command.Result script(Path script, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(words));
        try (Launch job = Launch.start(folder, command)) {
            return job.end();
        }
    }

    private static double[] velocities(Path caze) throws Exception {
        Path time;
        try (var folders = Files.list(caze)) {
            time = folders.filter(path -> path.getFileName().toString().matches("0\\..*"))
                    .findFirst()
                    .orElseThrow();
        }
        String text = Files.readString(time.resolve("U"));
        String list = text.substring(text.indexOf("List<vector>") + 13, text.indexOf(";\n\nboundaryField"));
        String[] words =
                list.substring(list.indexOf('(')).replaceAll("[()]", " ").trim().split("\\s+");
        return Arrays.stream(words).mapToDouble(Double::parseDouble).toArray();
    }

    @Test
    void shouldTellAMistakeInACaseInOneSentence() throws Exception {
        assertThat(run(1, "--cells", "4x4x1", "--steps", "1", "-case", "cavity").code())
                .isZero();
        Path schemes = folder.resolve("cavity/system/fvSchemes");
        Files.writeString(schemes, Files.readString(schemes).replace("default Euler", "default Eule"));

        for (int ranks = 1; ranks < 3; ranks++) {
            Command.Result result = run(ranks, "-case", "cavity");
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err())
                    .contains("cavity/system/fvSchemes:")
                    .contains("Eule")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void shouldRefuseWhatIsNoCaseAndWhatIsNoOption() throws Exception {
        Command.Result none = run(2, "-case", "nowhere");
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.err()).contains("nowhere: is no case: it has no system/controlDict");
        Command.Result steps = run(1, "--steps", "5", "-case", "nowhere");
        assertThat(steps.code()).isEqualTo(2);
        assertThat(steps.err()).contains("--steps is of the cavity that --cells makes");
        Command.Result picture = run(1, "--cells", "4x4", "-case", "new", "--picture", "none/a.svg");
        assertThat(picture.code()).isEqualTo(1);
        assertThat(picture.err()).contains("none/a.svg: cannot be written (--picture): there is no folder");
        assertThat(folder.resolve("new")).doesNotExist();
        Command.Result wrong = run(1, "--cells", "0x4");
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.err()).contains("--cells 0x4: expected whole numbers of more than 0");
        Command.Result both = run(2, "--cells", "0x4");
        assertThat(both.code()).isEqualTo(2);
        assertThat(both.err()).containsOnlyOnce("--cells 0x4: expected whole numbers of more than 0");
    }

    /** Where it was stopped, it goes on: all files of a time that is there are there, and ranks agree on which is the last. */
    @Test
    void shouldGoOnAfterCtrlC() throws Exception {
        Launch.assumeIsHeard("INT", 2);
        Command.Result made = run(2, "--cells", "10x10x1", "--steps", "1", "-case", "cavity");
        assertThat(made.code()).as(made.err()).isZero();
        Path control = folder.resolve("cavity/system/controlDict");
        String endless = Files.readString(control)
                .replaceAll("endTime [0-9.]+;", "endTime 1e6;\npurgeWrite 3;")
                .replace("startFrom startTime", "startFrom latestTime");
        Files.writeString(control, endless);
        for (int stop = 1; stop < 4; stop++) {
            String[] words = {
                "run", "-v", "-n", "2", "-cp", classes().toString(), Main.class.getName(), "-case", "cavity"
            };
            try (Launch job = Launch.parley(folder, words)) {
                job.awaitOut("ExecutionTime = ");
                Launch.signal("INT", job.pid());
                Command.Result result = job.end();
                assertThat(result.code()).as(result.err()).isEqualTo(130);
                assertThat(result.err()).contains("stopped by SIGINT").doesNotContain("FAILED");
                assertThat(Launch.isThere(job.pid(0))).isFalse();
                assertThat(Launch.isThere(job.pid(1))).isFalse();
                assertThat(job.leftovers()).isEmpty();
            }
            assertTimesAreWhole();
        }
        Files.writeString(control, endless.replace("stopAt endTime", "stopAt nextWrite"));
        Command.Result last = run(2, "-case", "cavity", "--reconstruct");
        assertThat(last.code()).as(last.err()).isZero();
        assertThat(last.out().lines().filter(line -> line.startsWith("Time = ")))
                .hasSize(1);
    }

    private void assertTimesAreWhole() throws Exception {
        for (int rank = 0; rank < 2; rank++) {
            try (var folders = Files.list(folder.resolve("cavity/processor" + rank))) {
                List<Path> times = folders.filter(
                                path -> path.getFileName().toString().matches("[0-9.e+]+"))
                        .filter(path -> !path.endsWith("0"))
                        .toList();
                assertThat(times).isNotEmpty();
                for (Path time : times) {
                    assertThat(time).isDirectoryContaining("glob:**/{U,p,phi,uniform}");
                    for (String file : List.of("U", "p", "phi", "uniform/time")) {
                        assertThat(time.resolve(file)).content().endsWith("* //\n");
                    }
                }
            }
        }
    }
}
