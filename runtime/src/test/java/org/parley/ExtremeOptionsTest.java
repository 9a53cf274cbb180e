package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.parley.config.Options;
import org.parley.transport.Option.Kind;

/** Values that nobody needs are taken all the same, and messages still arrive; those out of bounds are refused. */
@Timeout(240)
class ExtremeOptionsTest {
    private static final int[] SIZES = {0, 1, 50, 5000, 70_000, 300_000};

    private static Stream<String> extremes() {
        return Options.load(Map.of()).settings().stream()
                .map(Options.Setting::option)
                .filter(option -> option.kind() == Kind.SIZE && !option.key().equals(Options.BUFFERED_LIMIT))
                .flatMap(option -> Stream.of("0", "1", "3g", "8000000000g", option.least(), option.most())
                        .filter(value -> !value.isEmpty())
                        .distinct()
                        .map(value -> option.key() + "=" + value));
    }

    private static boolean isWithinBounds(final String setting) {
        try {
            load(setting);
            return true;
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }

    private static void load(final String setting) {
        final String[] parts = setting.split("=");
        Options.load(Map.of(parts[0], parts[1]));
    }

    static List<String> sizes() {
        return extremes().filter(ExtremeOptionsTest::isWithinBounds).toList();
    }

    static List<String> sizesOutOfBounds() {
        return extremes().filter(setting -> !isWithinBounds(setting)).toList();
    }

    @ParameterizedTest
    @MethodSource("sizesOutOfBounds")
    void shouldNameTheBoundThatAValueIsBeyond(final String setting) {
        final String[] parts = setting.split("=");
        assertThatThrownBy(() -> load(setting))
                .hasMessageContaining("option " + parts[0])
                .hasMessageMatching(".*: " + parts[1] + " is (less|more) than [0-9]+[kmg]?");
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldDeliverWhateverTheSize(final String setting) {
        final String[] parts = setting.split("=");
        Wire.SHM.run(2, ThreadLevel.SERIALIZED, Map.of(parts[0], parts[1]), parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            for (final int size : SIZES) {
                final byte[] in = new byte[size];
                final byte[] out = Sample.bytes(size + world.rank(), size);
                world.sendReceive(out, 0, size, other, 1, in, 0, size, other, 1);
                Sample.check(size + other, size, in);
                try (Memory memory = Parley.allocate(Math.max(1, size));
                        Memory received = Parley.allocate(Math.max(1, size))) {
                    memory.wrap(0, size).putBytes(0, out);
                    world.sendReceive(memory, 0, size, other, 2, received, 0, size, other, 2);
                    received.wrap(0, size).getBytes(0, in);
                }
                Sample.check(size + other, size, in);
            }
            for (int i = 0; i < 1000; i++) {
                world.isend(new int[] {i}, 0, 1, other, 3);
            }
            final int[] last = new int[1];
            for (int i = 0; i < 1000; i++) {
                world.receive(last, 0, 1, other, 3);
                assertThat(last[0]).isEqualTo(i);
            }
        });
    }
}
