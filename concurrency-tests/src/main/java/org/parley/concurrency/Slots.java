package org.parley.concurrency;

import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.UnsafeApi;

/**
 * Native memory for states, which jcstress makes by the million and never frees: slots of 16 KiB, used
 * by turns. There are more slots than states at any time. Only the first page of a slot is touched.
 */
public final class Slots {
    /** Bytes per slot. */
    public static final int BYTES = 16 * 1024;

    /** Bytes of a slot that a state may use. */
    public static final int USED = 4096;

    private static final int COUNT = 32 * 1024;
    private static final long BASE = UnsafeApi.allocateMemory((long) COUNT * BYTES + USED) + USED - 1 & -USED;
    private static final AtomicInteger NEXT = new AtomicInteger();

    private Slots() {}

    /** Returns the address of a slot whose used part is zero. */
    public static long take() {
        final long slot = BASE + (long) (NEXT.getAndIncrement() & COUNT - 1) * BYTES;
        UnsafeApi.setMemory(slot, USED, (byte) 0);
        return slot;
    }
}
