package org.parley;

import java.lang.ref.Cleaner;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Off-heap memory made by {@link Parley#allocate}: page-aligned, zeroed, of any size, at an address
 * that stays, so transports may keep it registered. Elements are in the machine's byte order;
 * offsets are bytes. Any thread may access it; no order between threads is promised.
 *
 * <p>Freed by {@link #close()}, at the latest when it is unreachable.
 */
public final class Memory implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int PAGE = 4096;

    private final long address;
    private final long size;
    private final Cleaner.Cleanable cleanable;
    private volatile boolean closed;

    Memory(final long size) {
        if (size < 1) {
            throw new IllegalArgumentException("size is " + size + " bytes, must be at least 1");
        }
        final long raw = UnsafeApi.allocateMemory(size + PAGE);
        this.address = (raw + PAGE - 1) & -PAGE;
        this.size = size;
        UnsafeApi.setMemory(address, size, (byte) 0);
        this.cleanable = CLEANER.register(this, () -> UnsafeApi.freeMemory(raw));
    }

    /** Returns the native address of the first byte. */
    public long address() {
        if (closed) {
            throw new IllegalStateException("this memory has been closed");
        }
        return address;
    }

    /** Returns the size in bytes. */
    public long size() {
        return size;
    }

    /**
     * Views a part as an Agrona buffer, while this memory is open.
     *
     * @param offset bytes from the start
     * @param length bytes
     */
    public UnsafeBuffer wrap(final long offset, final int length) {
        check(offset, length);
        return new UnsafeBuffer(address() + offset, length);
    }

    /**
     * Reads a byte.
     *
     * @param offset bytes from the start
     */
    public byte getByte(final long offset) {
        check(offset, 1);
        return UnsafeApi.getByte(address() + offset);
    }

    /**
     * Writes a byte.
     *
     * @param offset bytes from the start
     * @param value what to write
     */
    public void putByte(final long offset, final byte value) {
        check(offset, 1);
        UnsafeApi.putByte(address() + offset, value);
    }

    /**
     * Reads a long.
     *
     * @param offset bytes from the start
     */
    public long getLong(final long offset) {
        check(offset, Long.BYTES);
        return UnsafeApi.getLong(address() + offset);
    }

    /**
     * Writes a long.
     *
     * @param offset bytes from the start
     * @param value what to write
     */
    public void putLong(final long offset, final long value) {
        check(offset, Long.BYTES);
        UnsafeApi.putLong(address() + offset, value);
    }

    /**
     * Reads a double.
     *
     * @param offset bytes from the start
     */
    public double getDouble(final long offset) {
        return Double.longBitsToDouble(getLong(offset));
    }

    /**
     * Writes a double.
     *
     * @param offset bytes from the start
     * @param value what to write
     */
    public void putDouble(final long offset, final double value) {
        putLong(offset, Double.doubleToRawLongBits(value));
    }

    /** Frees the memory; a second call does nothing. No operation may be using it. */
    @Override
    public void close() {
        closed = true;
        cleanable.clean();
    }

    private void check(final long offset, final long length) {
        if (offset < 0 || length < 0 || offset > size - length) {
            throw new IndexOutOfBoundsException(
                    "bytes " + offset + " to " + (offset + length) + " of memory of " + size);
        }
    }
}
