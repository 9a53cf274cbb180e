package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;
import static org.parley.Communicator.PROC_NULL;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(240)
@ParameterizedClass
@EnumSource(Wire.class)
class ProbeTest {
    @Parameter
    Wire wire;

    private static void assertStatus(final Status status, final int source, final int tag, final long bytes) {
        assertThat(status).hasToString(bytes + " bytes from " + source + ", tag " + tag);
    }

    @Test
    void shouldTellWhatAReceiveWouldGet() {
        wire.run(3, parley -> {
            final Communicator world = parley.world();
            if (world.rank() > 0) {
                for (final int size : Sample.SIZES) {
                    world.send(Sample.bytes(size, size), 0, size, 0, world.rank());
                }
                return;
            }
            for (final int size : Sample.SIZES) {
                assertStatus(world.probe(1, ANY_TAG), 1, 1, size);
                assertStatus(world.probe(ANY_SOURCE, 2), 2, 2, size);
                // Again the same: nothing was taken.
                assertStatus(world.probe(ANY_SOURCE, 1), 1, 1, size);
                assertStatus(world.iprobe(1, 1), 1, 1, size);
                assertThat(world.iprobe(1, 2)).isNull();
                final Status any = world.probe(ANY_SOURCE, ANY_TAG);
                assertStatus(
                        world.receive(new byte[size], 0, size, any.source(), any.tag()), any.source(), any.tag(), size);
                final int other = 3 - any.source();
                assertStatus(world.receive(new byte[size], 0, size, ANY_SOURCE, other), other, other, size);
            }
        });
    }

    @Test
    void shouldSeeNothingWhereNothingIs() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                world.send(null, 0, 0, 0, 3);
                world.receive(null, 0, 0, 0, 3);
                return;
            }
            world.probe(1, 3);
            assertThat(world.iprobe(1, 2)).isNull();
            assertThat(world.iprobe(0, 3)).isNull();
            assertThat(world.improbe(1, 2)).isNull();
            assertThat(world.improbe(0, ANY_TAG)).isNull();
            assertThat(world.iprobe(ANY_SOURCE, 3)).isNotNull();
            world.receive(null, 0, 0, 1, 3);
            assertThat(world.iprobe(ANY_SOURCE, ANY_TAG)).isNull();
            world.send(null, 0, 0, 1, 3);
        });
    }

    @Test
    void shouldTakeAMessageOutOfTheReachOfOthers() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                for (final int size : Sample.SIZES) {
                    world.isend(Sample.bytes(1, size), 0, size, 1, 5);
                    world.isend(Sample.bytes(2, size), 0, size, 1, 5);
                    world.receive(null, 0, 0, 1, 6);
                }
                return;
            }
            for (final int size : Sample.SIZES) {
                final Message first = world.mprobe(ANY_SOURCE, ANY_TAG);
                Message second = null;
                while (second == null) {
                    second = world.improbe(0, 5);
                }
                assertThat(world.iprobe(0, 5)).isNull();
                final byte[] buffer = new byte[size];
                assertStatus(second.status(), 0, 5, size);
                assertStatus(second.receive(buffer, 0, size), 0, 5, size);
                Sample.check(2, size, buffer);
                assertStatus(first.receive(buffer, 0, size), 0, 5, size);
                Sample.check(1, size, buffer);
                final Message again = first;
                assertThatThrownBy(() -> again.receive(buffer, 0, size))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("received already");
                world.send(null, 0, 0, 0, 6);
            }
        });
    }

    @Test
    void shouldNotSeeWhatAWaitingReceiveHasTaken() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                world.receive(null, 0, 0, 1, 1);
                world.send(new int[] {1}, 0, 1, 1, 5);
                world.send(new int[] {2}, 0, 1, 1, 5);
                return;
            }
            final int[] first = new int[1];
            final int[] second = new int[1];
            final Request request = world.ireceive(first, 0, 1, 0, 5);
            world.send(null, 0, 0, 0, 1);
            world.probe(0, 5);
            assertThat(request.isDone()).isTrue();
            world.receive(second, 0, 1, 0, 5);
            assertThat(first[0]).isEqualTo(1);
            assertThat(second[0]).isEqualTo(2);
        });
    }

    @Test
    void shouldProbeMessagesToItself() {
        wire.run(1, parley -> {
            final Communicator world = parley.world();
            final Request sent = world.isend(new byte[20_000], 0, 20_000, 0, 4);
            assertStatus(world.probe(ANY_SOURCE, ANY_TAG), 0, 4, 20_000);
            world.mprobe(0, 4).receive(new byte[20_000], 0, 20_000);
            sent.await();
        });
    }

    @Test
    void shouldTakeNothingFromNobody() {
        wire.run(1, parley -> {
            final Communicator world = parley.world();
            assertThatThrownBy(() -> world.mprobe(PROC_NULL, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("PROC_NULL");
            assertThatThrownBy(() -> world.improbe(PROC_NULL, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("PROC_NULL");
        });
    }
}
