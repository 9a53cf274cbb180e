package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thousand operations with a peer that goes: each ends once, with an error that names it, and nothing of them is mistaken later. */
@Timeout(240)
class ManyOperationsTest {
    private static final int EACH = 250;
    private static final int LONG = 200_000;
    private static final int GO = 4711;

    private final AtomicInteger told = new AtomicInteger();

    private static List<Request> start(final Communicator world, final int peer) {
        final List<Request> requests = new ArrayList<>();
        final byte[] bytes = new byte[LONG];
        final ByteBuffer direct = ByteBuffer.allocateDirect(LONG);
        for (int i = 0; i < EACH; i++) {
            requests.add(world.ireceive(new byte[8], 0, 8, peer, i));
            requests.add(world.issend(new byte[8], 0, 8, peer, i));
            requests.add(world.isend(bytes, 0, LONG, peer, i));
            requests.add(world.isend(direct, 0, LONG, peer, i));
        }
        return requests;
    }

    private void assertEachEndsOnce(final List<Request> requests, final int peer, final String how) {
        for (final Request request : requests) {
            final PeerFailedException first = catchThrowableOfType(PeerFailedException.class, request::await);
            assertThat(first).isNotNull();
            assertThat(first.rank()).isEqualTo(peer);
            assertThat(first).hasMessageContaining("rank " + peer + " (this process, over ");
            assertThat(first).hasMessageContaining(how);
            // It stays ended, in the same way.
            assertThat(request.isDone()).isTrue();
            assertThatThrownBy(request::await)
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessage(first.getMessage());
            told.incrementAndGet();
        }
    }

    /** An operation that ended twice would be two later ones at once: as many again, and each finds its own. */
    private static void assertNothingIsMistaken(final Communicator world, final int other) {
        final List<Request> requests = new ArrayList<>();
        final byte[][] in = new byte[4 * EACH][1];
        for (int i = 0; i < in.length; i++) {
            requests.add(world.ireceive(in[i], 0, 1, other, i));
        }
        for (int i = 0; i < in.length; i++) {
            requests.add(world.issend(new byte[] {(byte) (i + i / 256)}, 0, 1, other, i));
        }
        Request.awaitAll(requests);
        for (int i = 0; i < in.length; i++) {
            assertThat(in[i][0]).isEqualTo((byte) (i + i / 256));
        }
    }

    private static void awaitGo(final Communicator world) {
        world.receive(null, 0, 0, 0, GO);
    }

    @ParameterizedTest
    @EnumSource(names = {"SHM", "TCP"})
    void shouldEndEachWhenThePeerLeaves(final Wire wire) {
        wire.run(3, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                awaitGo(world);
                return;
            }
            if (world.rank() == 0) {
                final List<Request> requests = start(world, 1);
                world.send(null, 0, 0, 1, GO);
                assertEachEndsOnce(requests, 1, "has left the job");
            }
            assertNothingIsMistaken(world, 2 - world.rank());
        });
        assertThat(told).hasValue(4 * EACH);
    }

    @ParameterizedTest
    @EnumSource(names = {"SHM", "TCP"})
    void shouldEndEachWhenThePeerFails(final Wire wire) {
        final CountDownLatch done = new CountDownLatch(1);
        assertThatThrownBy(() -> wire.run(3, parley -> {
                    final Communicator world = parley.world();
                    if (world.rank() == 1) {
                        awaitGo(world);
                        throw new IllegalStateException("out of paper");
                    }
                    if (world.rank() == 0) {
                        final List<Request> requests = start(world, 1);
                        world.send(null, 0, 0, 1, GO);
                        assertEachEndsOnce(requests, 1, "out of paper");
                        assertNothingIsMistaken(world, 2);
                        done.countDown();
                    } else {
                        assertNothingIsMistaken(world, 0);
                        assertThat(done.await(120, TimeUnit.SECONDS)).isTrue();
                    }
                }))
                .hasMessage("out of paper");
        assertThat(told).hasValue(4 * EACH);
    }
}
