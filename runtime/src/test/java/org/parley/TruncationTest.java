package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A receive that is too small fails; the message stays, in its place among the others. */
@Timeout(240)
@ParameterizedClass
@EnumSource(Wire.class)
class TruncationTest {
    private static final int[] SIZES = {1, 100, 16_384, 16_385, 300_000};

    @Parameter
    Wire wire;

    private static Object buffer(final boolean isNative, final int size) {
        return isNative ? ByteBuffer.allocateDirect(size) : new byte[size];
    }

    private static void check(final long seed, final int size, final Object buffer) {
        if (buffer instanceof ByteBuffer direct) {
            Sample.check(seed, size, direct);
        } else {
            Sample.check(seed, size, (byte[]) buffer);
        }
    }

    /** Rank 0 sends two messages of one envelope and a mark behind them. */
    private static void sendTwo(final Communicator world, final int size, final boolean isNative) {
        final Object first = isNative ? Sample.direct(1, size) : Sample.bytes(1, size);
        final Object second = isNative ? Sample.direct(2, size) : Sample.bytes(2, size);
        final Request one = world.isend(first, 0, size, 1, 5);
        final Request two = world.issend(second, 0, size, 1, 5);
        world.send(null, 0, 0, 1, 6);
        Request.awaitAll(one, two);
    }

    private static void assertTruncated(final TruncationException e, final int size, final int room) {
        assertThat(e).isNotNull();
        assertThat(e.messageBytes()).isEqualTo(size);
        assertThat(e)
                .hasMessage("the message from 0, tag 5, has " + size + " bytes, the receive's buffer " + room
                        + "; the message is kept for a larger receive");
    }

    @Test
    void shouldKeepAMessageThatHadArrived() {
        forAll((world, size, isNative) -> {
            world.receive(null, 0, 0, 0, 6);
            final Object small = buffer(isNative, size - 1);
            for (final int source : new int[] {0, ANY_SOURCE}) {
                assertTruncated(
                        catchThrowableOfType(
                                TruncationException.class, () -> world.receive(small, 0, size - 1, source, 5)),
                        size,
                        size - 1);
            }
            check(0, 0, small);
            receiveBoth(world, size, isNative);
        });
    }

    @Test
    void shouldKeepAMessageThatComesToAWaitingReceive() {
        forAll((world, size, isNative) -> {
            // Nothing tells the sender to wait: either order is right, and both occur.
            final Object small = buffer(isNative, size - 1);
            assertTruncated(
                    catchThrowableOfType(TruncationException.class, () -> world.receive(small, 0, size - 1, 0, 5)),
                    size,
                    size - 1);
            check(0, 0, small);
            receiveBoth(world, size, isNative);
            world.receive(null, 0, 0, 0, 6);
        });
    }

    private static void receiveBoth(final Communicator world, final int size, final boolean isNative) {
        for (int i = 1; i <= 2; i++) {
            final Object large = buffer(isNative, size + 1);
            assertThat(world.receive(large, 0, size + 1, ANY_SOURCE, ANY_TAG).bytes())
                    .isEqualTo(size);
            check(i, size, large);
        }
    }

    @Test
    void shouldGiveTheMessageToTheNextReceiveThatWaits() {
        for (final int size : SIZES) {
            for (final boolean isNative : new boolean[] {false, true}) {
                wire.run(2, parley -> {
                    final Communicator world = parley.world();
                    if (world.rank() == 0) {
                        world.receive(null, 0, 0, 1, 7);
                        sendTwo(world, size, isNative);
                        return;
                    }
                    final Object small = buffer(isNative, size - 1);
                    final Object large = buffer(isNative, size);
                    final Object larger = buffer(!isNative, size);
                    final Request tooSmall = world.ireceive(small, 0, size - 1, 0, 5);
                    final Request next = world.ireceive(large, 0, size, ANY_SOURCE, 5);
                    final Request last = world.ireceive(larger, 0, size, 0, ANY_TAG);
                    world.send(null, 0, 0, 0, 7);
                    next.await();
                    last.await();
                    assertTruncated(catchThrowableOfType(TruncationException.class, tooSmall::await), size, size - 1);
                    check(0, 0, small);
                    check(1, size, large);
                    check(2, size, larger);
                    world.receive(null, 0, 0, 0, 6);
                });
            }
        }
    }

    @Test
    void shouldKeepAMatchedMessageForALargerBuffer() {
        forAll((world, size, isNative) -> {
            final Message message = world.mprobe(0, 5);
            final Object small = buffer(isNative, size - 1);
            final IllegalArgumentException e =
                    catchThrowableOfType(IllegalArgumentException.class, () -> message.receive(small, 0, size - 1));
            assertThat(e)
                    .hasMessage("the message has " + size + " bytes, the buffer " + (size - 1)
                            + "; the message can still be received");
            final Object second = buffer(!isNative, size);
            world.receive(second, 0, size, 0, 5);
            check(2, size, second);
            final Object first = buffer(isNative, size);
            message.receive(first, 0, size);
            check(1, size, first);
            world.receive(null, 0, 0, 0, 6);
        });
    }

    private interface Receiver {
        void run(Communicator world, int size, boolean isNative);
    }

    private void forAll(final Receiver receiver) {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            for (final int size : SIZES) {
                for (final boolean isNative : new boolean[] {false, true}) {
                    if (world.rank() == 0) {
                        sendTwo(world, size, isNative);
                        world.receive(null, 0, 0, 1, 8);
                    } else {
                        receiver.run(world, size, isNative);
                        assertThat(world.iprobe(ANY_SOURCE, ANY_TAG)).isNull();
                        world.send(null, 0, 0, 0, 8);
                    }
                }
            }
        });
    }
}
