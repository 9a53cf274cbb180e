package org.parley;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.parley.transport.SharedRegion;
import org.parley.transport.TransportException;

/**
 * Off-heap memory made by {@link Parley#allocate}: page-aligned, zeroed, of any size, at an address
 * that stays, so transports may keep it registered. In a job it is shared with the ranks of the
 * machine where space allows and it is neither tiny nor over 2 GiB: long messages from and to it are
 * then plain copies, without a kernel call. Elements are in the machine's byte order; offsets are
 * bytes. Any thread may access it; no order between threads is promised.
 *
 * <p>Freed by {@link #close()}, at the latest when it is unreachable.
 */
public final class Memory implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int PAGE = 4096;
    private static final long ZEROED_AT_ONCE = 16 << 20;

    /** What an address has room for. */
    private static final long LARGEST = 1L << 47;

    /** A region is a file and a mapping at each peer: not for less. */
    private static final long SMALLEST_SHARED = 64 * 1024;

    private final long address;
    private final long size;
    private final int region;
    private final Cleaner.Cleanable cleanable;
    private volatile boolean closed;

    private Memory(
            final long address, final long size, final int region, final Runnable free, final Runnable whenFreed) {
        this.address = address;
        this.size = size;
        this.region = region;
        this.cleanable = CLEANER.register(this, () -> {
            free.run();
            whenFreed.run();
        });
    }

    /**
     * Makes memory: shared in the job's folder, if that is not null and it fits, else private.
     *
     * @param open told of it
     */
    static Memory allocate(final long size, final Path folder, final OpenMemory open) {
        if (size < 1 || size > LARGEST) {
            throw new IllegalArgumentException("size is " + size + " bytes, must be 1 to " + LARGEST);
        }
        if (folder != null && size >= SMALLEST_SHARED && size <= SharedRegion.LARGEST && hasRoom(folder, size)) {
            try {
                final SharedRegion shared = SharedRegion.create(folder, size);
                return new Memory(shared.address(), size, shared.number(), shared::giveUp, open.made(size));
            } catch (final TransportException e) {
                // Somebody else took the space meanwhile: private memory does as well, only slower.
                return allocatePrivate(size, open);
            }
        }
        return allocatePrivate(size, open);
    }

    private static Memory allocatePrivate(final long size, final OpenMemory open) {
        final long raw = UnsafeApi.allocateMemory(size + PAGE);
        final long start = raw + PAGE - 1 & -PAGE;
        // In pieces: while one is filled the JVM cannot stop its threads, and all that want it wait, heartbeats too.
        for (long done = 0; done < size; done += ZEROED_AT_ONCE) {
            UnsafeApi.setMemory(start + done, Math.min(ZEROED_AT_ONCE, size - done), (byte) 0);
        }
        return new Memory(start, size, 0, () -> UnsafeApi.freeMemory(raw), open.made(size));
    }

    /** Leaves half of the free space to others: rings, and programs of the user's own. */
    private static boolean hasRoom(final Path folder, final long size) {
        try {
            return Files.isDirectory(folder) && Files.getFileStore(folder).getUsableSpace() / 2 >= size;
        } catch (final IOException e) {
            return false;
        }
    }

    /**
     * Returns the number under which peers know this memory as a {@link SharedRegion}, or 0 if it is
     * private.
     */
    public int region() {
        return region;
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
     * Views a part as an Agrona buffer, while this memory is open. The view keeps it from being freed
     * unreachable; what is wrapped around the view, or around its address, does not.
     *
     * @param offset bytes from the start
     * @param length bytes
     */
    public UnsafeBuffer wrap(final long offset, final int length) {
        check(offset, length);
        return new View(this, address() + offset, length);
    }

    /** Keeps its memory reachable. */
    private static final class View extends UnsafeBuffer {
        @SuppressWarnings("unused")
        private final Memory memory;

        View(final Memory memory, final long address, final int length) {
            super(address, length);
            this.memory = memory;
        }
    }

    /**
     * Reads a byte.
     *
     * @param offset bytes from the start
     */
    public byte getByte(final long offset) {
        check(offset, 1);
        final byte value = UnsafeApi.getByte(address() + offset);
        Reference.reachabilityFence(this);
        return value;
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
        Reference.reachabilityFence(this);
    }

    /**
     * Reads a long.
     *
     * @param offset bytes from the start
     */
    public long getLong(final long offset) {
        check(offset, Long.BYTES);
        final long value = UnsafeApi.getLong(address() + offset);
        Reference.reachabilityFence(this);
        return value;
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
        Reference.reachabilityFence(this);
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
