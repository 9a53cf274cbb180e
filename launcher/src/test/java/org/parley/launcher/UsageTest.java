package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A user's mistake is one clear sentence and exit code 2, before anything is started. */
class UsageTest {
    private final PrintStream usualOut = System.out;
    private final PrintStream usualErr = System.err;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    @BeforeEach
    void capture() {
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restore() {
        System.setOut(usualOut);
        System.setErr(usualErr);
    }

    private void assertMistake(String expected, String... line) {
        assertThat(Main.run(List.of(line))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(expected)
                .doesNotContain("Exception", "\tat ")
                .hasLineCount(1);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "runn | parley: there is no command runn; the nearest is run",
                "help | parley: there is no command help; parley --help lists all",
                "run -n 1000000001 Main | -n 1000000001: it takes a whole number from 1 to 1000000",
                "run --java-opt= Main | --java-opt is empty: it takes an option of java",
                "run -x PARLEY_RANK=7 --exec true | -x PARLEY_RANK: the launcher gives each rank its own",
                "run --output-filename /dev/null --exec true | --output-filename /dev/null: it cannot be made",
                "run --output-filename= --exec true | it takes a folder that can be written to",
                "run --exec /etc/passwd | /etc/passwd is no program: it cannot be executed",
                "run /etc.jar | cannot read /etc.jar: there is no such file",
                "generate-completion bash | bash is one word too many",
                "run | name the class or the jar to run, or any program with --exec",
                "run --exec | name the program behind --exec",
                "run -n | missing required parameter for option '-n' (N)",
                "run -n 0 Main | -n 0: it takes a whole number from 1 to 1000000",
                "run -n two Main | -n two: it takes a whole number from 1 to 1000000",
                "run -n 99999999999 Main | it takes a whole number from 1 to 1000000",
                "run --tag-ouput Main | there is no option --tag-ouput; the nearest is --tag-output",
                "run --timeout soon --exec true | \"soon\" is not a time such as",
                "run --bind-to socket --exec true | --bind-to socket: it can be none or core",
                "run --map-by numa --exec true | --map-by numa: it can be slot or node",
                "run --display allocation --exec true | --display allocation: it can be map",
                "run --ft go-on --exec true | --ft go-on: it can be abort or continue",
                "run --preflight --exec true | --preflight examines hosts, and none is named",
                "run --transports= --exec true | --transports names none: it takes a list such as shm,tcp",
                "run --transports ^ --exec true | --transports names none: it takes a list such as shm,tcp",
                "run --copy --exec true | --copy copies the class path of a Java program, and --exec has none",
                "run --drill 0s --exec true | --drill 0s: it takes a time from 50ms on, such as 30s",
                "run --drill 1us --exec true | --drill 1us: it takes a time from 50ms on, such as 30s",
                "run -H elsewhere:4 --exec true | this Parley is no distribution that other hosts could have",
                "run -H elsewhere --set launch.ssh=no-such --exec true | launch.ssh=no-such: there is no program no-such",
                "run -H -oProxyCommand=x --exec true | -oProxyCommand=x is no host",
                "run -H , --exec true | --host ,: there is no host beside a comma",
                "run -H localhost,,a --exec true | there is no host beside a comma",
                "run -H localhost: --exec true | localhost: is no host",
                "run -H localhost:many --exec true | many is no number of slots",
                "run -f nowhere --exec true | cannot read the host file nowhere",
                "run -n 4 -ppn 2 --exec true | 4 ranks do not fit on 1 host with -ppn 2",
                "run --wdir= --exec true | -wdir is empty: it takes a folder",
                "run -wdir nowhere --exec true | -wdir nowhere: there is no such folder",
                "run -x --exec | name the class",
                "run -x =1 --exec true | a variable has a name",
                "run -x NOT_SET_ANYWHERE --exec true | -x NOT_SET_ANYWHERE: there is no such variable here",
                "run --set eager.window --exec true | --set eager.window: it takes KEY=VALUE",
                "run --set tcp.port=70000 --exec true | option tcp.port (command line --set): 70000 is more than 65535",
                "run --set tcp.window=0 --exec true | option tcp.window (command line --set): 0 is less than 256k",
                "run --set verbs.polling=foo --exec true | (command line --set): \"foo\" is none of auto, always",
                "run --set verbs.mtu=7 --exec true | option verbs.mtu (command line --set): \"7\" is none of 0, 256, 512,",
                "run --set eager.window=much --exec true | option eager.window (command line --set): \"much\" is not",
                "run --transports pigeon --exec true | transport \"pigeon\" is not known",
                "run --exec no-such-program | there is no program \"no-such-program\"",
                "run NoSuchClass | there is no class NoSuchClass in .",
                "run -cp nowhere.jar Main | there is no class Main in nowhere.jar; of that, nowhere.jar does not exist",
                "run Main.java | there is no class Main.java in .; name the class, as in Main",
                "run no-such.jar | cannot read no-such.jar",
                "clean all | all is one word too many",
                "info --jsn | there is no option --jsn; the nearest is --json",
                "bench --transports | missing required parameter for option '--transports' (LIST)"
            })
    void shouldNameTheMistake(String line, String expected) {
        assertMistake(expected, line.split(" "));
    }

    @Test
    void shouldSayThatAJarNamesNoClass() throws IOException {
        Path jar = folder.resolve("app.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();

        assertMistake(jar + " names no main class: write -cp " + jar + " and the class", "run", jar.toString());
    }

    @Test
    void shouldSayThatAJarDoesNotHoldItsClass() throws IOException {
        Path jar = folder.resolve("app.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "a.Main");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();

        assertMistake(jar + " names a.Main as its main class, but does not hold it", "run", jar.toString());
    }

    @Test
    void shouldSayThatAFolderIsNoJar() throws IOException {
        Path jar = Files.createDirectory(folder.resolve("app.jar"));

        assertMistake("cannot read " + jar + ": Is a directory", "run", jar.toString());
    }

    @Test
    void shouldSayThatAFileIsNoJar() throws IOException {
        Path jar = Files.writeString(folder.resolve("app.jar"), "no zip");

        assertMistake("cannot read " + jar, "run", "-cp", jar.toString(), "Main");
    }

    @Test
    void shouldPrintTheCommandsWithoutOne() {
        assertThat(Main.run(List.of())).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Usage: parley", "run", "bench", "info", "clean");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "info", "clean", "generate-completion"})
    void shouldHelp(String command) {
        assertThat(Main.run(List.of(command, "--help"))).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("Usage: parley " + command);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void shouldHelpWithEveryOptionOfRun() {
        Main.run(List.of("run", "--help"));

        String help = out.toString(StandardCharsets.UTF_8);
        for (Flag flag : new RunCommand().flags()) {
            assertThat(help).contains(flag.names());
        }
    }

    @Test
    void shouldTellItsVersion() {
        assertThat(Main.run(List.of("--version"))).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("parley ");
    }

    @Test
    void shouldCompleteOptions() {
        assertThat(Main.run(List.of("generate-completion"))).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("complete -F", "--report-bindings", "--config", "--dry-run");
    }
}
