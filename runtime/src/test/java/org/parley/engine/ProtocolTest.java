package org.parley.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.parley.engine.Protocol.EAGER;
import static org.parley.engine.Protocol.FETCH;
import static org.parley.engine.Protocol.STREAM;
import static org.parley.engine.Protocol.choose;

import org.junit.jupiter.api.Test;
import org.parley.transport.Capabilities;

class ProtocolTest {
    private static final Capabilities GET = new Capabilities(131_068, 16_384, true, 16_385, 4097, 8192, 0);
    private static final Capabilities NO_GET = new Capabilities(131_068, 16_384, false, 1, 1, 8192, 0);
    private static final long MUCH = 1 << 20;

    @Test
    void shouldSendShortMessagesAtOnce() {
        assertThat(choose(GET, 0, true, false, MUCH)).isEqualTo(EAGER);
        assertThat(choose(GET, 16_384, true, false, MUCH)).isEqualTo(EAGER);
        assertThat(choose(GET, 16_384, false, false, MUCH)).isEqualTo(EAGER);
        assertThat(choose(NO_GET, 16_384, false, false, MUCH)).isEqualTo(EAGER);
    }

    @Test
    void shouldFetchLongMessagesOfNativeMemory() {
        assertThat(choose(GET, 16_385, true, false, MUCH)).isEqualTo(FETCH);
        assertThat(choose(GET, 1L << 40, true, false, 0)).isEqualTo(FETCH);
    }

    @Test
    void shouldFetchSharedMemoryFromLessBytesOn() {
        assertThat(choose(GET, 4096, true, true, MUCH)).isEqualTo(EAGER);
        assertThat(choose(GET, 4097, true, true, MUCH)).isEqualTo(FETCH);
        assertThat(choose(NO_GET, 4097, true, true, MUCH)).isEqualTo(EAGER);
    }

    @Test
    void shouldStreamWhatCannotBeFetched() {
        assertThat(choose(GET, 16_385, false, false, MUCH)).isEqualTo(STREAM);
        assertThat(choose(NO_GET, 16_385, true, false, MUCH)).isEqualTo(STREAM);
    }

    @Test
    void shouldKeepDataAtTheSenderWithoutCredit() {
        assertThat(choose(GET, 100, true, false, 164)).isEqualTo(EAGER);
        assertThat(choose(GET, 100, true, false, 163)).isEqualTo(STREAM);
        assertThat(choose(GET, 0, true, false, 63)).isEqualTo(STREAM);
        assertThat(choose(GET, 0, true, false, -5)).isEqualTo(STREAM);
    }
}
