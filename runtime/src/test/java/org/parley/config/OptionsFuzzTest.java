package org.parley.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.parley.transport.Option;

/** Whatever is written for an option, it is a value or refused by a text that names it. */
class OptionsFuzzTest {
    private static final List<Option> KNOWN = Options.load(Map.of()).settings().stream()
            .map(Options.Setting::option)
            .toList();

    @FuzzTest
    void shouldTakeOrRefuseAnyValue(final FuzzedDataProvider data) {
        final Option option = data.pickValue(KNOWN);
        final String value = data.consumeRemainingAsString();
        final Options options;
        try {
            options = Options.load(Map.of(option.key(), value));
        } catch (final IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("option " + option.key() + " (");
            return;
        }
        assertThat(options.text(option.key())).isEqualTo(value.strip());
        assertThat(options.warnings()).isEmpty();
        assertThat(options.fingerprint().contains(option.key() + "="))
                .isEqualTo(!value.strip().equals(option.standard()));
        switch (option.kind()) {
            case NUMBER, SIZE, TIME -> assertThat(options.number(option.key())).isNotNegative();
            case FLAG -> assertThat(options.flag(option.key())).isIn(true, false);
            default -> assertThat(options.text(option.key())).isNotNull();
        }
    }

    @FuzzTest
    void shouldWarnOfAnyUnknownKey(final byte[] bytes) {
        final List<String> keys = new ArrayList<>();
        KNOWN.forEach(option -> keys.add(option.key()));
        final String key = new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
        if (!keys.contains(key)) {
            assertThat(Options.load(Map.of(key, "1")).warnings())
                    .anyMatch(text -> text.contains("unknown option " + key));
        }
    }
}
