package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class CountersTest {
    @Test
    void shouldReadWhatIsWrittenButWhatIsZero() {
        final Map<String, Long> counters = Map.of("b.c", 7L, "a", Long.MAX_VALUE / 10, "zero", 0L);

        assertThat(Counters.text(counters)).isEqualTo("a 922337203685477580, b.c 7");
        assertThat(Counters.parse(Counters.text(counters))).isEqualTo(Map.of("b.c", 7L, "a", 922337203685477580L));
    }

    @Test
    void shouldPassOverWhatIsNoCounter() {
        assertThat(Counters.parse("of another version, a 1, b x, c 99999999999999999999, D 4"))
                .isEqualTo(Map.of("a", 1L));
    }
}
