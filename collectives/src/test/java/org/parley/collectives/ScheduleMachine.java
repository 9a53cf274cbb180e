package org.parley.collectives;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongBinaryOperator;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;
import org.parley.schedule.Schedule.Region;
import org.parley.schedule.Schedule.Step;

/**
 * Runs the schedules of all ranks in one thread, in any order that their waits allow: a message's
 * data leaves at any time between the start of its send and the end of its receive.
 */
final class ScheduleMachine {
    private final Random random;
    private final LongBinaryOperator op;
    private final List<Rank> ranks = new ArrayList<>();

    /** Sends and receives under way, by the envelope they share. */
    private final Map<List<Integer>, byte[]> eager = new HashMap<>();

    private final Map<List<Integer>, Runnable> sends = new HashMap<>();
    private final Map<List<Integer>, Runnable> receives = new HashMap<>();
    private final Map<List<Integer>, Rank> senders = new HashMap<>();
    private final Map<List<Integer>, Step> sendSteps = new HashMap<>();

    ScheduleMachine(final long seed, final LongBinaryOperator op) {
        random = new Random(seed);
        this.op = op;
    }

    /** One rank's memory and steps. */
    private final class Rank {
        final int rank;
        final Schedule schedule;
        final boolean inPlace;
        final byte[] input;
        final byte[] output;
        final byte[] work;
        final int[] waits;
        final List<Integer> ready = new ArrayList<>();
        int left;

        Rank(final CollectiveCall call, final Schedule schedule, final long[] in, final long[] out) {
            this.rank = call.rank();
            this.schedule = schedule;
            this.inPlace = call.inPlace();
            this.input = in == null ? null : bytes(in);
            this.output = out == null ? null : bytes(out);
            this.work = new byte[Math.toIntExact(schedule.workBytes())];
            random.nextBytes(work);
            waits = new int[schedule.size()];
            schedule.copyWaits(waits);
            left = schedule.size();
            for (int step = 0; step < waits.length; step++) {
                if (waits[step] == 0) {
                    ready.add(step);
                }
            }
        }

        byte[] region(final Region region) {
            return switch (region) {
                case INPUT -> inPlace ? output : input;
                case OUTPUT -> output;
                case WORK -> work;
            };
        }

        void ended(final int step) {
            left--;
            for (int i = 0; i < schedule.followers(step); i++) {
                final int follower = schedule.follower(step, i);
                if (--waits[follower] == 0) {
                    ready.add(follower);
                }
            }
        }

        void start(final int number) {
            final Step step = schedule.step(number);
            final int bytes = Math.toIntExact(step.bytes());
            switch (step.kind()) {
                case SEND -> {
                    final List<Integer> key = List.of(rank, step.peer(), step.lane());
                    check(sendSteps.put(key, step) == null, key + " sent twice");
                    if (random.nextBoolean()) {
                        eager.put(key, part(step));
                        ended(number);
                    } else {
                        sends.put(key, () -> ended(number));
                    }
                    senders.put(key, this);
                }
                case RECEIVE ->
                    receives.put(List.of(step.peer(), rank, step.lane()), () -> {
                        final List<Integer> key = List.of(step.peer(), rank, step.lane());
                        final byte[] data = eager.containsKey(key)
                                ? eager.get(key)
                                : senders.get(key).part(sendSteps.get(key));
                        check(data.length == bytes, key + ": lengths differ");
                        System.arraycopy(data, 0, region(step.target()), (int) step.targetOffset(), bytes);
                        ended(number);
                    });
                case COPY -> {
                    System.arraycopy(
                            region(step.source()),
                            (int) step.sourceOffset(),
                            region(step.target()),
                            (int) step.targetOffset(),
                            bytes);
                    ended(number);
                }
                default -> {
                    reduce(step);
                    ended(number);
                }
            }
        }

        private byte[] part(final Step step) {
            return Arrays.copyOfRange(
                    region(step.source()), (int) step.sourceOffset(), (int) (step.sourceOffset() + step.bytes()));
        }

        private void reduce(final Step step) {
            final java.nio.LongBuffer source = java.nio.ByteBuffer.wrap(
                            region(step.source()), (int) step.sourceOffset(), (int) step.bytes())
                    .asLongBuffer();
            final java.nio.LongBuffer target = java.nio.ByteBuffer.wrap(
                            region(step.target()), (int) step.targetOffset(), (int) step.bytes())
                    .asLongBuffer();
            final boolean sourceIsLeft = step.kind() == Schedule.Kind.REDUCE_LEFT;
            for (int i = 0; i < source.limit(); i++) {
                final long from = source.get(i);
                final long to = target.get(i);
                target.put(i, sourceIsLeft ? op.applyAsLong(from, to) : op.applyAsLong(to, from));
            }
        }
    }

    /** Adds the next rank; memory that a call does not have is null. */
    void add(final CollectiveAlgorithm algorithm, final CollectiveCall call, final long[] in, final long[] out) {
        ranks.add(new Rank(call, algorithm.plan(call), in, out));
    }

    /** Runs all steps of all ranks. */
    void run() {
        while (ranks.stream().anyMatch(rank -> rank.left > 0)) {
            final List<Rank> startable = new ArrayList<>();
            for (final Rank rank : ranks) {
                if (!rank.ready.isEmpty()) {
                    startable.add(rank);
                }
            }
            final List<List<Integer>> matched = new ArrayList<>(receives.keySet());
            matched.removeIf(key -> !sends.containsKey(key) && !eager.containsKey(key));
            check(!startable.isEmpty() || !matched.isEmpty(), "steps wait for ever");
            if (matched.isEmpty() || !startable.isEmpty() && random.nextInt(3) > 0) {
                final Rank rank = startable.get(random.nextInt(startable.size()));
                rank.start(rank.ready.remove(random.nextInt(rank.ready.size())));
            } else {
                final List<Integer> key = matched.get(random.nextInt(matched.size()));
                receives.remove(key).run();
                eager.remove(key);
                final Runnable send = sends.remove(key);
                if (send != null) {
                    send.run();
                }
            }
        }
        check(receives.isEmpty() && sends.isEmpty() && eager.isEmpty(), "messages are left");
    }

    /** Returns a rank's result. */
    long[] output(final int rank) {
        final byte[] bytes = ranks.get(rank).output;
        final long[] values = new long[bytes.length / Long.BYTES];
        java.nio.ByteBuffer.wrap(bytes).asLongBuffer().get(values);
        return values;
    }

    private static byte[] bytes(final long[] values) {
        final byte[] bytes = new byte[values.length * Long.BYTES];
        java.nio.ByteBuffer.wrap(bytes).asLongBuffer().put(values);
        return bytes;
    }

    private static void check(final boolean holds, final String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
