package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users can say to {@code parley run}. */
class RunOptionsTest {
    @TempDir
    Path folder;

    private Command.Result run(String... words) throws Exception {
        try (Launch job = Launch.parley(folder, words)) {
            return job.end();
        }
    }

    @Test
    void shouldGiveRanksTheirVariables() throws Exception {
        Command.Result result = run(
                "run",
                "-np",
                "2",
                "-x",
                "FOO=b=r",
                "-x",
                "HOME",
                "--exec",
                "sh",
                "-c",
                "echo $PARLEY_RANK/$PARLEY_SIZE $PARLEY_LOCAL_RANK/$PARLEY_LOCAL_SIZE $FOO $HOME");

        String home = System.getenv("HOME");
        assertThat(result.out().lines()).containsExactlyInAnyOrder("0/2 0/2 b=r " + home, "1/2 1/2 b=r " + home);
    }

    @Test
    void shouldKeepTheTokenFromAllButItsFile() throws Exception {
        String line =
                "tr '\\0' '\\n' <$PARLEY_TOKEN_FILE | wc -c; stat -c %a $PARLEY_TOKEN_FILE $(dirname $PARLEY_TOKEN_FILE);"
                        + " env | grep -c TOKEN";
        Command.Result result = run("run", "--exec", "sh", "-c", line);

        assertThat(result.out()).isEqualTo("32\n600\n700\n1\n");
    }

    @Test
    void shouldRunInAnotherFolder() throws Exception {
        Files.createDirectory(folder.resolve("there"));
        assertThat(run("run", "-wdir", "there", "--exec", "pwd").out()).endsWith("/there\n");
        Path classes = Files.createSymbolicLink(folder.resolve("classes"), Path.of(Launch.CLASSES));

        Command.Result result = run(
                "run", "-n", "2", "-wdir", "there", "-cp", classes.getFileName().toString(), "programs.Actor", "ring");

        assertThat(result.out()).contains("rank 0 got 1");
    }

    @Test
    void shouldSetOptionsOfRanks() throws Exception {
        Command.Result result =
                run("run", "-n", "2", "--set", "eager.windw=8m", "-cp", Launch.CLASSES, "programs.Actor", "ring");

        assertThat(result.code()).isZero();
        assertThat(result.err())
                .isEqualTo("parley: unknown option eager.windw (command line --set); the nearest known one is"
                        + " eager.window\n");
    }

    @Test
    void shouldPassOptionsOnToJvmsAndArgumentsToPrograms() throws Exception {
        Command.Result result = run(
                "run",
                "--java-opt",
                "-Xlog:gc*=off",
                "--java-opt",
                "-version",
                "-cp",
                Launch.CLASSES,
                "programs.Actor",
                "-n",
                "--help");

        assertThat(result.err()).contains("Runtime Environment");
    }

    @Test
    void shouldRunAJarByItsManifest() throws Exception {
        Path jar = folder.resolve("app.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "programs.Actor");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "more.jar");
        try (OutputStream out = Files.newOutputStream(jar)) {
            new JarOutputStream(out, manifest).close();
        }
        try (JarOutputStream more = new JarOutputStream(Files.newOutputStream(folder.resolve("more.jar")))) {
            more.putNextEntry(new JarEntry("programs/Actor.class"));
            Files.copy(Path.of(Launch.CLASSES, "programs", "Actor.class"), more);
        }

        assertThat(run("run", "-n", "2", "app.jar", "ring").out()).contains("rank 0 got 1");
    }

    @Test
    void shouldTakeHostsThatAreThisMachine() throws Exception {
        Files.writeString(folder.resolve("hosts"), "# ours\nlocalhost slots=2\n\nlocalhost:1\n");

        assertThat(run("run", "-H", "localhost:2", "--exec", "echo", "x").out()).isEqualTo("x\nx\n");
        assertThat(run("run", "--hostfile", "hosts", "--exec", "echo", "x").out())
                .isEqualTo("x\nx\nx\n");
        assertThat(run("run", "-n", "4", "--oversubscribe", "-H", "localhost:2", "--exec", "echo", "x")
                        .out())
                .hasLineCount(4);
    }

    @Test
    void shouldShowTheMap() throws Exception {
        assertThat(run("run", "-n", "2", "--display", "map", "--exec", "true").err())
                .contains(": 2 ranks on ", "rank 0: not bound", "rank 1: not bound");
    }

    @Test
    void shouldShowOverWhichTransportsRanksTalk() throws Exception {
        assertThat(run("run", "-n", "3", "--display", "map", "-cp", Launch.CLASSES, "programs.Actor", "ring")
                        .err())
                .contains("transports: shm between all ranks");
    }

    @Test
    void shouldRefuseATransportThatDoesNotExist() throws Exception {
        Command.Result result = run("run", "-n", "2", "--transports", "pigeon", "--exec", "true");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err())
                .contains("transport \"pigeon\" is not known; there are ")
                .hasLineCount(1);
    }

    @Test
    void shouldStopRanksWithoutAPermittedTransport() throws Exception {
        Command.Result result = run(
                "run", "-n", "2", "--transports", "^shm,tcp,rc,ud", "-cp", Launch.CLASSES, "programs.Actor", "ring");

        assertThat(result.code()).isNotZero();
    }

    @Test
    void shouldTellWhatThisMachineCanDo() throws Exception {
        Command.Result text = run("info");
        Command.Result json = run("info", "--json");
        Command.Result config = run("info", "--config");

        assertThat(text.code()).isZero();
        assertThat(text.out())
                .contains("parley ", System.getProperty("test.version"), "java ", "cpu ", "cores ", "memory ")
                .containsPattern("shm +available: single copy between processes (works|does not work)")
                .containsPattern("self +available");
        assertThat(json.out()).startsWith("{").contains("\"transports\"", "\"options\"", "\"source\"");
        assertThat(config.out()).contains("wireup.timeout=60s", "source: built in", "PARLEY_WIREUP_TIMEOUT");
        assertThat(text.err() + json.err() + config.err()).isEmpty();
    }
}
