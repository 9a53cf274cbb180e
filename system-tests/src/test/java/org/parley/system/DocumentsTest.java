package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.parley.config.Options;
import org.parley.engine.Counts;
import org.parley.transport.Counter;
import org.parley.transport.Option;

/** The list of options is what the code says, and documents name only what exists. */
class DocumentsTest {
    private static final Path OPTIONS = Documents.ROOT.resolve("docs/options.md");

    private static final Path COUNTERS = Documents.ROOT.resolve("docs/counters.md");

    /** Set to true to rewrite docs/options.md and docs/counters.md. */
    private static final String WRITE = "docs.write";

    private static final String COMMAND = "mvn -q verify -pl system-tests -am -Dtest=DocumentsTest"
            + " -Dsurefire.failIfNoSpecifiedTests=false -D" + WRITE + "=true";

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
    private static final Pattern SETTING = Pattern.compile("--set ([a-z0-9.]+)=");

    @Test
    void shouldListTheOptionsThatTheCodeHas() throws IOException {
        String text = options();
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(OPTIONS, text);
        }

        assertThat(OPTIONS)
                .as("docs/options.md is generated; rewrite it with: %s", COMMAND)
                .hasContent(text);
    }

    @Test
    void shouldListTheCountersThatTheCodeHas() throws IOException {
        String text = counters();
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(COUNTERS, text);
        }

        assertThat(COUNTERS)
                .as("docs/counters.md is generated; rewrite it with: %s", COMMAND)
                .hasContent(text);
    }

    @Test
    void shouldLinkToFilesThatExist() throws IOException {
        for (Path document : Documents.all()) {
            Matcher link = LINK.matcher(Documents.read(document));
            while (link.find()) {
                assertThat(document.resolveSibling(link.group(1)))
                        .as("link in %s", document)
                        .exists();
            }
        }
    }

    @Test
    void shouldSetOptionsThatExist() throws IOException {
        List<String> known = Options.load(Map.of()).settings().stream()
                .map(setting -> setting.option().key())
                .toList();
        for (Path document : Documents.all()) {
            Matcher setting = SETTING.matcher(Documents.read(document));
            while (setting.find()) {
                assertThat(known).as("--set in %s", document).contains(setting.group(1));
            }
        }
    }

    private static String counters() {
        StringBuilder text = new StringBuilder("""
                # Counters

                Generated from the code; do not edit. What each rank counts. `parley top JOB` shows them while a job runs, `parley run -v`
                tells them when a rank leaves, and `--timeout` in the report of each rank; those at 0 are left out. They are read while the
                rank goes on, so they may be a little old and not of one moment.

                The third column says where `parley top` adds a counter up; the others are in its `--json`.

                | counter | counts | `parley top` |
                |---|---|---|
                """);
        for (Counter counter : Counts.all()) {
            text.append("| `%s` | %s | %s |%n"
                    .formatted(
                            counter.name(),
                            counter.help(),
                            counter.column() == Counter.Column.NONE
                                    ? ""
                                    : counter.column().name().toLowerCase(Locale.ROOT)));
        }
        return text.toString();
    }

    private static String options() {
        StringBuilder text = new StringBuilder("""
                # Options

                Generated from the code; do not edit. `parley info --config` shows those in force, each with where it was set.

                An option is set, from weak to strong, in `/etc/parley.properties`, `~/.config/parley/parley.properties` or
                `./parley.properties` (`KEY=VALUE`), by its variable in the environment, by its property of the JVM
                (`-Dparley.KEY=VALUE`), or by `--set KEY=VALUE` of the launcher, KEY being what stands first in the table. All ranks of a
                job must agree. When to touch which: [tuning](tuning.md).

                | kind | values |
                |---|---|
                | text | any |
                | flag | `true`, `false` (or `yes`/`no`, `on`/`off`, `1`/`0`) |
                | number | whole numbers |
                | size | bytes; units are powers of 1024: `4096`, `8k`, `1m`, `2g` |
                | time | `500us`, `20ms`, `30s`, `5min`, `1h`; seconds without a unit |

                | key, variable, property | kind | default | what it does |
                |---|---|---|---|
                """);
        for (Options.Setting setting : Options.load(Map.of()).settings()) {
            Option option = setting.option();
            text.append("| `%s`<br>`%s`<br>`-Dparley.%s` | %s | %s | %s |%n"
                    .formatted(
                            option.key(),
                            Options.variableOf(option.key()),
                            option.key(),
                            values(option),
                            option.standard().isEmpty() ? "empty" : "`" + option.standard() + "`",
                            option.help().replace("|", "\\|")));
        }
        return text.toString();
    }

    /** Returns which values an option takes. */
    private static String values(Option option) {
        String kind = option.kind().name().toLowerCase(Locale.ROOT);
        if (!option.choices().isEmpty()) {
            return kind + ": `" + String.join("`, `", option.choices()) + "`";
        }
        return kind
                + (option.least().isEmpty() ? "" : ", from `" + option.least() + "`")
                + (option.most().isEmpty() ? "" : ", up to `" + option.most() + "`");
    }
}
