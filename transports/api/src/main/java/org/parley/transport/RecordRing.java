package org.parley.transport;

import org.agrona.UnsafeApi;

/**
 * A ring of frames between one producer and one consumer, which may live in different processes that
 * map the same memory, zero before the first use.
 *
 * <pre>
 *   0                128                  256            256 + cells       end - reserved
 *   +----------------+--------------------+--------------+-----------------+---------------+
 *   | owner's use    | consumer positions | cells        | data            | owner's use   |
 *   +----------------+--------------------+--------------+-----------------+---------------+
 *
 *   cell, one cache line:
 *   +-----------------+--------------------------------------------------+
 *   | mark        i32 | frame, if it has at most 60 bytes                |
 *   +-----------------+--------------------------------------------------+
 *   mark   the frame's length, negative in every second lap of the cells; longer frames lie in the
 *          data part, one behind the other, none across its end
 * </pre>
 *
 * <p>A cell is published by its mark, whose sign changes from lap to lap: nothing is ever cleared,
 * and a waiting consumer looks at a line that stays in its own cache until the producer writes it. A
 * frame of up to 60 bytes so crosses between two cores as one cache line. (Clearing marks ahead, as
 * rings commonly do, makes the consumer fetch the next line after each message: a message then
 * takes 0.41 µs instead of 0.35 where a bare line takes 0.30; a separate tail word is a second line too.)
 *
 * <p>Each instance is one side's view: the producer calls only {@link #claim}, {@link #commit},
 * {@link #abort}; the consumer only {@link #next}, {@link #length}, {@link #advance}, {@link
 * #release}.
 */
public final class RecordRing {
    private static final int LINE = 64;

    /** The longest frame that lies in its cell. */
    private static final int INLINE = LINE - Integer.BYTES;

    /** How far ahead of the consumer a cell is asked for. */
    private static final int AHEAD = 3;

    private static final int CONSUMER_CELLS = 128;
    private static final int CONSUMER_DATA = CONSUMER_CELLS + Long.BYTES;
    private static final int CELLS = 256;

    /** An eighth of the ring is cells, the rest is for the longer frames. */
    private static final int CELL_SHARE = 8;

    private final long base;
    private final long cells;
    private final long data;
    private final int cellCount;
    private final int dataBytes;

    /** The next cell and data byte of this side: never wrapped. */
    private long cell;

    private long dataPosition;

    /** Where {@link #dataPosition} is in the data part. */
    private int dataIndex;

    /** Producer: the last seen consumer positions. Consumer: the last published ones. */
    private long consumedCells;

    private long consumedData;

    /** The claimed frame's, or the found frame's, length and where the data goes on behind it. */
    private int frameLength;

    private long positionBehind;

    private int indexBehind;

    /**
     * Views ring memory.
     *
     * @param address native address, aligned to a cache line
     * @param bytes size of the memory, a power of two of at least 16 KiB
     * @param reserved bytes at the end of the memory that are left to the owner, a multiple of 64
     */
    public RecordRing(final long address, final int bytes, final int reserved) {
        if (Integer.bitCount(bytes) != 1 || bytes < 16 * 1024) {
            throw new IllegalArgumentException(
                    "the ring has " + bytes + " bytes, must have a power of two of at least 16384");
        }
        base = address;
        cellCount = bytes / CELL_SHARE / LINE;
        cells = address + CELLS;
        data = cells + (long) cellCount * LINE;
        dataBytes = bytes - CELLS - cellCount * LINE - reserved;
    }

    /**
     * Returns the longest frame that fits a ring: a part of it, so that several are in flight.
     *
     * @param bytes size of the ring's memory
     */
    public static int maxFrame(final int bytes) {
        return bytes / 16;
    }

    /**
     * Claims room for a frame.
     *
     * @param length bytes, 1 to {@link #maxFrame}
     * @return the frame's address, 4 bytes behind a multiple of 8, or {@link Endpoint#BACK_PRESSURED}
     */
    public long claim(final int length) {
        if (cell - consumedCells >= cellCount && !hasFreeCell()) {
            return Endpoint.BACK_PRESSURED;
        }
        final long frame = locate(length);
        if (positionBehind - consumedData > dataBytes) {
            consumedData = UnsafeApi.getLongVolatile(null, base + CONSUMER_DATA);
            if (positionBehind - consumedData > dataBytes) {
                return Endpoint.BACK_PRESSURED;
            }
        }
        return frame;
    }

    /** Finds the place of this side's next frame; both sides come to the same. */
    private long locate(final int length) {
        frameLength = length;
        if (length <= INLINE) {
            positionBehind = dataPosition;
            indexBehind = dataIndex;
            return at(cell) + Integer.BYTES;
        }
        final int span = length + Integer.BYTES + LINE - 1 & -LINE;
        final int toEnd = dataBytes - dataIndex;
        final int start = span <= toEnd ? dataIndex : 0;
        positionBehind = dataPosition + span + (span <= toEnd ? 0 : toEnd);
        indexBehind = start + span;
        return data + start + Integer.BYTES;
    }

    private boolean hasFreeCell() {
        consumedCells = UnsafeApi.getLongVolatile(null, base + CONSUMER_CELLS);
        return cell - consumedCells < cellCount;
    }

    /** Publishes the claimed frame. */
    public void commit() {
        final int mark = (cell & cellCount) == 0 ? frameLength : -frameLength;
        UnsafeApi.putIntRelease(null, at(cell), mark);
        goOn();
    }

    /** Forgets the claim: nothing was visible. */
    public void abort() {
        frameLength = 0;
    }

    /**
     * Finds the next frame.
     *
     * @return its address, or 0 if there is none
     */
    public long next() {
        final long at = at(cell);
        final int mark = UnsafeApi.getIntVolatile(null, at);
        final int length = (cell & cellCount) == 0 ? mark : -mark;
        if (length <= 0) {
            return 0;
        }
        return locate(length);
    }

    /** Returns the length of the frame that {@link #next} found. */
    public int length() {
        return frameLength;
    }

    /**
     * Goes behind the frame that {@link #next} found. Its memory stays until {@link #release}, which
     * happens by itself whenever a quarter of the ring was read.
     */
    public void advance() {
        goOn();
        // In a burst the cells behind are on their way too: asking for one early hides its miss.
        UnsafeApi.getIntVolatile(null, at(cell + AHEAD));
        if (cell - consumedCells >= cellCount / 4 || dataPosition - consumedData >= dataBytes / 4) {
            release();
        }
    }

    /** Gives what was read back to the producer. */
    public void release() {
        if (cell != consumedCells) {
            consumedCells = cell;
            consumedData = dataPosition;
            UnsafeApi.putLongRelease(null, base + CONSUMER_DATA, dataPosition);
            UnsafeApi.putLongRelease(null, base + CONSUMER_CELLS, cell);
        }
    }

    private long at(final long number) {
        return cells + (number & cellCount - 1) * LINE;
    }

    private void goOn() {
        cell++;
        dataPosition = positionBehind;
        dataIndex = indexBehind;
    }
}
