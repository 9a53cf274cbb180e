package org.parley.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Option.Kind;

class ValuesTest {

    @ParameterizedTest
    @CsvSource({
        "SIZE, 4096, 4096",
        "SIZE, 8k, 8192",
        "SIZE, 8K, 8192",
        "SIZE, 8 kb, 8192",
        "SIZE, 1m, 1048576",
        "SIZE, 2g, 2147483648",
        "SIZE, ' 0 ', 0",
        "TIME, 500us, 500000",
        "TIME, 20ms, 20000000",
        "TIME, 30s, 30000000000",
        "TIME, 30, 30000000000",
        "TIME, 5min, 300000000000",
        "TIME, 7ns, 7",
        "NUMBER, 1024, 1024",
        "FLAG, true, 1",
        "FLAG, No, 0",
        "FLAG, on, 1",
        "FLAG, 0, 0",
        "TEXT, whatever, 0"
    })
    void shouldReadValuesWithUnits(final Kind kind, final String text, final long value) {
        assertThat(Values.parse(kind, text)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({
        "SIZE, 8x, a size such as",
        "SIZE, -1, a size such as",
        "SIZE, k, a size such as",
        "SIZE, 1.5m, a size such as",
        "SIZE, 99999999999g, too large",
        "SIZE, 99999999999999999999, too large",
        "TIME, 5 parsecs, a time such as",
        "TIME, 1h30, a time such as",
        "NUMBER, 8k, a whole number such as",
        "FLAG, maybe, neither true nor false"
    })
    void shouldSayWhatAValueShouldLookLike(final Kind kind, final String text, final String part) {
        assertThatThrownBy(() -> Values.parse(kind, text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + text + "\"")
                .hasMessageContaining(part);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm.ringsize", "shm.ring.sise", "ring.size", "SHM.ring.size"})
    void shouldFindTheNameThatWasMeant(final String wrong) {
        assertThat(Values.nearest(wrong, List.of("transports", "shm.ring.size", "eager.window")))
                .isEqualTo("shm.ring.size");
    }

    @Test
    void shouldPreferTheExactName() {
        assertThat(Values.nearest("debug", List.of("debuh", "debug", "debugs"))).isEqualTo("debug");
    }
}
