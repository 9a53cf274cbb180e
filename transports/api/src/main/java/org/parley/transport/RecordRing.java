package org.parley.transport;

import org.agrona.UnsafeApi;

/**
 * A ring of records between one producer and one consumer, which may live in different processes
 * that map the same memory.
 *
 * <pre>
 *   0                     128                   256                   384            384 + capacity
 *   +---------------------+---------------------+---------------------+--------------+
 *   | owner's use         | consumer position   | (spare line)        | records      |
 *   +---------------------+---------------------+---------------------+--------------+
 *
 *   record, starting on a cache line:
 *   +-------------+-----------------------------+---------------------+
 *   | length  i32 | frame, length bytes         | up to the next line |
 *   +-------------+-----------------------------+---------------------+
 *   length 0: not published yet   length &lt; 0: skip -length bytes (the end of the ring)
 * </pre>
 *
 * <p>A record starts on a cache line and its length word is its publication flag, so a frame of up
 * to 60 bytes crosses between two cores as one cache line; with positions packed to 8 bytes or a
 * separate tail word it would be two. The producer clears the length word behind a record before it
 * publishes the record: the consumer never writes into the records, and waits on a line that it
 * already holds.
 *
 * <p>Each instance is one side's view: the producer calls only {@link #claim}, {@link #commit},
 * {@link #abort}; the consumer only {@link #next}, {@link #advance}, {@link #release}.
 */
public final class RecordRing {

    /** Bytes before the records. */
    public static final int HEADER = 384;

    private static final int CONSUMER = 128;
    private static final int LINE = 64;

    private final long base;
    private final long records;
    private final int capacity;
    private final int mask;

    /** Where the next record starts: the producer's or the consumer's, never wrapped. */
    private long position;

    /** Producer: the last seen consumer position. Consumer: the last published one. */
    private long consumed;

    /** Producer: address and length of the claimed record, and bytes skipped before it. */
    private long claimed;

    private int claimedLength;
    private int skipped;
    private long skipAddress;

    /** Consumer: span of the record that {@link #next} returned. */
    private int span;

    /**
     * Views ring memory, which must be zero before the first use.
     *
     * @param address native address, aligned to a cache line
     * @param capacity bytes of records, a power of two; the memory is this plus {@link #HEADER}
     */
    public RecordRing(final long address, final int capacity) {
        if (Integer.bitCount(capacity) != 1 || capacity < 4 * LINE) {
            throw new IllegalArgumentException(
                    "capacity is " + capacity + ", must be a power of two of at least 256");
        }
        this.base = address;
        this.records = address + HEADER;
        this.capacity = capacity;
        this.mask = capacity - 1;
    }

    /** Returns the longest frame that fits: an eighth of the ring, so that several are in flight. */
    public int maxFrame() {
        return capacity / 8 - 4;
    }

    /**
     * Claims room for a frame.
     *
     * @param length bytes, 1 to {@link #maxFrame()}
     * @return the frame's address, 4 bytes behind a cache line's start, or {@link
     *     Endpoint#BACK_PRESSURED}
     */
    public long claim(final int length) {
        final int needed = align(length + 4);
        final int index = (int) position & mask;
        final int toEnd = capacity - index;
        final int skip = needed <= toEnd ? 0 : toEnd;
        // One line more than needed: the length word behind the record is cleared before commit.
        final long wanted = position + skip + needed + LINE - capacity;
        if (wanted > consumed) {
            consumed = UnsafeApi.getLongVolatile(null, base + CONSUMER);
            if (wanted > consumed) {
                return Endpoint.BACK_PRESSURED;
            }
        }
        final long start;
        if (skip == 0) {
            start = records + index;
        } else {
            start = records;
            UnsafeApi.putInt(start, 0);
            skipAddress = records + index;
        }
        skipped = skip;
        claimed = start;
        claimedLength = length;
        UnsafeApi.putInt(records + ((position + skip + needed) & mask), 0);
        return start + 4;
    }

    /** Publishes the claimed frame. */
    public void commit() {
        if (skipped != 0) {
            UnsafeApi.putIntRelease(null, skipAddress, -skipped);
        }
        UnsafeApi.putIntRelease(null, claimed, claimedLength);
        position += skipped + align(claimedLength + 4);
    }

    /** Forgets the claim; nothing was visible. */
    public void abort() {
        claimedLength = 0;
    }

    /**
     * Finds the next frame.
     *
     * @return its address, with its length in the 4 bytes before it, or 0 if there is none
     */
    public long next() {
        for (; ; ) {
            final long at = records + (position & mask);
            final int length = UnsafeApi.getIntVolatile(null, at);
            if (length > 0) {
                span = align(length + 4);
                return at + 4;
            }
            if (length == 0) {
                return 0;
            }
            position -= length;
        }
    }

    /**
     * Returns the length of the frame that {@link #next} found.
     *
     * @param frame what {@code next} returned
     */
    public static int length(final long frame) {
        return UnsafeApi.getInt(frame - 4);
    }

    /**
     * Goes behind the frame that {@link #next} found. Its memory stays until {@link #release},
     * which happens by itself whenever a quarter of the ring was read.
     */
    public void advance() {
        position += span;
        if (position - consumed >= capacity / 4) {
            release();
        }
    }

    /** Gives what was read back to the producer. */
    public void release() {
        if (position != consumed) {
            consumed = position;
            UnsafeApi.putLongRelease(null, base + CONSUMER, position);
        }
    }

    private static int align(final int bytes) {
        return (bytes + LINE - 1) & -LINE;
    }
}
