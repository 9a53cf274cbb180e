package org.parley.concurrency;

import org.agrona.UnsafeApi;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.parley.transport.Endpoint;
import org.parley.transport.RecordRing;

/** What a producer and a consumer see of each other in the ring that all frames pass through. */
public final class RecordRingStress {
    /** Leaves the ring one page: cells, and 1792 bytes for longer frames. */
    private static final int RESERVED = Slots.BYTES - Slots.USED;

    private static final int CELLS = 32;
    private static final int SHORT = 16;
    private static final int LONG = 800;

    private RecordRingStress() {}

    /** Both sides of one ring. */
    abstract static class Ring {
        final RecordRing producer;
        final RecordRing consumer;

        Ring() {
            final long memory = Slots.take();
            producer = new RecordRing(memory, Slots.BYTES, RESERVED);
            consumer = new RecordRing(memory, Slots.BYTES, RESERVED);
        }

        /** Sends and receives, so that what is tested happens elsewhere in the ring. */
        final void pass(final int frames, final int length) {
            for (int i = 0; i < frames; i++) {
                send(length, -1);
                consumer.next();
                consumer.advance();
                consumer.release();
            }
        }

        /** Sends a frame that has a value at its start and at its end. */
        final boolean send(final int length, final int value) {
            final long frame = producer.claim(length);
            if (frame == Endpoint.BACK_PRESSURED) {
                return false;
            }
            UnsafeApi.putInt(frame, value);
            UnsafeApi.putInt(frame + length - 4, value);
            producer.commit();
            return true;
        }

        /** Receives a frame: its value, 0 for none, -2 if its ends differ, -3 if its length is wrong. */
        final int receive(final int length) {
            final long frame = consumer.next();
            if (frame == 0) {
                return 0;
            }
            final int first = UnsafeApi.getInt(frame);
            final int last = UnsafeApi.getInt(frame + length - 4);
            final int result = consumer.length() != length ? -3 : first == last ? first : -2;
            consumer.advance();
            return result;
        }
    }

    /** A frame is there whole or not at all, in the first lap of the cells. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "whole")
    @State
    public static class Publish extends Ring {

        /** Sends. */
        @Actor
        public void send() {
            send(SHORT, 7);
        }

        /**
         * Receives.
         *
         * @param seen the value
         */
        @Actor
        public void receive(final I_Result seen) {
            seen.r1 = receive(SHORT);
        }
    }

    /** The same for a frame outside of its cell, behind the end of the data part, in the second lap. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "whole")
    @State
    public static class PublishLong extends Ring {

        /** Goes on to where the data part ends and the second lap begins. */
        public PublishLong() {
            pass(CELLS - 2, SHORT);
            pass(2, LONG);
        }

        /** Sends. */
        @Actor
        public void send() {
            send(LONG, 7);
        }

        /**
         * Receives.
         *
         * @param seen the value
         */
        @Actor
        public void receive(final I_Result seen) {
            seen.r1 = receive(LONG);
        }
    }

    /** Frames come in the order of their commits, none is left out, over the seam between two laps. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "none yet")
    @Outcome(
            id = {"0, 1", "1, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "the first")
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class Order extends Ring {

        /** Goes on to the last cell. */
        public Order() {
            pass(CELLS - 1, SHORT);
        }

        /** Sends one short frame and one long one. */
        @Actor
        public void send() {
            send(SHORT, 1);
            send(LONG, 2);
        }

        /**
         * Receives two.
         *
         * @param seen the values
         */
        @Actor
        public void receive(final II_Result seen) {
            seen.r1 = receive(SHORT);
            seen.r2 = receive(seen.r1 == 0 ? SHORT : LONG);
        }
    }

    /** Of a claim that is given back nothing is seen. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "only what was committed")
    @State
    public static class Abort extends Ring {

        /** Goes on to the seam between two laps. */
        public Abort() {
            pass(CELLS - 1, SHORT);
        }

        /** Writes, gives back, writes something else. */
        @Actor
        public void send() {
            final long unwanted = producer.claim(LONG);
            UnsafeApi.putInt(unwanted, 13);
            UnsafeApi.putInt(unwanted + LONG - 4, 13);
            producer.abort();
            final long other = producer.claim(SHORT);
            UnsafeApi.putInt(other, 13);
            producer.abort();
            send(SHORT, 7);
        }

        /**
         * Receives.
         *
         * @param seen the value
         */
        @Actor
        public void receive(final I_Result seen) {
            seen.r1 = receive(SHORT);
        }
    }

    /** A frame is not overwritten before it is released, and its room is used again after it. */
    @JCStressTest
    @Outcome(id = "1, 0, 2", expect = Expect.ACCEPTABLE, desc = "no room yet")
    @Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "room after the release")
    @State
    public static class Reuse extends Ring {

        /** Fills the data part. */
        public Reuse() {
            pass(3, SHORT);
            send(LONG, 1);
            send(LONG, 2);
        }

        /**
         * Sends if there is room.
         *
         * @param seen whether there was
         */
        @Actor
        public void send(final III_Result seen) {
            seen.r2 = send(LONG, 3) ? 1 : 0;
        }

        /**
         * Receives what was there.
         *
         * @param seen the values
         */
        @Actor
        public void receive(final III_Result seen) {
            seen.r1 = receive(LONG);
            consumer.release();
            seen.r3 = receive(LONG);
        }
    }

    /** The same for cells: the ring is full of short frames. */
    @JCStressTest
    @Outcome(id = "1, 0, 2", expect = Expect.ACCEPTABLE, desc = "no room yet")
    @Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "room after the release")
    @State
    public static class ReuseCells extends Ring {

        /** Fills the cells. */
        public ReuseCells() {
            pass(5, SHORT);
            for (int i = 1; i <= CELLS; i++) {
                send(SHORT, i);
            }
        }

        /**
         * Sends if there is room.
         *
         * @param seen whether there was
         */
        @Actor
        public void send(final III_Result seen) {
            seen.r2 = send(SHORT, 99) ? 1 : 0;
        }

        /**
         * Receives what was there.
         *
         * @param seen the values
         */
        @Actor
        public void receive(final III_Result seen) {
            seen.r1 = receive(SHORT);
            consumer.release();
            seen.r3 = receive(SHORT);
        }
    }
}
