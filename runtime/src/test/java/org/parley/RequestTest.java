package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(240)
@ParameterizedClass
@EnumSource(Wire.class)
class RequestTest {
    @Parameter
    Wire wire;

    /** Rank 1 answers what rank 0 asks for: a message with that tag, so that 0 decides what ends when. */
    private static void serve(final Communicator world) {
        final int[] wanted = new int[2];
        for (; ; ) {
            world.receive(wanted, 0, 2, 0, 1000);
            if (wanted[0] < 0) {
                return;
            }
            world.send(Sample.bytes(wanted[0], wanted[1]), 0, wanted[1], 0, wanted[0]);
        }
    }

    private static void ask(final Communicator world, final int tag, final int size) {
        world.send(new int[] {tag, size}, 0, 2, 1, 1000);
    }

    private static void finish(final Communicator world) {
        ask(world, -1, 0);
    }

    @Test
    void shouldAwaitAll() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            final List<Request> list = new ArrayList<>();
            final byte[][] buffers = new byte[20][50_000];
            for (int i = 0; i < 20; i++) {
                list.add(world.ireceive(buffers[i], 0, 50_000, 1, i));
                if (i % 3 == 0) {
                    list.add(null);
                }
            }
            for (int i = 19; i >= 0; i--) {
                ask(world, i, 1 + 2500 * i);
            }
            Request.awaitAll(list);
            Request.awaitAll(list.toArray(new Request[0]));
            for (int i = 0; i < 20; i++) {
                Sample.check(i, 1 + 2500 * i, buffers[i]);
            }
            Request.awaitAll(List.of());
            Request.awaitAll(Arrays.asList(null, null));
            finish(world);
        });
    }

    @Test
    void shouldAwaitAllBeforeItThrowsTheFirstFailure() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            final byte[] last = new byte[100];
            final List<Request> list = List.of(
                    world.ireceive(new byte[100], 0, 100, 1, 1),
                    world.ireceive(new byte[10], 0, 10, 1, 2),
                    world.ireceive(new byte[20], 0, 20, 1, 3),
                    world.ireceive(last, 0, 100, 1, 4));
            for (int tag = 1; tag <= 4; tag++) {
                ask(world, tag, 99);
            }
            assertThatThrownBy(() -> Request.awaitAll(list))
                    .isInstanceOf(TruncationException.class)
                    .hasMessageContaining("tag 2");
            assertThat(list).allMatch(Request::isDone);
            Sample.check(4, 99, last);
            assertThatThrownBy(() -> Request.awaitAll(list.toArray(new Request[0])))
                    .isInstanceOf(TruncationException.class)
                    .hasMessageContaining("tag 2");
            finish(world);
        });
    }

    @Test
    void shouldAwaitAny() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            final List<Request> list = new ArrayList<>();
            list.add(null);
            for (int i = 1; i < 10; i++) {
                list.add(world.ireceive(new byte[70_000], 0, 70_000, 1, i));
            }
            for (final int next : new int[] {5, 9, 1, 2, 3, 8, 4, 6, 7}) {
                ask(world, next, 60_000);
                assertThat(Request.awaitAny(list)).isEqualTo(next);
                assertThat(list.get(next).status().tag()).isEqualTo(next);
                list.set(next, null);
            }
            assertThat(Request.awaitAny(list)).isEqualTo(-1);
            finish(world);
        });
    }

    @Test
    void shouldAwaitSome() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            final List<Request> list = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                list.add(world.ireceive(new byte[3000], 0, 3000, 1, i));
            }
            for (int i = 0; i < 30; i++) {
                ask(world, i, 100 * i);
            }
            final Set<Integer> ended = new HashSet<>();
            while (ended.size() < 30) {
                final int[] some = Request.awaitSome(list);
                assertThat(some).isNotEmpty();
                for (final int one : some) {
                    assertThat(list.get(one).status().bytes()).isEqualTo(100L * one);
                    assertThat(ended.add(one)).isTrue();
                    list.set(one, null);
                }
            }
            assertThat(Request.awaitSome(list)).isEmpty();
            finish(world);
        });
    }

    @Test
    void shouldTestWithoutWaiting() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            final List<Request> list = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                list.add(world.ireceive(new byte[40_000], 0, 40_000, 1, i));
                list.add(null);
            }
            assertThat(list.get(0).test()).isFalse();
            assertThat(Request.testAny(list)).isEqualTo(-1);
            assertThat(Request.testSome(list)).isEmpty();
            assertThat(Request.testAll(list)).isFalse();
            assertThat(list.get(0).isDone()).isFalse();
            assertThatThrownBy(() -> list.get(0).status())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has not ended");

            ask(world, 3, 30_000);
            while (Request.testAny(list) < 0) {
                assertThat(Request.testAll(list)).isFalse();
            }
            assertThat(Request.testAny(list)).isEqualTo(6);
            assertThat(Request.testSome(list)).containsExactly(6);
            for (final int tag : new int[] {0, 1, 2, 4}) {
                ask(world, tag, 5);
            }
            while (!Request.testAll(list)) {
                assertThat(Request.testSome(list)).contains(6);
            }
            assertThat(Request.testSome(list)).containsExactly(0, 2, 4, 6, 8);
            assertThat(Request.testAll(List.of())).isTrue();
            assertThat(Request.testAny(Collections.singletonList(null))).isEqualTo(-1);
            finish(world);
        });
    }

    @Test
    void shouldGiveTheSameAnswerEachTimeItIsCompleted() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            for (final int size : new int[] {10, 100_000}) {
                final Request request = world.ireceive(new byte[size], 0, size, ANY_SOURCE, 3);
                ask(world, 3, size);
                assertThat(request.await()).hasToString(size + " bytes from 1, tag 3");
                // Others pass through the operation that was behind it.
                ask(world, 4, 7);
                world.ireceive(new byte[7], 0, 7, 1, 4).await();
                assertThat(request.await()).hasToString(size + " bytes from 1, tag 3");
                assertThat(request.test()).isTrue();
                assertThat(request.status()).hasToString(size + " bytes from 1, tag 3");
                final Status into = new Status();
                assertThat(request.await(into)).isSameAs(into);
                assertThat(into.count(Datatype.BYTE)).isEqualTo(size);
            }
            final Request failed = world.ireceive(new byte[3], 0, 3, 1, 5);
            ask(world, 5, 4);
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(failed::await).isInstanceOf(TruncationException.class);
                assertThatThrownBy(failed::test).isInstanceOf(TruncationException.class);
                assertThatThrownBy(failed::status).isInstanceOf(TruncationException.class);
            }
            final Request sent = world.isend(new int[] {6, 1}, 0, 2, 1, 1000);
            sent.await();
            sent.await();
            world.receive(new byte[1], 0, 1, 1, 6);
            finish(world);
        });
    }

    // --- cancel ----------------------------------------------------------------------------------

    @Test
    void shouldCancelAReceiveThatHasNotMatched() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            final byte[] untouched = new byte[100];
            final byte[] got = new byte[100];
            final Request first = world.ireceive(untouched, 0, 100, 1, 1);
            final Request wildcard = world.ireceive(untouched, 0, 100, ANY_SOURCE, ANY_TAG);
            final Request second = world.ireceive(got, 0, 100, 1, 1);
            first.cancel();
            wildcard.cancel();
            wildcard.cancel();
            assertThat(first.await().isCancelled()).isTrue();
            assertThat(wildcard.await().isCancelled()).isTrue();
            assertThat(wildcard.status()).hasToString("cancelled");
            ask(world, 1, 100);
            assertThat(second.await().isCancelled()).isFalse();
            Sample.check(1, 100, got);
            Sample.check(1, 0, untouched);
            finish(world);
        });
    }

    @Test
    void shouldNotCancelWhatHasMatchedOrASend() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            final byte[] got = new byte[200_000];
            final Request receive = world.ireceive(got, 0, 200_000, 1, 1);
            ask(world, 1, 200_000);
            receive.await();
            receive.cancel();
            assertThat(receive.await().isCancelled()).isFalse();
            Sample.check(1, 200_000, got);

            final Request send = world.issend(new int[] {2, 5}, 0, 2, 1, 1000);
            send.cancel();
            assertThat(send.await().isCancelled()).isFalse();
            world.receive(got, 0, 5, 1, 2);
            finish(world);
        });
    }

    // --- persistent ------------------------------------------------------------------------------

    @Test
    void shouldStartPersistentRequestsAgainAndAgain() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            final int size = 30_000;
            final ByteBuffer small = ByteBuffer.allocateDirect(8);
            final ByteBuffer large = ByteBuffer.allocateDirect(size);
            final int other = 1 - world.rank();
            final List<PersistentRequest> both = world.rank() == 0
                    ? List.of(world.sendInit(small, 0, 8, other, 1), world.ssendInit(large, 0, size, other, 1))
                    : List.of(
                            world.receiveInit(small, 0, 8, other, 1),
                            world.receiveInit(large, 0, size, ANY_SOURCE, ANY_TAG));
            // Before the first start they count as ended.
            assertThat(both).allMatch(PersistentRequest::isDone);
            Request.awaitAll(both);
            for (int i = 0; i < 100; i++) {
                if (world.rank() == 0) {
                    small.putLong(0, i);
                    large.putLong(size - 8, -i);
                }
                PersistentRequest.startAll(both);
                Request.awaitAll(both);
                assertThat(small.getLong(0)).isEqualTo(i);
                assertThat(large.getLong(size - 8)).isEqualTo(-i);
                if (world.rank() == 1) {
                    assertThat(both.get(0).status().bytes()).isEqualTo(8);
                    assertThat(both.get(1).status().bytes()).isEqualTo(size);
                }
            }
        });
    }

    @Test
    void shouldRefuseASecondStartBeforeTheEnd() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                serve(world);
                return;
            }
            final PersistentRequest receive = world.receiveInit(new byte[9], 0, 9, 1, 1);
            receive.start();
            assertThatThrownBy(receive::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("still under way");
            receive.cancel();
            assertThat(receive.await().isCancelled()).isTrue();
            receive.start();
            ask(world, 1, 9);
            assertThat(receive.await().isCancelled()).isFalse();
            finish(world);
        });
    }
}
