package org.parley.transport.shm;

import org.agrona.UnsafeApi;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.parley.concurrency.Slots;

/** Two sides that copy one message together. */
public final class TransferSlotStress {
    private static final int CHUNK = 4096;

    private TransferSlotStress() {}

    /** Each chunk is taken by one side, and none is left. */
    @JCStressTest
    @Outcome(id = "0, 7", expect = Expect.ACCEPTABLE, desc = "all, none twice")
    @State
    public static class Take {
        private final long slot = Slots.take();
        private int bottom;
        private int top;
        private int twice;

        /** Begins a transfer of three chunks. */
        public Take() {
            TransferSlot.prepare(slot);
            TransferSlot.begin(slot, true, 4096, 0, 2 * CHUNK + 1, CHUNK);
        }

        /** The receiver. */
        @Actor
        public void takeBottom() {
            for (long chunk; (chunk = TransferSlot.takeBottom(slot)) >= 0; ) {
                twice |= bottom & 1 << chunk;
                bottom |= 1 << chunk;
            }
        }

        /** The sender. */
        @Actor
        public void takeTop() {
            for (long chunk; (chunk = TransferSlot.takeTop(slot)) >= 0; ) {
                top |= 1 << chunk;
            }
        }

        /**
         * Afterwards.
         *
         * @param seen chunks taken by both, chunks taken by any
         */
        @Arbiter
        public void compare(final II_Result seen) {
            seen.r1 = bottom & top | twice;
            seen.r2 = bottom | top;
        }
    }

    /** Who sees that all is copied sees the copies of both sides. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not all copied yet")
    @Outcome(id = "5, 5", expect = Expect.ACCEPTABLE, desc = "all copied")
    @State
    public static class Copied {
        private final long slot = Slots.take();
        private final long data = slot + 1024;

        /** Begins a transfer of two chunks. */
        public Copied() {
            TransferSlot.prepare(slot);
            TransferSlot.begin(slot, true, 4096, 0, 2 * CHUNK, CHUNK);
        }

        private void copy(final long chunk) {
            UnsafeApi.putInt(data + 64 * chunk, 5);
            TransferSlot.copied(slot);
        }

        /** The sender. */
        @Actor
        public void help() {
            final long chunk = TransferSlot.takeTop(slot);
            if (chunk >= 0) {
                copy(chunk);
            }
        }

        /**
         * The receiver.
         *
         * @param seen what is in place
         */
        @Actor
        public void fetch(final II_Result seen) {
            for (long chunk; (chunk = TransferSlot.takeBottom(slot)) >= 0; ) {
                copy(chunk);
            }
            if (TransferSlot.isCopied(slot)) {
                seen.r1 = UnsafeApi.getInt(data);
                seen.r2 = UnsafeApi.getInt(data + 64);
            }
        }
    }

    /** Who sees that a transfer has begun sees what it is. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not begun yet")
    @Outcome(id = "8192, 3, 2", expect = Expect.ACCEPTABLE, desc = "begun")
    @State
    public static class Begin {
        private final long slot = Slots.take();

        /** Exposed, not begun. */
        public Begin() {
            TransferSlot.prepare(slot);
        }

        /** The receiver. */
        @Actor
        public void begin() {
            TransferSlot.begin(slot, true, 8192, 3, 2 * CHUNK, CHUNK);
        }

        /**
         * The sender.
         *
         * @param seen target, region, chunks
         */
        @Actor
        public void look(final JJJ_Result seen) {
            seen.r1 = TransferSlot.target(slot);
            if (seen.r1 != 0) {
                seen.r2 = TransferSlot.isProven(slot) ? TransferSlot.region(slot) : -1;
                seen.r3 = TransferSlot.chunks(slot);
            }
        }
    }
}
