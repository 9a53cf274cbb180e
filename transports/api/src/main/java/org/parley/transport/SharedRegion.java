package org.parley.transport;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.UnsafeApi;

/**
 * Memory of one process that the other ranks of its machine may map, so that they copy from and to it
 * by plain loads and stores: no kernel call per message, which costs 0.4 to 2 microseconds and more per
 * page. A file of the job's folder, named by process and number; the last page describes it.
 *
 * <pre>
 *   0       the memory, size bytes, a multiple of a page
 *   size    magic u64, native address in the owner u64, closed u32
 * </pre>
 */
public final class SharedRegion implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final long MAGIC = 0x4e4f_4947_4552_5950L; // "PYREGION", little endian
    private static final int ADDRESS = 8;
    private static final int CLOSED = 16;

    /** The largest region: one mapping. */
    public static final long LARGEST = Integer.MAX_VALUE - 2L * PAGE;

    /**
     * Names this process among those that share the job's folder. Its id does not: ranks may live in
     * containers that count their processes from 1.
     */
    public static final long PROCESS = new SecureRandom().nextLong();

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final SharedFile file;
    private final int number;
    private final long trailer;

    private SharedRegion(final SharedFile file, final int number) {
        this.file = file;
        this.number = number;
        this.trailer = file.address() + file.size() - PAGE;
    }

    private static Path path(final Path folder, final long process, final int number) {
        return folder.resolve("mem-" + Long.toHexString(process) + "-" + number);
    }

    /**
     * Makes a region of zeros.
     *
     * @param folder the job's folder
     * @param bytes at least so many, up to {@link #LARGEST}
     * @throws TransportException if there is no space
     */
    public static SharedRegion create(final Path folder, final long bytes) {
        final int number = NUMBERS.incrementAndGet();
        final int size = (int) (bytes + PAGE - 1 & -PAGE);
        final SharedFile file = SharedFile.create(path(folder, PROCESS, number), size + PAGE);
        final SharedRegion region = new SharedRegion(file, number);
        UnsafeApi.putLong(region.trailer + ADDRESS, file.address());
        UnsafeApi.putLongRelease(null, region.trailer, MAGIC);
        return region;
    }

    /**
     * Maps a region of another process of the job.
     *
     * @param folder the job's folder
     * @param process {@link #PROCESS} there
     * @param number its number there
     * @throws TransportException if there is none
     */
    public static SharedRegion open(final Path folder, final long process, final int number) {
        final SharedFile file = SharedFile.open(path(folder, process, number));
        if (file.size() < 2 * PAGE || UnsafeApi.getLongVolatile(null, file.address() + file.size() - PAGE) != MAGIC) {
            file.close();
            throw new TransportException(path(folder, process, number) + " is no shared region");
        }
        return new SharedRegion(file, number);
    }

    /** Returns the number that the owner's peers know it by; never 0. */
    public int number() {
        return number;
    }

    /** Returns the native address of the first byte in this process. */
    public long address() {
        return file.address();
    }

    /**
     * Translates an address of the owner.
     *
     * @param ownersAddress the address there
     * @param length bytes
     * @return the address here, or 0 if the range is not all in the region
     */
    public long translate(final long ownersAddress, final long length) {
        final long offset = ownersAddress - UnsafeApi.getLong(trailer + ADDRESS);
        final long size = file.size() - PAGE;
        return offset < 0 || length > size || offset > size - length ? 0 : file.address() + offset;
    }

    /** Returns the native address of the first byte in the owner. */
    public long ownersAddress() {
        return UnsafeApi.getLong(trailer + ADDRESS);
    }

    /** Returns how many bytes the region has. */
    public long bytes() {
        return file.size() - PAGE;
    }

    /** Whether the owner has given the memory up. */
    public boolean isGivenUp() {
        return UnsafeApi.getIntVolatile(null, trailer + CLOSED) != 0;
    }

    /** Owner: gives the memory up; peers unmap it when they come across it. */
    public void giveUp() {
        UnsafeApi.putIntRelease(null, trailer + CLOSED, 1);
        file.unlink();
        file.close();
    }

    /** Peer: ends this process's mapping. */
    @Override
    public void close() {
        file.close();
    }
}
