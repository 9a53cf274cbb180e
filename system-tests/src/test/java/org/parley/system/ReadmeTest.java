package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's commands, run as they stand there. */
class ReadmeTest {
    private static final String OUTPUT = "rank 0 of 2";

    /** Looks like a fresh clone after the first ./parley. */
    @TempDir
    Path clone;

    @BeforeEach
    void makeClone() throws IOException {
        Path target = Files.createDirectories(clone.resolve("launcher/target"));
        Files.createSymbolicLink(target.resolve("dist"), Documents.DIST);
        Files.writeString(
                clone.resolve("parley"), "#!/bin/sh\nexec '" + Documents.DIST.resolve("bin/parley") + "' \"$@\"\n");
        assertThat(clone.resolve("parley").toFile().setExecutable(true)).isTrue();
        Files.writeString(clone.resolve("Hello.java"), Documents.block("java", "class Hello "));
    }

    @AfterEach
    void removeLink() throws IOException {
        Files.delete(clone.resolve("launcher/target/dist")); // or JUnit warns that it points out of its folder
    }

    @Test
    void shouldCompileAndRunHello() throws Exception {
        Command.Result result = run(Documents.block("sh", " Hello.java"));

        assertThat(result.code()).as("%s", result).isZero();
        assertThat(result.out().lines())
                .containsExactlyInAnyOrderElementsOf(
                        Documents.block("text", OUTPUT).lines().toList());
    }

    @Test
    void shouldRunHelloWithoutTheLauncher() throws Exception {
        compileHello();

        Command.Result result = run(Documents.block("sh", "UNNAMED --enable-native-access=ALL-UNNAMED \\"));

        assertThat(result.code()).as("%s", result).isZero();
        assertThat(result.out()).startsWith("rank 0 of 1");
        assertThat(result.err()).contains("not started by a launcher");
    }

    @Test
    void shouldRunRanksWithoutTheLauncher() throws Exception {
        compileHello();

        Command.Result result = run(Documents.block("sh", "PARLEY_JOB"));

        assertThat(result.code()).as("%s", result).isZero();
        assertThat(result.out().lines())
                .as("%s", result)
                .containsExactlyInAnyOrderElementsOf(
                        Documents.block("text", OUTPUT).lines().toList());
    }

    @Test
    void shouldGoOnWithoutARank() throws Exception {
        Files.writeString(clone.resolve("Survive.java"), Documents.block("java", "class Survive "));

        Command.Result result = run(Documents.block("sh", "Survive.java"));

        assertThat(result.code()).as("%s", result).isZero();
        assertThat(result.out()).isEqualTo(Documents.block("text", "step 0"));
        assertThat(result.err()).contains("1 of 4 ranks has failed:", "rank 1 on ", "exited with code 9");
    }

    @Test
    void shouldTakeOptionsFromTheEnvironment() throws Exception {
        compileHello();

        Command.Result result = run(Documents.block("sh", "JDK_JAVA_OPTIONS"));

        assertThat(result.code()).as("%s", result).isZero();
        assertThat(result.out()).startsWith("rank 0 of 1");
    }

    @Test
    void shouldNameTheOptionThatIsMissing() throws Exception {
        compileHello();

        Command.Result result = run("java -cp 'launcher/target/dist/lib/*:classes' Hello");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .contains("must be started with the option --add-opens java.base/jdk.internal.misc=ALL-UNNAMED ")
                .doesNotContain("agrona")
                .doesNotContain("Caused by");
        assertThat(result.out()).isEmpty();
    }

    @Test
    void shouldRunTheBenchmarksThatItNames() throws Exception {
        for (String line : Documents.block("sh", "./parley bench").lines().toList()) {
            String command = line.replaceFirst("#.*", "").strip();

            // As it stands there, but for a few seconds.
            String brief = " --cold -i 10 -x 0" + (command.contains(" -m ") ? "" : " -m 8");
            Command.Result result = run(command.contains(" bench") ? command + brief : command);

            assertThat(result.code()).as("%s: %s", command, result).isZero();
            assertThat(result.out()).as(command).isNotBlank();
            if (command.equals("./parley bench")) {
                assertThat(result.err().substring(result.err().indexOf("Summary")))
                        .contains("latency, shm, us", "latency, tcp, us", "allreduce, shm, us", "allreduce, tcp, us");
            }
        }
    }

    @Test
    void shouldRunOnSeveralHosts() throws Exception {
        compileHello();
        FakeSsh ssh = FakeSsh.in(clone);

        for (String line :
                Documents.block("sh", "./parley run --preflight").lines().toList()) {
            String command = "PARLEY_LAUNCH_SSH=" + ssh.path() + " " + line.replaceFirst("#.*", "");
            Command.Result result = run(command);

            assertThat(result.code()).as("%s: %s", command, result).isZero();
            assertThat(result.out())
                    .as(command)
                    .contains(command.contains("--preflight") ? "connections" : "rank 3 of 4, sum 6");
        }
    }

    private void compileHello() throws Exception {
        String compile = Documents.block("sh", " Hello.java")
                .lines()
                .filter(line -> line.startsWith("javac"))
                .findFirst()
                .orElseThrow();
        assertThat(run(compile).code()).isZero();
    }

    private Command.Result run(String script) throws Exception {
        return Command.run(clone, Map.of(), "sh", "-e", "-c", script);
    }
}
