package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;
import static org.parley.Communicator.PROC_NULL;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Every call of {@link PointToPoint} that moves data, over every wire. */
@Timeout(240)
@ParameterizedClass
@EnumSource(Wire.class)
class PointToPointTest {
    @Parameter
    Wire wire;

    /** The ways to send. */
    private enum Mode {
        SEND,
        SSEND,
        RSEND,
        BSEND,
        ISEND,
        ISSEND,
        IRSEND,
        IBSEND,
        SEND_INIT,
        SSEND_INIT,
        RSEND_INIT,
        BSEND_INIT;

        void send(
                final Communicator world,
                final Object buffer,
                final int offset,
                final int count,
                final int dest,
                final int tag) {
            switch (this) {
                case SEND -> world.send(buffer, offset, count, dest, tag);
                case SSEND -> world.ssend(buffer, offset, count, dest, tag);
                case RSEND -> world.rsend(buffer, offset, count, dest, tag);
                case BSEND -> world.bsend(buffer, offset, count, dest, tag);
                case ISEND -> world.isend(buffer, offset, count, dest, tag).await();
                case ISSEND -> world.issend(buffer, offset, count, dest, tag).await();
                case IRSEND -> world.irsend(buffer, offset, count, dest, tag).await();
                case IBSEND -> world.ibsend(buffer, offset, count, dest, tag).await();
                case SEND_INIT -> start(world.sendInit(buffer, offset, count, dest, tag));
                case SSEND_INIT -> start(world.ssendInit(buffer, offset, count, dest, tag));
                case RSEND_INIT -> start(world.rsendInit(buffer, offset, count, dest, tag));
                default -> start(world.bsendInit(buffer, offset, count, dest, tag));
            }
        }

        private static void start(final PersistentRequest request) {
            request.start();
            request.await();
        }
    }

    private static void assertStatus(final Status status, final int source, final int tag, final long bytes) {
        assertThat(status.source()).isEqualTo(source);
        assertThat(status.tag()).isEqualTo(tag);
        assertThat(status.bytes()).isEqualTo(bytes);
        assertThat(status.isCancelled()).isFalse();
    }

    @Test
    void shouldSendByEveryModeFromArrays() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            for (final Mode mode : Mode.values()) {
                for (final int size : Sample.SIZES) {
                    final int tag = mode.ordinal();
                    if (world.rank() == 0) {
                        final byte[] all = new byte[size + 5];
                        System.arraycopy(Sample.bytes(size + tag, size), 0, all, 3, size);
                        mode.send(world, all, 3, size, 1, tag);
                        java.util.Arrays.fill(all, (byte) -1);
                    } else {
                        final byte[] all = new byte[size];
                        assertStatus(world.receive(all, 0, size, 0, tag), 0, tag, size);
                        Sample.check(size + tag, size, all);
                    }
                }
            }
        });
    }

    @Test
    void shouldSendByEveryModeFromNativeMemory() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            for (final Mode mode : Mode.values()) {
                for (final int size : Sample.SIZES) {
                    final int tag = mode.ordinal();
                    if (world.rank() == 0) {
                        final ByteBuffer all = Sample.direct(size + tag, size);
                        mode.send(world, all, 0, size, 1, tag);
                        for (int i = 0; i < size; i++) {
                            all.put(i, (byte) -1);
                        }
                    } else {
                        final ByteBuffer all = ByteBuffer.allocateDirect(size + 9);
                        assertStatus(world.receive(all, 0, size + 9, 0, tag), 0, tag, size);
                        Sample.check(size + tag, size, all);
                    }
                }
            }
        });
    }

    @Test
    void shouldReceiveByEveryCallIntoEitherMemory() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            for (final int size : Sample.SIZES) {
                for (final boolean nativeSource : new boolean[] {false, true}) {
                    if (world.rank() == 0) {
                        final Object all = nativeSource ? Sample.direct(size, size) : Sample.bytes(size, size);
                        for (int i = 0; i < 10; i++) {
                            world.send(all, 0, size, 1, i);
                        }
                    } else {
                        receiveByEveryCall(world, size);
                    }
                }
            }
        });
    }

    private static void receiveByEveryCall(final Communicator world, final int size) {
        for (final int kind : new int[] {0, 5}) {
            final Object[] all = new Object[5];
            for (int i = 0; i < all.length; i++) {
                all[i] = kind == 0 ? new byte[size + 3] : ByteBuffer.allocateDirect(size + 3);
            }
            final Status into = new Status();
            assertThat(world.receive(all[0], 0, size, 0, kind, into)).isSameAs(into);
            assertStatus(into, 0, kind, size);
            assertStatus(world.ireceive(all[1], 0, size, 0, kind + 1).await(), 0, kind + 1, size);
            final PersistentRequest persistent = world.receiveInit(all[2], 0, size, 0, kind + 2);
            persistent.start();
            assertStatus(persistent.await(), 0, kind + 2, size);
            final Message message = world.mprobe(0, kind + 3);
            assertStatus(message.status(), 0, kind + 3, size);
            assertStatus(message.receive(all[3], 0, size), 0, kind + 3, size);
            final Message other = world.mprobe(0, kind + 4);
            assertStatus(other.ireceive(all[4], 0, size).await(), 0, kind + 4, size);
            for (final Object one : all) {
                if (one instanceof byte[] bytes) {
                    Sample.check(size, size, bytes);
                } else {
                    Sample.check(size, size, (ByteBuffer) one);
                }
            }
        }
    }

    @Test
    void shouldMatchReceivesThatWerePostedBefore() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                final List<Request> requests = new ArrayList<>();
                final List<byte[]> buffers = new ArrayList<>();
                for (final int size : Sample.SIZES) {
                    buffers.add(new byte[size]);
                    requests.add(world.ireceive(buffers.get(buffers.size() - 1), 0, size, 0, 1));
                }
                world.send(null, 0, 0, 0, 9);
                Request.awaitAll(requests);
                for (int i = 0; i < Sample.SIZES.length; i++) {
                    assertStatus(requests.get(i).status(), 0, 1, Sample.SIZES[i]);
                    Sample.check(i, Sample.SIZES[i], buffers.get(i));
                }
            } else {
                world.receive(null, 0, 0, 1, 9);
                final Mode[] modes = Mode.values();
                for (int i = 0; i < Sample.SIZES.length; i++) {
                    final int size = Sample.SIZES[i];
                    modes[i % modes.length].send(world, Sample.bytes(i, size), 0, size, 1, 1);
                }
            }
        });
    }

    @Test
    void shouldKeepTheOrderOfMessagesOfDifferentLengths() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            final int[] sizes = {40_000, 4, 20_000, 8, 16_384, 16_385, 4, 1_000_000, 4};
            if (world.rank() == 0) {
                final List<Request> requests = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    final int size = sizes[i % sizes.length];
                    final ByteBuffer buffer = i % 2 == 0 ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
                    buffer.putInt(0, i);
                    requests.add(i % 5 == 0 ? world.issend(buffer, 0, size, 1, 3) : world.isend(buffer, 0, size, 1, 3));
                }
                Request.awaitAll(requests);
            } else {
                for (int i = 0; i < 200; i++) {
                    final ByteBuffer buffer = ByteBuffer.allocateDirect(1_000_000);
                    final Status status =
                            world.receive(buffer, 0, 1_000_000, i % 3 == 0 ? ANY_SOURCE : 0, i % 2 == 0 ? ANY_TAG : 3);
                    assertStatus(status, 0, 3, sizes[i % sizes.length]);
                    assertThat(buffer.getInt(0)).isEqualTo(i);
                }
            }
        });
    }

    @Test
    void shouldTakeMessagesByTagInAnyOrder() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            final int tags = 300;
            if (world.rank() == 0) {
                final List<Request> requests = new ArrayList<>();
                for (int tag = 0; tag < tags; tag++) {
                    requests.add(world.isend(new int[] {tag}, 0, 1, 1, tag));
                }
                Request.awaitAll(requests);
            } else {
                for (int tag = tags - 1; tag >= 0; tag--) {
                    final int[] got = new int[1];
                    world.receive(got, 0, 1, 0, tag);
                    assertThat(got[0]).isEqualTo(tag);
                }
            }
        });
    }

    @Test
    void shouldReceiveFromAnySourceWithAnyTag() {
        wire.run(4, parley -> {
            final Communicator world = parley.world();
            final int each = 50;
            if (world.rank() > 0) {
                for (int i = 0; i < each; i++) {
                    world.send(new int[] {world.rank(), i}, 0, 2, 0, i);
                }
                return;
            }
            final int[] next = new int[4];
            for (int i = 0; i < 3 * each; i++) {
                final int[] got = new int[2];
                final Status status = world.receive(got, 0, 2, ANY_SOURCE, ANY_TAG);
                assertStatus(status, got[0], got[1], 8);
                assertThat(got[1]).isEqualTo(next[got[0]]++);
            }
        });
    }

    @Test
    void shouldExchangeInARing() {
        wire.run(3, parley -> {
            final Communicator world = parley.world();
            final int right = (world.rank() + 1) % 3;
            final int left = (world.rank() + 2) % 3;
            for (final int size : Sample.SIZES) {
                final byte[] in = new byte[size];
                final byte[] out = Sample.bytes(world.rank() + size, size);
                assertStatus(world.sendReceive(out, 0, size, right, 5, in, 0, size, left, 5), left, 5, size);
                Sample.check(left + size, size, in);

                final ByteBuffer both = Sample.direct(world.rank() + size, size);
                assertStatus(world.sendReceiveReplace(both, 0, size, right, 6, ANY_SOURCE, 6), left, 6, size);
                Sample.check(left + size, size, both);
            }
        });
    }

    @Test
    void shouldReplaceMoreThanBufferedSendsMayOccupy() {
        wire.run(2, ThreadLevel.SERIALIZED, Map.of("buffered.limit", "64k"), parley -> {
            final Communicator world = parley.world();
            final int size = 300_000;
            final byte[] both = Sample.bytes(world.rank(), size);
            world.sendReceiveReplace(both, 0, size, 1 - world.rank(), 1, ANY_SOURCE, 1);
            Sample.check(1 - world.rank(), size, both);
        });
    }

    @Test
    void shouldSendToItself() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            final int me = world.rank();
            for (final int size : Sample.SIZES) {
                for (final Mode mode : Mode.values()) {
                    final boolean isNative = mode.ordinal() % 2 == 0;
                    final byte[] heap = new byte[size];
                    final ByteBuffer direct = ByteBuffer.allocateDirect(size);
                    final Request request = world.ireceive(isNative ? direct : heap, 0, size, me, 1);
                    mode.send(world, size % 3 == 0 ? Sample.direct(1, size) : Sample.bytes(1, size), 0, size, me, 1);
                    assertStatus(request.await(), me, 1, size);
                    Sample.check(1, size, isNative ? heapOf(direct) : heap);
                }
                // First here, then asked for.
                final Request sent = world.isend(Sample.bytes(2, size), 0, size, me, 2);
                final byte[] later = new byte[size];
                assertStatus(world.receive(later, 0, size, ANY_SOURCE, 2), me, 2, size);
                Sample.check(2, size, later);
                sent.await();
                world.sendReceive(Sample.bytes(3, size), 0, size, me, 3, later, 0, size, me, 3);
                Sample.check(3, size, later);
                world.sendReceiveReplace(later, 0, size, me, 4, me, 4);
                Sample.check(3, size, later);
            }
        });
    }

    private static byte[] heapOf(final ByteBuffer buffer) {
        final byte[] bytes = new byte[buffer.capacity()];
        buffer.get(0, bytes);
        return bytes;
    }

    @Test
    void shouldDoNothingWithNobody() {
        wire.run(1, parley -> {
            final Communicator world = parley.world();
            final byte[] buffer = {1, 2, 3};
            for (final Mode mode : Mode.values()) {
                mode.send(world, buffer, 0, 3, PROC_NULL, 1);
            }
            assertNull(world.receive(buffer, 0, 3, PROC_NULL, 1));
            assertNull(world.ireceive(buffer, 0, 3, PROC_NULL, ANY_TAG).await());
            final PersistentRequest persistent = world.receiveInit(buffer, 0, 3, PROC_NULL, 1);
            persistent.start();
            assertNull(persistent.await());
            assertNull(world.probe(PROC_NULL, 1));
            assertNull(world.iprobe(PROC_NULL, 1));
            assertNull(world.sendReceive(buffer, 0, 3, PROC_NULL, 1, buffer, 0, 3, PROC_NULL, 1));
            assertNull(world.sendReceiveReplace(buffer, 0, 3, PROC_NULL, 1, PROC_NULL, 1));
            assertThat(buffer).containsExactly(1, 2, 3);
        });
    }

    private static void assertNull(final Status status) {
        assertStatus(status, PROC_NULL, ANY_TAG, 0);
    }

    @Test
    void shouldEndSynchronousSendsOnlyWhenMatched() {
        for (final int size : new int[] {0, 10, 100_000}) {
            wire.run(2, parley -> {
                final Communicator world = parley.world();
                if (world.rank() == 0) {
                    final Request request = world.issend(Sample.bytes(1, size), 0, size, 1, 1);
                    // The other's answer to a later message shows that this one is there.
                    world.send(null, 0, 0, 1, 2);
                    world.receive(null, 0, 0, 1, 3);
                    assertThat(request.test()).isFalse();
                    world.send(null, 0, 0, 1, 4);
                    request.await();
                } else {
                    world.receive(null, 0, 0, 0, 2);
                    world.send(null, 0, 0, 0, 3);
                    world.receive(null, 0, 0, 0, 4);
                    final byte[] bytes = new byte[size];
                    world.receive(bytes, 0, size, 0, 1);
                    Sample.check(1, size, bytes);
                }
            });
        }
    }

    @Test
    void shouldLetBuffersOfBufferedSendsGoAtOnce() {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            final int size = 200_000;
            if (world.rank() == 0) {
                final byte[] bytes = Sample.bytes(1, size);
                world.bsend(bytes, 0, size, 1, 1);
                java.util.Arrays.fill(bytes, (byte) 0);
                world.send(null, 0, 0, 1, 2);
            } else {
                world.receive(null, 0, 0, 0, 2);
                final byte[] bytes = new byte[size];
                world.receive(bytes, 0, size, 0, 1);
                Sample.check(1, size, bytes);
            }
        });
    }
}
