package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script of the distribution: where it may be called from, and what it says without a Java. */
class StartScriptTest {
    private static final Path SCRIPT = Path.of(System.getProperty("test.dist"), "bin", "parley");
    private static final String VERSION = System.getProperty("test.version");

    private record Result(int code, String out, String err) {}

    @TempDir
    Path folder;

    @Test
    void shouldStartFromAnyFolder() throws Exception {
        Result result = run(folder, Map.of(), SCRIPT.toString(), "--version");

        assertThat(result.out()).contains(VERSION);
        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
    }

    @Test
    void shouldStartByRelativePath() throws Exception {
        Path bin = SCRIPT.getParent();

        assertThat(run(bin, Map.of(), "./parley", "--version").out()).contains(VERSION);
        assertThat(run(bin.getParent(), Map.of(), "bin/parley", "--version").out())
                .contains(VERSION);
        assertThat(run(bin, Map.of(), "sh", "parley", "--version").out()).contains(VERSION);
    }

    @Test
    void shouldStartThroughLinksAndSpaces() throws Exception {
        Path spaced = Files.createDirectory(folder.resolve("my programs"));
        Path link = Files.createSymbolicLink(spaced.resolve("p"), SCRIPT);
        Path linkToLink = Files.createSymbolicLink(folder.resolve("q"), Path.of("my programs/p"));

        assertThat(run(folder, Map.of(), link.toString(), "--version").out()).contains(VERSION);
        assertThat(run(folder, Map.of(), linkToLink.toString(), "--version").out())
                .contains(VERSION);
        Files.delete(linkToLink); // or JUnit warns that it points out of its folder
        Files.delete(link);
    }

    @Test
    void shouldFindJavaOnThePath() throws Exception {
        String bin = Path.of(System.getProperty("java.home"), "bin").toString();

        Result result =
                run(folder, Map.of("JAVA_HOME", "", "PATH", bin + ":/usr/bin:/bin"), SCRIPT.toString(), "--version");

        assertThat(result.out()).contains(VERSION);
        assertThat(result.err()).isEmpty();
    }

    @Test
    void shouldSayInOneSentenceWhatJavaItNeeds() throws Exception {
        Path bin = Files.createDirectories(folder.resolve("old/bin"));
        Files.copy(Path.of("/bin/true"), bin.resolve("java"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.writeString(folder.resolve("old/release"), "JAVA_VERSION=\"11.0.2\"\n");

        Result old = run(folder, Map.of("JAVA_HOME", folder + "/old"), SCRIPT.toString());
        Result none = run(folder, Map.of("JAVA_HOME", folder + "/none"), SCRIPT.toString());

        assertThat(old.err()).contains("is Java 11.0.2").contains("17 or newer").hasLineCount(1);
        assertThat(old.code()).isEqualTo(1);
        assertThat(none.err()).contains("no Java at").contains("17 or newer").hasLineCount(1);
        assertThat(none.code()).isEqualTo(1);
    }

    @Test
    void shouldStartWhateverCollectorUsersChooseForTheirJvms() throws Exception {
        for (String variable : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
            Result result = run(folder, Map.of(variable, "-XX:+UseG1GC"), SCRIPT.toString(), "--version");

            assertThat(result.code()).as("%s: %s", variable, result).isZero();
            assertThat(result.out()).contains(VERSION);
        }
    }

    /** Else rank 0 gets the first file that the JVM opens as its input. */
    @Test
    void shouldTakeWhatIsClosedForEmpty() throws Exception {
        String count = SCRIPT + " run --exec wc -c";

        Result noInput = run(folder, Map.of(), "bash", "-c", "exec " + count + " <&-");
        Result noOutput = run(folder, Map.of(), "bash", "-c", "exec " + count + " >&- </dev/null");
        Result nothing = run(folder, Map.of(), "bash", "-c", "exec " + count + " <&- >&- 2>&-");

        assertThat(noInput.out().strip()).isEqualTo("0");
        assertThat(noInput.err()).isEmpty();
        assertThat(noInput.code()).isZero();
        assertThat(noOutput).isEqualTo(new Result(0, "", ""));
        assertThat(nothing).isEqualTo(new Result(0, "", ""));
    }

    @Test
    void shouldSayThatTheFolderIsGone() throws Exception {
        Result result = run(folder, Map.of(), "bash", "-c", "mkdir gone; cd gone; rmdir ../gone; exec sh " + SCRIPT);

        assertThat(result.err()).contains("parley: the current folder, ").contains("is gone: change to another.");
        assertThat(result.code()).isEqualTo(1);
    }

    /** What was made for another place fits no more; that is nothing to tell in each rank's output. */
    @Test
    void shouldPrintOnlyWhatTheProgramPrintsWhereItWasMovedTo() throws Exception {
        run(folder, Map.of(), SCRIPT.toString(), "--version");
        String dist = SCRIPT.getParent().getParent().toString();
        String moved = folder.resolve("moved").toString();
        String move = "cp -r %s %s && mkdir -p $(dirname %s/cds%s) && mv %s/cds%s %s/cds%s"
                .formatted(dist, moved, moved, moved, moved, dist, moved, moved);
        assertThat(run(folder, Map.of(), "sh", "-c", move).code()).isZero();

        Result result =
                run(folder, Map.of(), moved + "/bin/parley", "run", "-cp", Launch.CLASSES, "programs.Actor", "end");

        assertThat(result.out()).isEqualTo("rank 0: end\n");
        assertThat(result.err()).isEmpty();
    }

    private Result run(Path cwd, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(cwd.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
