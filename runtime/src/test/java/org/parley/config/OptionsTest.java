package org.parley.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.parley.transport.tck.ChildJvm;

@Timeout(240)
class OptionsTest {
    @TempDir
    Path home;

    private String realHome;

    /** Prints what is in force, for the test of variables. */
    static final class Print {
        private Print() {}

        public static void main(final String[] args) {
            final Options options = Options.load(Map.of());
            options.warnings().forEach(System.out::println);
            for (final Options.Setting setting : options.settings()) {
                System.out.println(setting.option().key() + "=" + setting.value() + " from " + setting.source());
            }
        }
    }

    @BeforeEach
    void moveHome() {
        realHome = System.setProperty("user.home", home.toString());
    }

    @AfterEach
    void restore() {
        System.setProperty("user.home", realHome);
        System.clearProperty("parley.eager.window");
        System.clearProperty("parley.eager.windw");
        System.clearProperty("parley.debug");
    }

    private static Options.Setting setting(final Options options, final String key) {
        return options.settings().stream()
                .filter(setting -> setting.option().key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldHaveStandardValues() {
        final Options options = Options.load(Map.of());
        assertThat(options.number("eager.window")).isEqualTo(4 << 20);
        assertThat(setting(options, "eager.window").source()).isEqualTo("built in");
        assertThat(options.flag("debug")).isFalse();
        assertThat(options.text("transports")).isEmpty();
        // Transports bring their own.
        assertThat(options.number("shm.ring.size")).isEqualTo(1 << 20);
        assertThat(options.fingerprint()).isEmpty();
        assertThat(options.warnings()).isEmpty();
    }

    @Test
    void shouldLetTheNearerSourceWin() throws IOException {
        final Path file = home.resolve(".config/parley/parley.properties");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "eager.window = 1m\nshm.ring.size=64k\n");
        Options options = Options.load(Map.of());
        assertThat(options.number("eager.window")).isEqualTo(1 << 20);
        assertThat(setting(options, "eager.window").source()).isEqualTo(file.toString());

        System.setProperty("parley.eager.window", "2m");
        options = Options.load(Map.of());
        assertThat(options.number("eager.window")).isEqualTo(2 << 20);
        assertThat(setting(options, "eager.window").source()).isEqualTo("system property -Dparley.eager.window");

        options = Options.load(Map.of("eager.window", "3m"));
        assertThat(options.number("eager.window")).isEqualTo(3 << 20);
        assertThat(setting(options, "eager.window").source()).isEqualTo("command line --set");
        assertThat(options.number("shm.ring.size")).isEqualTo(64 << 10);
        assertThat(options.fingerprint()).isEqualTo("eager.window=3m\nshm.ring.size=64k\n");
    }

    @Test
    void shouldReadVariables() throws IOException {
        try (ChildJvm child = ChildJvm.start(
                "",
                List.of("-Dparley.debug=on", "-Duser.home=" + home),
                Map.of(
                        "PARLEY_SHM_RING_SIZE", "128k",
                        "PARLEY_DEBUG", "false",
                        "PARLEY_RANKS", "3",
                        "PARLEY_TOKEN_FILE", "/tmp/x"),
                Print.class)) {
            child.awaitSuccess();
            assertThat(child.output())
                    .contains("shm.ring.size=128k from environment PARLEY_SHM_RING_SIZE")
                    .contains("debug=on from system property -Dparley.debug")
                    .contains("unknown option ranks (environment PARLEY_RANKS)")
                    .doesNotContain("token");
        }
        assertThat(Options.variableOf("shm.ring.size")).isEqualTo("PARLEY_SHM_RING_SIZE");
    }

    @Test
    void shouldWarnOfUnknownKeysWithTheNearest() {
        System.setProperty("parley.eager.windw", "1m");
        assertThat(Options.load(Map.of("nonsense", "1")).warnings())
                .hasSize(2)
                .contains("unknown option eager.windw (system property -Dparley.eager.windw); the"
                        + " nearest known one is eager.window");
    }

    @Test
    void shouldNameKeyValueAndSourceOfAWrongValue() {
        assertThatThrownBy(() -> Options.load(Map.of("shm.ring.size", "big")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("option shm.ring.size (command line --set): \"big\" is not a size such as"
                        + " 4096, 8k, 1m or 2g");
        System.setProperty("parley.debug", "perhaps");
        assertThatThrownBy(() -> Options.load(Map.of()))
                .hasMessageContaining("option debug (system property -Dparley.debug)")
                .hasMessageContaining("\"perhaps\" is neither true nor false");
    }

    @ParameterizedTest
    @CsvSource({
        "eager.window, 3g, 3g is more than 2g",
        "launch.fanout, 0, 0 is less than 1",
        "shm.chunk, 0, 0 is less than 4k",
        "shm.fragment, 0, 0 is less than 64"
    })
    void shouldRefuseWhatIsOutOfBounds(final String key, final String value, final String why) {
        assertThatThrownBy(() -> Options.load(Map.of(key, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("option " + key + " (command line --set): " + why);
    }

    /** Bounds are read when a user's value is: these must be right themselves. */
    @Test
    void shouldTakeTheStandardValueOfEachOption() {
        final Map<String, String> standards = new HashMap<>();
        Options.load(Map.of()).settings().forEach(setting -> standards.put(setting.key(), setting.standard()));

        assertThat(Options.load(standards).fingerprint()).isEmpty();
    }

    @Test
    void shouldTakeTheBoundsThemselves() {
        assertThat(Options.load(Map.of("eager.window", "2g", "launch.fanout", "1"))
                        .number("eager.window"))
                .isEqualTo(2L << 30);
    }

    @ParameterizedTest
    @CsvSource({"debug=\\u12, Malformed", "debug=\u00ff, it is not text in UTF-8"})
    void shouldNameAFileThatIsNoListOfOptions(final String content, final String why) throws IOException {
        final Path file = home.resolve(".config/parley/parley.properties");
        Files.createDirectories(file.getParent());
        Files.writeString(file, content, StandardCharsets.ISO_8859_1);

        assertThatThrownBy(() -> Options.load(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot read options from " + file + ": " + why);
    }

    @Test
    void shouldNameAFolderInTheFilesPlace() throws IOException {
        final Path file = Files.createDirectories(home.resolve(".config/parley/parley.properties"));

        assertThatThrownBy(() -> Options.load(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cannot read options from " + file + ": it is no regular file");
    }

    @Test
    void shouldRefuseKeysThatDoNotExist() {
        assertThatThrownBy(() -> Options.load(Map.of()).number("no.such.key"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no option has the key no.such.key");
    }
}
