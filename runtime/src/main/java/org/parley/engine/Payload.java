package org.parley.engine;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.parley.Datatype;
import org.parley.Memory;

/**
 * The one description of user memory: below the communicator nobody knows arrays, buffers or
 * datatypes. A piece of memory is a base object (null for native memory) and an address (relative
 * to the object, or absolute), {@code bytes} long, contiguous.
 *
 * <p>Instances are reused: operations own one each, and the engine has a scratch one for calls that
 * end at once.
 */
public final class Payload {
    private static final int SMALL = 32;

    private static final long BYTES = UnsafeApi.arrayBaseOffset(byte[].class);
    private static final long BOOLEANS = UnsafeApi.arrayBaseOffset(boolean[].class);
    private static final long CHARS = UnsafeApi.arrayBaseOffset(char[].class);
    private static final long SHORTS = UnsafeApi.arrayBaseOffset(short[].class);
    private static final long INTS = UnsafeApi.arrayBaseOffset(int[].class);
    private static final long LONGS = UnsafeApi.arrayBaseOffset(long[].class);
    private static final long FLOATS = UnsafeApi.arrayBaseOffset(float[].class);
    private static final long DOUBLES = UnsafeApi.arrayBaseOffset(double[].class);

    /** Keeps the user's buffer reachable while the payload is in use. */
    private Object owner;

    private Object base;

    /** Number of the shared region that the memory is part of, or 0. */
    private int region;

    private long address;
    private long bytes;
    private Datatype type;

    /** Makes an empty one. */
    public Payload() {}

    /** Forgets the user's memory. */
    public void clear() {
        if (owner == null && base == null) {
            // Nothing is kept from the collector: native addresses may stay.
            return;
        }
        owner = null;
        base = null;
        region = 0;
        address = 0;
        bytes = 0;
        type = null;
    }

    /**
     * Keeps an object reachable until the payload is cleared: the user's buffer, where the
     * operation outlives the call. (A call that waits holds its argument itself, and saves the
     * store.)
     *
     * @param buffer the user's buffer
     */
    public void hold(final Object buffer) {
        owner = buffer;
    }

    /**
     * Describes what another payload describes.
     *
     * @param other the other
     */
    public void set(final Payload other) {
        slice(other, 0, other.bytes);
    }

    /**
     * Describes a part of another payload.
     *
     * @param whole the other
     * @param from bytes from its start
     * @param length bytes
     */
    public void slice(final Payload whole, final long from, final long length) {
        owner = whole.owner;
        base = whole.base;
        region = whole.region;
        address = whole.address + from;
        bytes = length;
        type = whole.type;
    }

    /**
     * Describes native memory of the library itself.
     *
     * @param nativeAddress where
     * @param length bytes
     */
    public void nativeMemory(final long nativeAddress, final long length) {
        owner = null;
        base = null;
        region = 0;
        address = nativeAddress;
        bytes = length;
        type = Datatype.BYTE;
    }

    /**
     * Describes a user's buffer: a primitive array, an NIO buffer (absolute indexes; position and
     * limit do not matter), an Agrona buffer or {@link Memory}.
     *
     * @param buffer the buffer
     * @param offset first element; in bytes for buffers of bytes
     * @param count elements
     * @param wanted the elements' type, or null for the buffer's own
     * @param writable whether the library will write to it
     * @throws IllegalArgumentException if buffer, range or type do not fit each other
     */
    public void set(
            final Object buffer, final long offset, final long count, final Datatype wanted, final boolean writable) {
        region = 0;
        if (buffer instanceof Memory m) {
            range(null, m.address(), m.size(), offset, count, Datatype.BYTE, wanted);
            region = m.region();
        } else if (buffer instanceof ByteBuffer b) {
            nio(b, b.hasArray() ? BYTES + b.arrayOffset() : 0, offset, count, Datatype.BYTE, wanted);
            refuseReadOnly(b, writable);
        } else if (buffer instanceof byte[] a) {
            array(a, a.length, BYTES, offset, count, Datatype.BYTE, wanted);
        } else if (buffer instanceof double[] a) {
            array(a, a.length, DOUBLES, offset, count, Datatype.DOUBLE, wanted);
        } else if (buffer instanceof int[] a) {
            array(a, a.length, INTS, offset, count, Datatype.INT, wanted);
        } else if (buffer instanceof long[] a) {
            array(a, a.length, LONGS, offset, count, Datatype.LONG, wanted);
        } else if (buffer instanceof float[] a) {
            array(a, a.length, FLOATS, offset, count, Datatype.FLOAT, wanted);
        } else if (buffer instanceof DirectBuffer b) {
            range(b.byteArray(), b.addressOffset(), b.capacity(), offset, count, Datatype.BYTE, wanted);
        } else {
            setRare(buffer, offset, count, wanted, writable);
        }
    }

    private void setRare(
            final Object buffer, final long offset, final long count, final Datatype wanted, final boolean writable) {
        if (buffer instanceof short[] a) {
            array(a, a.length, SHORTS, offset, count, Datatype.SHORT, wanted);
        } else if (buffer instanceof char[] a) {
            array(a, a.length, CHARS, offset, count, Datatype.CHAR, wanted);
        } else if (buffer instanceof boolean[] a) {
            array(a, a.length, BOOLEANS, offset, count, Datatype.BOOLEAN, wanted);
        } else if (buffer instanceof DoubleBuffer b) {
            typed(b, b.order(), DOUBLES, offset, count, Datatype.DOUBLE, wanted, writable);
        } else if (buffer instanceof IntBuffer b) {
            typed(b, b.order(), INTS, offset, count, Datatype.INT, wanted, writable);
        } else if (buffer instanceof LongBuffer b) {
            typed(b, b.order(), LONGS, offset, count, Datatype.LONG, wanted, writable);
        } else if (buffer instanceof FloatBuffer b) {
            typed(b, b.order(), FLOATS, offset, count, Datatype.FLOAT, wanted, writable);
        } else if (buffer instanceof ShortBuffer b) {
            typed(b, b.order(), SHORTS, offset, count, Datatype.SHORT, wanted, writable);
        } else if (buffer instanceof CharBuffer b) {
            typed(b, b.order(), CHARS, offset, count, Datatype.CHAR, wanted, writable);
        } else if (buffer == null) {
            if (count != 0 || offset != 0) {
                throw new IllegalArgumentException("buffer is null; null is allowed only with offset 0 and count 0");
            }
            base = null;
            address = 0;
            bytes = 0;
            type = wanted == null ? Datatype.BYTE : wanted;
        } else {
            throw new IllegalArgumentException("buffer is a "
                    + buffer.getClass().getTypeName()
                    + "; allowed are arrays of primitives, NIO buffers, Agrona buffers and"
                    + " Memory (objects go by sendObject)");
        }
    }

    private void array(
            final Object array,
            final int length,
            final long start,
            final long offset,
            final long count,
            final Datatype own,
            final Datatype wanted) {
        if (wanted != null && wanted != own) {
            throw new IllegalArgumentException("datatype " + wanted + " does not fit an array of " + own);
        }
        if (offset < 0 || count < 0 || offset > length - count) {
            throw outside(offset, count, length);
        }
        final int size = own.size();
        base = array;
        address = start + offset * size;
        bytes = count * size;
        type = own;
    }

    private void typed(
            final Buffer buffer,
            final ByteOrder order,
            final long arrayStart,
            final long offset,
            final long count,
            final Datatype own,
            final Datatype wanted,
            final boolean writable) {
        if (wanted != null && wanted != own) {
            throw new IllegalArgumentException("datatype " + wanted + " does not fit a buffer of " + own);
        }
        if (buffer.isDirect() && order != ByteOrder.nativeOrder()) {
            throw new IllegalArgumentException("the buffer's byte order is "
                    + order
                    + ", not the machine's; make the view with"
                    + " bytes.order(ByteOrder.nativeOrder()) first");
        }
        final long start = buffer.hasArray() ? arrayStart + (long) buffer.arrayOffset() * own.size() : 0;
        nio(buffer, start, offset, count, own, wanted);
        refuseReadOnly(buffer, writable);
    }

    private void nio(
            final Buffer buffer,
            final long arrayStart,
            final long offset,
            final long count,
            final Datatype own,
            final Datatype wanted) {
        final Object array = buffer.isDirect() ? null : arrayOf(buffer);
        final long start =
                array == null ? UnsafeApi.getLong(buffer, BufferUtil.BYTE_BUFFER_ADDRESS_FIELD_OFFSET) : arrayStart;
        range(array, start, (long) buffer.capacity() * own.size(), offset, count, own, wanted);
    }

    private static Object arrayOf(final Buffer buffer) {
        if (!buffer.hasArray()) {
            throw new IllegalArgumentException(
                    "the buffer is neither direct nor backed by an accessible array (a read-only"
                            + " heap buffer?): copy it first");
        }
        return buffer.array();
    }

    private static void refuseReadOnly(final Buffer buffer, final boolean writable) {
        if (writable && buffer.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only: nothing can be received in it");
        }
    }

    /** Offset counts elements of the buffer's own type, count counts the wanted type. */
    private void range(
            final Object array,
            final long start,
            final long capacity,
            final long offset,
            final long count,
            final Datatype own,
            final Datatype wanted) {
        final Datatype elements = wanted == null ? own : wanted;
        final long from = offset * own.size();
        final int size = elements.size();
        if (offset < 0 || count < 0 || offset > capacity / own.size() || count > (capacity - from) / size) {
            throw outside(offset, count * size / own.size(), capacity / own.size());
        }
        base = array;
        address = start + from;
        bytes = count * size;
        type = elements;
    }

    private static IllegalArgumentException outside(final long offset, final long count, final long length) {
        return new IllegalArgumentException(
                "offset " + offset + " and count " + count + " do not fit a buffer of " + length + " elements");
    }

    /** Returns the length in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Returns the type of the elements. */
    public Datatype type() {
        return type;
    }

    /** Returns the object that the address is relative to, or null for native memory. */
    public Object base() {
        return base;
    }

    /** Returns the address, relative to {@link #base()} if there is one. */
    public long address() {
        return address;
    }

    /** Returns the number of the shared region that the memory is part of, or 0. */
    public int region() {
        return region;
    }

    /** Whether the memory is part of a region that peers map. */
    public boolean isShared() {
        return region != 0;
    }

    /** Whether the memory is native: its address stays, so others may read or write it. */
    public boolean isNative() {
        return base == null;
    }

    /**
     * Copies from the user's memory to native memory.
     *
     * @param from bytes from the payload's start
     * @param target native address
     * @param length bytes
     */
    public void copyOut(final long from, final long target, final long length) {
        copy(base, address + from, null, target, length);
    }

    /**
     * Copies from native memory to the user's memory.
     *
     * @param from bytes from the payload's start
     * @param source native address
     * @param length bytes
     */
    public void copyIn(final long from, final long source, final long length) {
        copy(null, source, base, address + from, length);
    }

    /**
     * Copies memory; for a few bytes without the call of a stub.
     *
     * @param from base object of the source or null
     * @param source address
     * @param to base object of the target or null
     * @param target address
     * @param length bytes
     */
    public static void copy(
            final Object from, final long source, final Object to, final long target, final long length) {
        if (length == Long.BYTES) {
            UnsafeApi.putLong(to, target, UnsafeApi.getLong(from, source));
        } else if (length <= SMALL) {
            copySmall(from, source, to, target, (int) length);
        } else {
            UnsafeApi.copyMemory(from, source, to, target, length);
        }
    }

    private static void copySmall(
            final Object from, final long source, final Object to, final long target, final int length) {
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            UnsafeApi.putLong(to, target + i, UnsafeApi.getLong(from, source + i));
        }
        for (; i < length; i++) {
            UnsafeApi.putByte(to, target + i, UnsafeApi.getByte(from, source + i));
        }
    }
}
