package org.parley.collectives;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.parley.Datatype;
import org.parley.Memory;
import org.parley.Parley;

/** Elements somewhere in a user's buffer, with room on both sides that nobody may touch. */
final class TestBuffer {
    /** What a user may pass. */
    enum Kind {
        ARRAY,
        DIRECT,
        HEAP_BUFFER,
        AGRONA,
        MEMORY
    }

    private static final int GUARD = 3;
    private static final long GUARD_VALUE = 85;

    private final Object object;
    private final Datatype type;
    private final boolean isArray;
    private final int count;

    TestBuffer(final Kind kind, final Datatype type, final int count) {
        this.type = type;
        this.count = count;
        isArray = kind == Kind.ARRAY;
        final int bytes = (count + 2 * GUARD) * type.size();
        object = switch (kind) {
            case ARRAY -> array(type, count + 2 * GUARD);
            case DIRECT -> ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
            case HEAP_BUFFER -> ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
            case AGRONA -> new UnsafeBuffer(new byte[bytes]);
            case MEMORY -> Parley.allocate(bytes);
        };
        for (int i = 0; i < GUARD; i++) {
            put(i, guard());
            put(GUARD + count + i, guard());
        }
    }

    private long guard() {
        return type == Datatype.BOOLEAN ? 1 : GUARD_VALUE;
    }

    private static Object array(final Datatype type, final int length) {
        return switch (type) {
            case BYTE -> new byte[length];
            case BOOLEAN -> new boolean[length];
            case CHAR -> new char[length];
            case SHORT -> new short[length];
            case INT -> new int[length];
            case LONG -> new long[length];
            case FLOAT -> new float[length];
            case DOUBLE -> new double[length];
        };
    }

    Object object() {
        return object;
    }

    /** The first element, as the buffer's kind counts. */
    long offset() {
        return isArray ? GUARD : (long) GUARD * type.size();
    }

    /** What to pass as the type. */
    Datatype wanted() {
        return isArray ? null : type;
    }

    void fill(final long[] values) {
        for (int i = 0; i < count; i++) {
            put(GUARD + i, values[i]);
        }
    }

    long[] values() {
        final long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            values[i] = get(GUARD + i);
        }
        return values;
    }

    boolean isIntactAround() {
        for (int i = 0; i < GUARD; i++) {
            if (get(i) != guard() || get(GUARD + count + i) != guard()) {
                return false;
            }
        }
        return true;
    }

    private void put(final int index, final long value) {
        if (isArray) {
            putArray(index, value);
        } else if (object instanceof Memory memory) {
            putBuffer(view(memory), index, value);
        } else if (object instanceof UnsafeBuffer buffer) {
            putBuffer(buffer, index, value);
        } else {
            putBuffer(new UnsafeBuffer((ByteBuffer) object), index, value);
        }
    }

    private long get(final int index) {
        if (isArray) {
            return getArray(index);
        } else if (object instanceof Memory memory) {
            return getBuffer(view(memory), index);
        } else if (object instanceof UnsafeBuffer buffer) {
            return getBuffer(buffer, index);
        }
        return getBuffer(new UnsafeBuffer((ByteBuffer) object), index);
    }

    private UnsafeBuffer view(final Memory memory) {
        return memory.wrap(0, (int) memory.size());
    }

    private void putArray(final int index, final long value) {
        switch (type) {
            case BYTE -> Array.setByte(object, index, (byte) value);
            case BOOLEAN -> Array.setBoolean(object, index, value != 0);
            case CHAR -> Array.setChar(object, index, (char) value);
            case SHORT -> Array.setShort(object, index, (short) value);
            case INT -> Array.setInt(object, index, (int) value);
            case LONG -> Array.setLong(object, index, value);
            case FLOAT -> Array.setFloat(object, index, value);
            default -> Array.setDouble(object, index, value);
        }
    }

    private long getArray(final int index) {
        return switch (type) {
            case BOOLEAN -> Array.getBoolean(object, index) ? 1 : 0;
            case CHAR -> Array.getChar(object, index);
            case FLOAT, DOUBLE -> (long) Array.getDouble(object, index);
            default -> Array.getLong(object, index);
        };
    }

    private void putBuffer(final UnsafeBuffer buffer, final int index, final long value) {
        final int at = index * type.size();
        switch (type) {
            case BYTE, BOOLEAN -> buffer.putByte(at, (byte) value);
            case CHAR -> buffer.putChar(at, (char) value);
            case SHORT -> buffer.putShort(at, (short) value);
            case INT -> buffer.putInt(at, (int) value);
            case LONG -> buffer.putLong(at, value);
            case FLOAT -> buffer.putFloat(at, value);
            default -> buffer.putDouble(at, value);
        }
    }

    private long getBuffer(final UnsafeBuffer buffer, final int index) {
        final int at = index * type.size();
        return switch (type) {
            case BYTE, BOOLEAN -> buffer.getByte(at);
            case CHAR -> buffer.getChar(at);
            case SHORT -> buffer.getShort(at);
            case INT -> buffer.getInt(at);
            case LONG -> buffer.getLong(at);
            case FLOAT -> (long) buffer.getFloat(at);
            case DOUBLE -> (long) buffer.getDouble(at);
        };
    }
}
