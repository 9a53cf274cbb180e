package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is wrong is said before anything is sent or taken. */
@Timeout(240)
class WrongArgumentTest {
    private static final int MARK = 77;

    private interface Send {
        void call(Object buffer, long offset, long count, int dest, int tag);
    }

    private interface Receive {
        void call(Object buffer, long offset, long count, int source, int tag);
    }

    private interface Probe {
        void call(int source, int tag);
    }

    private static Map<String, Send> sends(final Communicator world) {
        final byte[] into = new byte[100];
        final Map<String, Send> all = new TreeMap<>();
        all.put("send", world::send);
        all.put("ssend", world::ssend);
        all.put("rsend", world::rsend);
        all.put("bsend", world::bsend);
        all.put("isend", world::isend);
        all.put("issend", world::issend);
        all.put("irsend", world::irsend);
        all.put("ibsend", world::ibsend);
        all.put("sendInit", world::sendInit);
        all.put("ssendInit", world::ssendInit);
        all.put("rsendInit", world::rsendInit);
        all.put("bsendInit", world::bsendInit);
        all.put(
                "sendReceive",
                (buffer, offset, count, dest, tag) ->
                        world.sendReceive(buffer, offset, count, dest, tag, into, 0, 100, ANY_SOURCE, MARK));
        all.put(
                "sendReceiveReplace",
                (buffer, offset, count, dest, tag) ->
                        world.sendReceiveReplace(buffer, offset, count, dest, tag, ANY_SOURCE, MARK));
        return all;
    }

    private static Map<String, Receive> receives(final Communicator world) {
        final byte[] out = new byte[100];
        final Map<String, Receive> all = new TreeMap<>();
        all.put("receive", world::receive);
        all.put("receive into", (b, o, c, s, t) -> world.receive(b, o, c, s, t, new Status()));
        all.put("ireceive", world::ireceive);
        all.put("receiveInit", world::receiveInit);
        all.put(
                "sendReceive",
                (buffer, offset, count, source, tag) ->
                        world.sendReceive(out, 0, 100, 1, MARK, buffer, offset, count, source, tag));
        all.put(
                "sendReceiveReplace",
                (buffer, offset, count, source, tag) ->
                        world.sendReceiveReplace(buffer, offset, count, 1, MARK, source, tag));
        return all;
    }

    private static Map<String, Probe> probes(final Communicator world) {
        return Map.of(
                "probe", world::probe, "iprobe", world::iprobe, "mprobe", world::mprobe, "improbe", world::improbe);
    }

    /**
     * Rank 0 does what is wrong while a message lies here that some of the calls would take, then
     * both sides see that nothing was sent and nothing taken.
     */
    private static void inPeace(final java.util.function.Consumer<Communicator> wrong) {
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                world.send(new byte[] {1, 2, 3}, 0, 3, 0, MARK);
                world.receive(null, 0, 0, 0, 1);
                assertThat(world.iprobe(ANY_SOURCE, ANY_TAG)).isNull();
                world.send(null, 0, 0, 0, 2);
                return;
            }
            world.probe(1, MARK);
            wrong.accept(world);
            world.send(null, 0, 0, 1, 1);
            final byte[] kept = new byte[3];
            assertThat(world.receive(kept, 0, 3, 1, MARK).bytes()).isEqualTo(3);
            assertThat(kept).containsExactly(1, 2, 3);
            world.receive(null, 0, 0, 1, 2);
            assertThat(world.iprobe(ANY_SOURCE, ANY_TAG)).isNull();
        });
    }

    private static void assertWrong(final String what, final Runnable call, final String... inMessage) {
        assertThatThrownBy(call::run)
                .as(what)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(inMessage);
    }

    @Test
    void shouldNameAWrongPeer() {
        final byte[] buffer = new byte[100];
        inPeace(world -> {
            sends(world).forEach((name, send) -> {
                for (final int dest : new int[] {-1, -3, 2, 1 << 30}) {
                    assertWrong(
                            name,
                            () -> send.call(buffer, 0, 10, dest, 1),
                            "dest is " + dest,
                            "must be 0 to 1 or PROC_NULL");
                }
            });
            receives(world).forEach((name, receive) -> {
                for (final int source : new int[] {-3, 2, 1 << 30}) {
                    assertWrong(
                            name,
                            () -> receive.call(buffer, 0, 10, source, MARK),
                            "source is " + source,
                            "must be 0 to 1, ANY_SOURCE or PROC_NULL");
                }
            });
            probes(world).forEach((name, probe) -> assertWrong(name, () -> probe.call(2, MARK), "source is 2"));
        });
    }

    @Test
    void shouldNameAWrongTag() {
        final byte[] buffer = new byte[100];
        inPeace(world -> {
            sends(world)
                    .forEach((name, send) ->
                            assertWrong(name, () -> send.call(buffer, 0, 10, 1, -1), "tag is -1, must be 0 or more"));
            receives(world)
                    .forEach((name, receive) -> assertWrong(
                            name,
                            () -> receive.call(buffer, 0, 10, 1, -2),
                            "tag is -2, must be 0 or more, or ANY_TAG"));
            probes(world).forEach((name, probe) -> assertWrong(name, () -> probe.call(1, -2), "tag is -2"));
            assertWrong("iprobe", () -> world.iprobe(-2, -2), "tag is -2");
            assertWrong("probe", () -> world.probe(-2, -2), "tag is -2");
        });
    }

    /** Everywhere where a buffer is given. */
    private static void assertWrongBuffer(
            final Communicator world,
            final Object buffer,
            final long offset,
            final long count,
            final String... inMessage) {
        sends(world)
                .forEach((name, send) -> assertWrong(name, () -> send.call(buffer, offset, count, 1, 1), inMessage));
        assertWrongTarget(world, buffer, offset, count, inMessage);
    }

    private static void assertWrongTarget(
            final Communicator world,
            final Object buffer,
            final long offset,
            final long count,
            final String... inMessage) {
        receives(world)
                .forEach((name, receive) ->
                        assertWrong(name, () -> receive.call(buffer, offset, count, 1, MARK), inMessage));
    }

    @Test
    void shouldNameAWrongRange() {
        inPeace(world -> {
            final String text = "do not fit a buffer of ";
            final Memory memory = Parley.allocate(100);
            final Object[] hundreds = {
                new byte[100],
                new double[100],
                ByteBuffer.allocate(100),
                ByteBuffer.allocateDirect(100),
                ByteBuffer.allocateDirect(800).order(ByteOrder.nativeOrder()).asLongBuffer(),
                new UnsafeBuffer(new byte[120], 10, 100),
                memory
            };
            final long[][] ranges = {
                {-1, 1},
                {0, -1},
                {0, 101},
                {1, 100},
                {100, 1},
                {101, 0},
                {50, 51},
                {Long.MAX_VALUE, 1},
                {1, Long.MAX_VALUE},
                {1L << 61, 0},
                {1L << 32, 1},
                {0, 1L << 61},
                {Long.MIN_VALUE, 1},
                {1, Long.MIN_VALUE}
            };
            for (final Object buffer : hundreds) {
                for (final long[] range : ranges) {
                    assertWrongBuffer(world, buffer, range[0], range[1], "offset " + range[0], text + "100 elements");
                }
            }
            assertWrongBuffer(world, null, 0, 1, "buffer is null");
            assertWrongBuffer(world, null, 1, 0, "buffer is null");
            memory.close();
        });
    }

    @Test
    void shouldNameWhatIsNull() {
        inPeace(world -> assertWrong("into", () -> world.receive(new byte[3], 0, 3, 1, MARK, null), "into is null"));
    }

    @Test
    void shouldNameARankThatIsNone() {
        Wire.SHM.run(1, parley -> {
            for (final int rank : new int[] {-1, 1, 99}) {
                assertWrong("rank", () -> parley.transportTo(rank), "rank is " + rank, "must be 0 to 0");
            }
        });
    }

    @Test
    void shouldNameWhatIsNoBuffer() {
        inPeace(world -> {
            assertWrongBuffer(world, "text", 0, 1, "java.lang.String", "sendObject");
            assertWrongBuffer(world, new Integer[3], 0, 1, "java.lang.Integer[]");
            assertWrongBuffer(world, new int[3][3], 0, 1, "int[][]");
        });
    }

    @Test
    void shouldRefuseToReceiveIntoReadOnlyBuffers() {
        inPeace(world -> {
            final ByteBuffer direct = ByteBuffer.allocateDirect(800).order(ByteOrder.nativeOrder());
            assertWrongTarget(world, direct.asReadOnlyBuffer(), 0, 10, "read-only");
            assertWrongTarget(
                    world,
                    direct.asReadOnlyBuffer().order(ByteOrder.nativeOrder()).asIntBuffer(),
                    0,
                    10,
                    "read-only");
            assertWrongBuffer(world, ByteBuffer.allocate(10).asReadOnlyBuffer(), 0, 10, "read-only");
        });
    }

    @Test
    void shouldRefuseViewsThatItCannotReach() {
        final ByteOrder foreign =
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        final ByteBuffer direct = ByteBuffer.allocateDirect(80).order(foreign);
        final ByteBuffer heap = ByteBuffer.allocate(80).order(ByteOrder.nativeOrder());
        inPeace(world -> {
            final Object[] wrongOrder = {
                direct.asCharBuffer(), direct.asShortBuffer(), direct.asIntBuffer(),
                direct.asLongBuffer(), direct.asFloatBuffer(), direct.asDoubleBuffer()
            };
            for (final Object view : wrongOrder) {
                assertWrongBuffer(world, view, 0, 10, "byte order is " + foreign, "nativeOrder()");
            }
            assertWrongBuffer(world, heap.asDoubleBuffer(), 0, 10, "neither direct nor");
        });
    }

    @Test
    void shouldRefuseClosedMemory() {
        inPeace(world -> {
            final Memory memory = Parley.allocate(100);
            memory.close();
            sends(world)
                    .forEach((name, send) -> assertThatThrownBy(() -> send.call(memory, 0, 10, 1, 1))
                            .as(name)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("closed"));
            receives(world)
                    .forEach((name, receive) -> assertThatThrownBy(() -> receive.call(memory, 0, 10, 1, MARK))
                            .as(name)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("closed"));
        });
    }

    @Test
    void shouldRefuseCallsAfterClose() {
        Wire.SHM.run(1, parley -> {
            final Communicator world = parley.world();
            final Request request = world.ireceive(new byte[1], 0, 1, 0, 1);
            parley.close();
            parley.close();
            assertThatThrownBy(() -> world.send(null, 0, 0, 0, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
            assertThatThrownBy(() -> world.iprobe(0, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
            assertThatThrownBy(request::await)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        });
    }

    @Test
    void shouldRefuseImpossibleSizes() {
        assertWrong("ranks", () -> Parley.local(0, parley -> {}), "ranks is 0, must be at least 1");
        assertWrong("bytes", () -> Parley.allocate(0), "size is 0 bytes, must be 1 to ");
        assertWrong("bytes", () -> Parley.allocate(-1), "size is -1 bytes");
        assertWrong("bytes", () -> Parley.allocate(Long.MAX_VALUE), "size is 9223372036854775807 bytes");
        try (Memory memory = Parley.allocate(16)) {
            assertThatThrownBy(() -> memory.getLong(9))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("memory of 16");
            assertThatThrownBy(() -> memory.putByte(-1, (byte) 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.wrap(8, 9)).isInstanceOf(IndexOutOfBoundsException.class);
            memory.putDouble(8, 1.5);
            assertThat(memory.getDouble(8)).isEqualTo(1.5);
            assertThat(memory.wrap(8, 8).getDouble(0)).isEqualTo(1.5);
        }
    }
}
