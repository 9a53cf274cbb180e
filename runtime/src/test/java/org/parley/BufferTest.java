package org.parley;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that may be sent from and received into, each with each. */
@Timeout(240)
class BufferTest {
    private static final ByteOrder NATIVE = ByteOrder.nativeOrder();

    /**
     * A kind of buffer.
     *
     * @param name for people
     * @param unit bytes per element of offset and count
     * @param make makes one of so many bytes, all 0
     * @param bytes its bytes, as a view or, for arrays, by {@link #load} and {@link #store}
     */
    private record Kind(String name, int unit, IntFunction<Object> make, Function<Object, ByteBuffer> bytes) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static ByteBuffer direct(final int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(NATIVE);
    }

    /** A direct buffer in the middle of another. */
    private static ByteBuffer directSlice(final int bytes) {
        return ByteBuffer.allocateDirect(bytes + 48)
                .position(16)
                .limit(16 + bytes)
                .slice();
    }

    private static ByteBuffer heapSlice(final int bytes) {
        return ByteBuffer.allocate(bytes + 48).position(8).limit(8 + bytes).slice();
    }

    /** Position and limit do not matter. */
    private static ByteBuffer closedUp(final ByteBuffer buffer) {
        return buffer.limit(3).position(3);
    }

    private static ByteBuffer mapped(final int bytes) {
        try {
            final Path file = Files.createTempFile("parley-test", null);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
            } finally {
                Files.delete(file);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ByteBuffer whole(final Object buffer) {
        return ((ByteBuffer) buffer).duplicate().clear();
    }

    /** Views over memory that is kept beside them. */
    private static final class View {
        private final ByteBuffer memory;
        private final Object view;

        View(final ByteBuffer memory, final Function<ByteBuffer, Object> view) {
            this.memory = memory;
            this.view = view.apply(memory.order(NATIVE));
        }
    }

    private static Kind view(final String name, final int unit, final Function<ByteBuffer, Object> view) {
        return new Kind(name, unit, bytes -> new View(directSlice(bytes), view), v -> ((View) v).memory);
    }

    private static final List<Kind> KINDS = List.of(
            array("byte[]", 1, byte[]::new),
            array("boolean[]", 1, boolean[]::new),
            array("char[]", 2, bytes -> new char[bytes / 2]),
            array("short[]", 2, bytes -> new short[bytes / 2]),
            array("int[]", 4, bytes -> new int[bytes / 4]),
            array("long[]", 8, bytes -> new long[bytes / 8]),
            array("float[]", 4, bytes -> new float[bytes / 4]),
            array("double[]", 8, bytes -> new double[bytes / 8]),
            new Kind("heap", 1, ByteBuffer::allocate, BufferTest::whole),
            new Kind("heap slice", 1, b -> closedUp(heapSlice(b)), BufferTest::whole),
            new Kind("direct", 1, b -> closedUp(direct(b)), BufferTest::whole),
            new Kind(
                    "direct, big endian",
                    1,
                    bytes -> ByteBuffer.allocateDirect(bytes).order(ByteOrder.BIG_ENDIAN),
                    BufferTest::whole),
            new Kind("direct slice", 1, BufferTest::directSlice, BufferTest::whole),
            new Kind("mapped", 1, BufferTest::mapped, BufferTest::whole),
            view("direct CharBuffer", 2, ByteBuffer::asCharBuffer),
            view("direct ShortBuffer", 2, ByteBuffer::asShortBuffer),
            view("direct IntBuffer", 4, ByteBuffer::asIntBuffer),
            view("direct LongBuffer", 8, ByteBuffer::asLongBuffer),
            view("direct FloatBuffer", 4, ByteBuffer::asFloatBuffer),
            view("direct DoubleBuffer", 8, ByteBuffer::asDoubleBuffer),
            array("heap CharBuffer", 2, b -> CharBuffer.allocate(b / 2 + 1).slice(1, b / 2)),
            array("heap ShortBuffer", 2, b -> ShortBuffer.allocate(b / 2 + 1).slice(1, b / 2)),
            array("heap IntBuffer", 4, b -> IntBuffer.allocate(b / 4 + 1).slice(1, b / 4)),
            array("heap LongBuffer", 8, b -> LongBuffer.allocate(b / 8 + 1).slice(1, b / 8)),
            array("heap FloatBuffer", 4, b -> FloatBuffer.allocate(b / 4 + 1).slice(1, b / 4)),
            array("heap DoubleBuffer", 8, b -> DoubleBuffer.allocate(b / 8 + 1).slice(1, b / 8)),
            array("UnsafeBuffer of byte[]", 1, bytes -> new UnsafeBuffer(new byte[bytes + 7], 3, bytes)),
            array("UnsafeBuffer of direct", 1, bytes -> new UnsafeBuffer(direct(bytes))),
            array("ExpandableArrayBuffer", 1, ExpandableArrayBuffer::new),
            array("Memory", 1, Parley::allocate));

    private static Kind array(final String name, final int unit, final IntFunction<Object> make) {
        return new Kind(name, unit, make, null);
    }

    private static Object bufferOf(final Object made) {
        return made instanceof View view ? view.view : made;
    }

    private static void store(final Kind kind, final Object to, final int at, final byte[] bytes) {
        if (kind.bytes() != null) {
            kind.bytes().apply(to).put(at, bytes);
            return;
        }
        final ByteBuffer in = ByteBuffer.wrap(bytes).order(NATIVE);
        final int first = at / kind.unit();
        for (int i = 0; i < bytes.length / kind.unit(); i++) {
            put(to, first + i, in);
        }
    }

    private static void put(final Object to, final int i, final ByteBuffer in) {
        if (to instanceof byte[] a) {
            a[i] = in.get();
        } else if (to instanceof boolean[] a) {
            a[i] = in.get() != 0;
        } else if (to instanceof char[] a) {
            a[i] = in.getChar();
        } else if (to instanceof short[] a) {
            a[i] = in.getShort();
        } else if (to instanceof int[] a) {
            a[i] = in.getInt();
        } else if (to instanceof long[] a) {
            a[i] = in.getLong();
        } else if (to instanceof float[] a) {
            a[i] = in.getFloat();
        } else if (to instanceof double[] a) {
            a[i] = in.getDouble();
        } else if (to instanceof CharBuffer b) {
            b.put(i, in.getChar());
        } else if (to instanceof ShortBuffer b) {
            b.put(i, in.getShort());
        } else if (to instanceof IntBuffer b) {
            b.put(i, in.getInt());
        } else if (to instanceof LongBuffer b) {
            b.put(i, in.getLong());
        } else if (to instanceof FloatBuffer b) {
            b.put(i, in.getFloat());
        } else if (to instanceof DoubleBuffer b) {
            b.put(i, in.getDouble());
        } else if (to instanceof Memory m) {
            m.putByte(i, in.get());
        } else {
            ((MutableDirectBuffer) to).putByte(i, in.get());
        }
    }

    private static byte[] load(final Kind kind, final Object from, final int bytes) {
        final byte[] result = new byte[bytes];
        if (kind.bytes() != null) {
            kind.bytes().apply(from).get(0, result);
            return result;
        }
        final ByteBuffer out = ByteBuffer.wrap(result).order(NATIVE);
        for (int i = 0; i < bytes / kind.unit(); i++) {
            get(from, i, out);
        }
        return result;
    }

    private static void get(final Object from, final int i, final ByteBuffer out) {
        if (from instanceof byte[] a) {
            out.put(a[i]);
        } else if (from instanceof boolean[] a) {
            out.put((byte) (a[i] ? 1 : 0));
        } else if (from instanceof char[] a) {
            out.putChar(a[i]);
        } else if (from instanceof short[] a) {
            out.putShort(a[i]);
        } else if (from instanceof int[] a) {
            out.putInt(a[i]);
        } else if (from instanceof long[] a) {
            out.putLong(a[i]);
        } else if (from instanceof float[] a) {
            out.putFloat(a[i]);
        } else if (from instanceof double[] a) {
            out.putDouble(a[i]);
        } else if (from instanceof CharBuffer b) {
            out.putChar(b.get(i));
        } else if (from instanceof ShortBuffer b) {
            out.putShort(b.get(i));
        } else if (from instanceof IntBuffer b) {
            out.putInt(b.get(i));
        } else if (from instanceof LongBuffer b) {
            out.putLong(b.get(i));
        } else if (from instanceof FloatBuffer b) {
            out.putFloat(b.get(i));
        } else if (from instanceof DoubleBuffer b) {
            out.putDouble(b.get(i));
        } else if (from instanceof Memory m) {
            out.put(m.getByte(i));
        } else {
            out.put(((MutableDirectBuffer) from).getByte(i));
        }
    }

    /** Bytes 0 and 1 in no order: good for booleans too. */
    private static byte[] content(final int seed, final int length) {
        final byte[] bytes = Sample.bytes(seed, length);
        for (int i = 0; i < length; i++) {
            bytes[i] &= 1;
        }
        return bytes;
    }

    private static byte[] surrounded(final int before, final byte[] middle, final int length) {
        final byte[] result = new byte[length];
        System.arraycopy(middle, 0, result, before, middle.length);
        return result;
    }

    @ParameterizedTest
    @EnumSource(Wire.class)
    void shouldSendEveryKindIntoEveryKind(final Wire wire) {
        final int[] sizes = {24, 20_000 - 20_000 % 8};
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            for (final int size : sizes) {
                for (int from = 0; from < KINDS.size(); from++) {
                    if (world.rank() == 0) {
                        sendToEveryKind(world, KINDS.get(from), from, size);
                    } else {
                        receiveIntoEveryKind(world, from, size);
                    }
                }
            }
        });
    }

    private static void sendToEveryKind(final Communicator world, final Kind kind, final int seed, final int size) {
        final Object made = kind.make().apply(size + 32);
        store(kind, made, 16, content(seed, size));
        for (int to = 0; to < KINDS.size(); to++) {
            world.send(bufferOf(made), 16 / kind.unit(), size / kind.unit(), 1, to);
        }
        assertThat(load(kind, made, size + 32))
                .as("%s after it was sent", kind)
                .isEqualTo(surrounded(16, content(seed, size), size + 32));
    }

    private static void receiveIntoEveryKind(final Communicator world, final int seed, final int size) {
        for (int to = 0; to < KINDS.size(); to++) {
            final Kind kind = KINDS.get(to);
            final Object made = kind.make().apply(size + 32);
            final Status status = world.receive(bufferOf(made), 8 / kind.unit(), (size + 8) / kind.unit(), 0, to);
            assertThat(status.bytes()).isEqualTo(size);
            assertThat(load(kind, made, size + 32))
                    .as("%d bytes of %s into %s", size, KINDS.get(seed), kind)
                    .isEqualTo(surrounded(8, content(seed, size), size + 32));
        }
    }

    @Test
    void shouldSendFromReadOnlyDirectBuffers() {
        final List<ByteBuffer> sources = new ArrayList<>();
        for (final int size : new int[] {100, 50_000}) {
            sources.add(Sample.direct(size, size).asReadOnlyBuffer());
        }
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            for (final ByteBuffer source : sources) {
                final int size = source.capacity();
                if (world.rank() == 0) {
                    world.send(source, 0, size, 1, 1);
                    world.send(source.order(NATIVE).asDoubleBuffer(), 0, size / 8, 1, 1);
                } else {
                    final byte[] got = new byte[size];
                    world.receive(got, 0, size, 0, 1);
                    Sample.check(size, size, got);
                    assertThat(world.receive(got, 0, size, 0, 1).count(Datatype.DOUBLE))
                            .isEqualTo(size / 8);
                }
            }
        });
    }

    @Test
    void shouldTakeNullForNothing() {
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                world.send(null, 0, 0, 1, 1);
                world.send(new byte[0], 0, 0, 1, 1);
            } else {
                assertThat(world.receive(null, 0, 0, 0, 1).bytes()).isZero();
                assertThat(world.receive(null, 0, 0, 0, 1).bytes()).isZero();
            }
        });
    }

    @Test
    void shouldCountElements() {
        final Status status = new Status();
        status.set(0, 0, 24, false);
        assertThat(status.count(Datatype.DOUBLE)).isEqualTo(3);
        assertThat(status.count(Datatype.INT)).isEqualTo(6);
        status.set(0, 0, 25, false);
        assertThat(status.count(Datatype.SHORT)).isEqualTo(-1);
        assertThat(status.count(Datatype.BYTE)).isEqualTo(25);
    }
}
