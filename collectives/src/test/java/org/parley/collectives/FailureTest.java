package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.Communicator;
import org.parley.Op;
import org.parley.Parley;
import org.parley.ParleyException;
import org.parley.PeerFailedException;
import org.parley.Request;

/** What goes wrong is told: to the caller before anything is sent, to the others instead of a wait for ever. */
class FailureTest {
    private static final Op BROKEN = Op.ofLong(
            (left, right) -> {
                throw new ArithmeticException("no such sum");
            },
            true);

    @ParameterizedTest
    @ValueSource(ints = {1, 300_000})
    void shouldEndEverywhereWhenAUsersOperationThrows(final int count) {
        final AtomicInteger peerFailures = new AtomicInteger();
        assertThatThrownBy(() -> Parley.local(5, parley -> {
                    final long[] data = new long[count];
                    try {
                        // Rank 0 does not get as far as its own operation: it only sends, or hears of others.
                        parley.world().allReduce(data, new long[count], count, BROKEN);
                    } catch (final PeerFailedException e) {
                        peerFailures.incrementAndGet();
                        throw e;
                    }
                }))
                .isInstanceOf(ParleyException.class)
                .hasMessageContaining("a user-defined operation failed")
                .hasMessageContaining("no such sum");
        assertThat(peerFailures.get()).isLessThan(5);
    }

    @Test
    void shouldNotGoOnAfterAFailure() {
        assertThatThrownBy(() -> Parley.local(2, parley -> {
                    final Communicator world = parley.world();
                    final long[] data = {1};
                    assertThatThrownBy(() -> world.allReduce(data, new long[1], 1, BROKEN))
                            .hasMessageContaining("no such sum");
                    // The ranks may be out of step: no later collective waits for that.
                    assertThatThrownBy(world::barrier).hasMessageContaining("no such sum");
                    world.iallReduce(data, 0, new long[1], 0, 1, null, Op.SUM);
                }))
                .hasMessageContaining("no such sum");
    }

    /** The world lives on, but nobody who could send to the communicator. */
    @Test
    void shouldNotWaitForAnySourceOfACommunicatorThatTheOthersHaveLeft() {
        Parley.local(4, parley -> {
            final Communicator world = parley.world();
            final Communicator half = world.split(world.rank() / 2, 0);
            if (world.rank() == 1) {
                half.receive(null, 0, 0, 0, 1);
                return;
            }
            if (world.rank() == 0) {
                final Request posted = half.ireceive(null, 0, 0, Communicator.ANY_SOURCE, 2);
                final Request ofWorld = world.ireceive(null, 0, 0, Communicator.ANY_SOURCE, 2);
                half.send(null, 0, 0, 1, 1);
                assertThatThrownBy(posted::await)
                        .isInstanceOf(PeerFailedException.class)
                        .hasMessageContaining("has left the job");
                assertThatThrownBy(() -> half.receive(null, 0, 0, Communicator.ANY_SOURCE, Communicator.ANY_TAG))
                        .isInstanceOf(ParleyException.class)
                        .hasMessageContaining("all other ranks of the communicator are gone");
                assertThatThrownBy(() -> half.probe(Communicator.ANY_SOURCE, 2)).hasMessageContaining("are gone");
                assertThat(ofWorld.test()).isFalse();
                world.send(null, 0, 0, 2, 3);
                assertThat(ofWorld.await().source()).isEqualTo(2);
            } else if (world.rank() == 2) {
                world.receive(null, 0, 0, 0, 3);
                world.send(null, 0, 0, 0, 2);
            }
        });
    }

    @Test
    void shouldFailARequestWhoseOperationThrows() {
        assertThatThrownBy(() -> Parley.local(3, parley -> {
                    final Request request = parley.world().iallReduce(new long[1], 0, new long[1], 0, 1, null, BROKEN);
                    request.await();
                }))
                .hasMessageContaining("no such sum");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 300_000})
    void shouldEndWhenARankLeaves(final int count) {
        final AtomicInteger told = new AtomicInteger();
        Parley.local(4, parley -> {
            final Communicator world = parley.world();
            world.barrier();
            if (world.rank() == 2) {
                return;
            }
            final long[] data = new long[count];
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 3; i++) {
                            world.allReduce(data, new long[count], count, Op.SUM);
                        }
                    })
                    .isInstanceOf(PeerFailedException.class);
            told.incrementAndGet();
        });
        assertThat(told).hasValue(3);
    }

    @Test
    void shouldRefuseAUsersCallFromWithinTheOperation() {
        assertThatThrownBy(() -> Parley.local(2, parley -> {
                    final Communicator world = parley.world();
                    final Op calling = Op.ofLong(
                            (left, right) -> {
                                world.barrier();
                                return left;
                            },
                            true);
                    world.allReduce(new long[1], new long[1], 1, calling);
                }))
                .hasMessageContaining("may not call the library");
    }

    @Test
    void shouldTellThatCountsDiffer() {
        assertThatThrownBy(() -> Parley.local(2, parley -> {
                    final Communicator world = parley.world();
                    world.bcast(new long[8], 0, world.rank() == 0 ? 3 : 4, 0);
                }))
                .isInstanceOf(ParleyException.class)
                .hasMessageContaining("24 bytes where 32 were expected");
    }

    @Test
    void shouldRefuseWrongArgumentsBeforeAnythingIsSent() {
        Parley.local(2, parley -> {
            final Communicator world = parley.world();
            final double[] doubles = new double[4];
            final int[] ints = new int[4];
            refuses(() -> world.bcast(doubles, 0, 4, 2), "root is 2, must be 0 to 1");
            refuses(() -> world.bcast(doubles, 0, 4, -1), "root is -1");
            refuses(() -> world.reduce(doubles, new double[4], 4, Op.SUM, 7), "root is 7");
            refuses(() -> world.allReduce(doubles, new double[4], 4, Op.BAND), "BAND is not defined for DOUBLE");
            refuses(() -> world.allReduce(new boolean[1], new boolean[1], 1, Op.SUM), "SUM is not defined for BOOLEAN");
            refuses(() -> world.allReduce(ints, doubles, 4, Op.SUM), "input is of INT, output of DOUBLE");
            refuses(() -> world.allReduce(ints, new int[4], 4, BROKEN), "not defined for INT");
            refuses(() -> world.allReduce(doubles, new double[3], 4, Op.SUM), "do not fit");
            refuses(() -> world.allReduce(doubles, new double[4], -1, Op.SUM), "count -1");
            refuses(() -> world.allReduce("text", new double[4], 1, Op.SUM), "buffer is a java.lang.String");
            refuses(
                    () -> world.allReduce(
                            ints, 0, ByteBuffer.allocateDirect(16).asReadOnlyBuffer(), 0, 4, null, Op.SUM),
                    "read-only");
            refuses(
                    () -> world.reduce(
                            Communicator.IN_PLACE, world.rank() == 0 ? ints : null, 4, Op.SUM, 1 - world.rank()),
                    "IN_PLACE is for the root only");
            assertThatThrownBy(() -> world.allReduce(ints, new int[4], 4, null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("op");
            // Nothing was sent: the ranks are in step.
            final int[] out = new int[1];
            world.allReduce(new int[] {21}, out, 1, Op.SUM);
            assertThat(out[0]).isEqualTo(42);
        });
    }

    private static void refuses(final org.assertj.core.api.ThrowableAssert.ThrowingCallable call, final String why) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining(why);
    }
}
