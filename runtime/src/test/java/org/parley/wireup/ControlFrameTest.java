package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** What is written is read, and nothing that is read makes the reader stumble. */
class ControlFrameTest {
    private static ControlFrame read(ByteBuffer frame) {
        return ControlFrame.arrived(frame.get(4), ByteBuffer.wrap(ControlFrame.bodyOf(frame)));
    }

    @Property
    void shouldReadWhatWasWritten(@ForAll int a, @ForAll long b, @ForAll String c, @ForAll byte[] d)
            throws IOException {
        ByteBuffer frame = new ControlFrame.Builder(ControlFrame.REPORT)
                .number(a)
                .longNumber(b)
                .text(c)
                .bytes(d)
                .build();
        ControlFrame read = read(frame);

        assertThat(frame.getInt(0)).isEqualTo(frame.limit() - 4);
        assertThat(read.type()).isEqualTo(ControlFrame.REPORT);
        assertThat(read.number()).isEqualTo(a);
        assertThat(read.longNumber()).isEqualTo(b);
        // Surrogates without their partner become question marks.
        assertThat(read.text().length()).isEqualTo(c.length());
        assertThat(read.bytes()).isEqualTo(d);
    }

    @Property
    void shouldRefuseEveryTruncation(@ForAll @Size(max = 20) byte[] bytes, @ForAll @IntRange(max = 30) int cut) {
        byte[] body = ControlFrame.bodyOf(new ControlFrame.Builder(ControlFrame.PROOF)
                .bytes(bytes)
                .longNumber(1)
                .build());
        ControlFrame short1 = ControlFrame.arrived(
                ControlFrame.PROOF, ByteBuffer.wrap(Arrays.copyOf(body, Math.min(cut, body.length - 1))));

        assertThatThrownBy(() -> {
                    short1.bytes();
                    short1.longNumber();
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shorter than its contents");
    }

    @Property
    void shouldReadNoiseWithoutHarm(@ForAll @Size(max = 64) byte[] noise) {
        ControlFrame frame = ControlFrame.arrived((byte) 1, ByteBuffer.wrap(noise));
        try {
            frame.number();
            frame.text();
            frame.bytes();
            frame.longNumber();
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("shorter than its contents");
        }
    }

    @Test
    void shouldNotBuildWhatNobodyWouldAccept() {
        ControlFrame.Builder builder = new ControlFrame.Builder(ControlFrame.EVERYBODY);
        builder.bytes(new byte[ControlFrame.LIMIT]);

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("exceeds the limit");
    }
}
