package org.parley.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Whatever strangers and other ranks say, it means something or is refused; what was read says the same again. */
class DecodersFuzzTest {
    private static final long MAGIC = 0x5041_524c_4559_5443L;

    @FuzzTest
    void shouldTakeOrRefuseAnyGreeting(final byte[] bytes) {
        final Greeting read = Greeting.decode(MAGIC, bytes);
        if (read != null) {
            assertThat(bytes).hasSize(Greeting.BYTES);
            assertThat(Greeting.decode(MAGIC, read.encode()))
                    .usingRecursiveComparison()
                    .isEqualTo(read);
            final Introductions introductions = new Introductions(
                    MAGIC, new TransportContext("job", 1, 3, 3, Path.of("."), JobSecret.create(), null), false);
            assertThat(introductions.judge(read)).isNotNull();
            assertThat(introductions.admit(read, true)).isNotNull();
            assertThat(String.valueOf(introductions.objection(read))).isNotEmpty();
        }
    }

    @FuzzTest
    void shouldTakeOrRefuseAnyAddress(final byte[] bytes) {
        final RankAddress read;
        try {
            read = RankAddress.decode("tcp", ByteBuffer.wrap(bytes), 0);
        } catch (final TransportException e) {
            assertThat(e).hasMessageStartingWith("tcp: ");
            return;
        }
        assertThat(read.encode()).hasSizeLessThanOrEqualTo(bytes.length);
        assertThat(RankAddress.decode("tcp", ByteBuffer.wrap(read.encode()), 0)).isEqualTo(read);
    }
}
