package org.parley.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One rank's steps of a collective, with what each waits for. Immutable, so it can be cached and
 * run any number of times; any thread.
 *
 * <p>The n-th send to a rank, in the order of the steps' numbers, meets the n-th receive that this
 * rank has planned from the sender, in whatever order they start: {@link Step#lane()} is n. Steps
 * that can start start in the order of their numbers.
 */
public final class Schedule {

    /** Memory that steps work on. */
    public enum Region {
        /** The caller's contribution; never written. */
        INPUT,
        /** The caller's result. */
        OUTPUT,
        /** Working memory, native, not initialised, {@link Schedule#workBytes()} long. */
        WORK
    }

    /** What a step does. */
    public enum Kind {
        /** Sends a part of a region. */
        SEND,
        /** Receives into a part of a region. */
        RECEIVE,
        /** Copies between regions. */
        COPY,
        /** Target becomes source op target: the source is the left operand. */
        REDUCE_LEFT,
        /** Target becomes target op source: the source is the right operand. */
        REDUCE_RIGHT
    }

    /**
     * One step.
     *
     * @param kind what it does
     * @param peer the other rank of a SEND or RECEIVE
     * @param lane which of several messages to, or from, that rank; 0 for the first
     * @param source region read from (SEND, COPY, REDUCE)
     * @param sourceOffset bytes into it
     * @param target region written to (RECEIVE, COPY, REDUCE)
     * @param targetOffset bytes into it
     * @param bytes how many
     */
    public record Step(
            Kind kind,
            int peer,
            int lane,
            Region source,
            long sourceOffset,
            Region target,
            long targetOffset,
            long bytes) {}

    /** Most messages from one rank to another in a schedule. */
    public static final int MAX_LANES = 1024;

    private final Step[] steps;
    private final int[] waitsFor;
    private final int[][] followers;
    private final long workBytes;

    private Schedule(final Step[] steps, final int[] waitsFor, final int[][] followers, final long workBytes) {
        this.steps = steps;
        this.waitsFor = waitsFor;
        this.followers = followers;
        this.workBytes = workBytes;
    }

    /** Starts an empty schedule. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the number of steps. */
    public int size() {
        return steps.length;
    }

    /**
     * Returns a step.
     *
     * @param number 0 to {@link #size()} - 1
     */
    public Step step(final int number) {
        return steps[number];
    }

    /**
     * Copies how many steps each step waits for.
     *
     * @param target at least {@link #size()} long
     */
    public void copyWaits(final int[] target) {
        System.arraycopy(waitsFor, 0, target, 0, waitsFor.length);
    }

    /**
     * Returns how many steps wait for a step.
     *
     * @param number the step
     */
    public int followers(final int number) {
        return followers[number].length;
    }

    /**
     * Returns a step that waits for a step.
     *
     * @param number the step
     * @param which 0 to {@link #followers(int)} - 1
     */
    public int follower(final int number, final int which) {
        return followers[number][which];
    }

    /** Returns the bytes of working memory that the steps use. */
    public long workBytes() {
        return workBytes;
    }

    /**
     * Builds a schedule step by step. Each method returns the new step's number; {@code after}
     * names earlier steps that must have ended before it starts.
     */
    public static final class Builder {
        private final List<Step> steps = new ArrayList<>();
        private final List<int[]> after = new ArrayList<>();
        private final Map<Integer, Integer> sends = new HashMap<>();
        private final Map<Integer, Integer> receives = new HashMap<>();
        private long work;

        private Builder() {}

        /**
         * Reserves working memory.
         *
         * @param bytes how many
         * @return the offset in WORK, on a cache line
         */
        public long reserve(final long bytes) {
            final long offset = work;
            work += bytes + 63 & -64;
            return offset;
        }

        /**
         * Sends.
         *
         * @param peer to whom
         * @param region from where
         * @param offset bytes into the region
         * @param bytes how many
         * @param waits steps to wait for
         */
        public int send(final int peer, final Region region, final long offset, final long bytes, final int... waits) {
            return add(new Step(Kind.SEND, peer, lane(sends, peer), region, offset, region, offset, bytes), waits);
        }

        /**
         * Receives.
         *
         * @param peer from whom
         * @param region to where
         * @param offset bytes into the region
         * @param bytes how many
         * @param waits steps to wait for
         */
        public int receive(
                final int peer, final Region region, final long offset, final long bytes, final int... waits) {
            return add(
                    new Step(Kind.RECEIVE, peer, lane(receives, peer), region, offset, region, offset, bytes), waits);
        }

        /**
         * Copies. Copying a region's part onto itself, or INPUT to OUTPUT in place, does nothing.
         *
         * @param from source region
         * @param fromOffset bytes into it
         * @param to target region
         * @param toOffset bytes into it
         * @param bytes how many
         * @param waits steps to wait for
         */
        public int copy(
                final Region from,
                final long fromOffset,
                final Region to,
                final long toOffset,
                final long bytes,
                final int... waits) {
            return add(new Step(Kind.COPY, -1, 0, from, fromOffset, to, toOffset, bytes), waits);
        }

        /**
         * Reduces: target = source op target.
         *
         * @param left source region, the left operand
         * @param leftOffset bytes into it
         * @param into target region, the right operand
         * @param intoOffset bytes into it
         * @param bytes how many
         * @param waits steps to wait for
         */
        public int reduceLeft(
                final Region left,
                final long leftOffset,
                final Region into,
                final long intoOffset,
                final long bytes,
                final int... waits) {
            return add(new Step(Kind.REDUCE_LEFT, -1, 0, left, leftOffset, into, intoOffset, bytes), waits);
        }

        /**
         * Reduces: target = target op source.
         *
         * @param right source region, the right operand
         * @param rightOffset bytes into it
         * @param into target region, the left operand
         * @param intoOffset bytes into it
         * @param bytes how many
         * @param waits steps to wait for
         */
        public int reduceRight(
                final Region right,
                final long rightOffset,
                final Region into,
                final long intoOffset,
                final long bytes,
                final int... waits) {
            return add(new Step(Kind.REDUCE_RIGHT, -1, 0, right, rightOffset, into, intoOffset, bytes), waits);
        }

        private static int lane(final Map<Integer, Integer> used, final int peer) {
            final int lane = used.merge(peer, 1, Integer::sum) - 1;
            if (lane >= MAX_LANES) {
                throw new IllegalArgumentException(
                        "more than " + MAX_LANES + " messages between two ranks in one schedule");
            }
            return lane;
        }

        private int add(final Step step, final int[] waits) {
            for (final int wait : waits) {
                if (wait < 0 || wait >= steps.size()) {
                    throw new IllegalArgumentException(
                            "step " + steps.size() + " waits for step " + wait + ", which is not an earlier one");
                }
            }
            steps.add(step);
            after.add(waits.clone());
            return steps.size() - 1;
        }

        /** Ends the building. */
        public Schedule build() {
            final int size = steps.size();
            final int[] waitsFor = new int[size];
            final int[][] followers = new int[size][0];
            for (int step = 0; step < size; step++) {
                waitsFor[step] = after.get(step).length;
                for (final int earlier : after.get(step)) {
                    followers[earlier] = Arrays.copyOf(followers[earlier], followers[earlier].length + 1);
                    followers[earlier][followers[earlier].length - 1] = step;
                }
            }
            return new Schedule(steps.toArray(new Step[0]), waitsFor, followers, work);
        }
    }
}
