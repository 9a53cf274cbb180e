package org.parley.collectives;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;
import org.parley.schedule.Schedule.Region;

/**
 * Builds a schedule whose steps wait for each other where, and only where, they touch the same
 * memory: who reads waits for the last writers, who writes for them and for all readers since. An
 * algorithm names its steps in the order of a program that works one after the other; what can go
 * on at once does.
 */
final class Planner {
    /** What a step does to a part of a region. */
    private record Access(int step, Region region, long from, long to, boolean isWrite) {

        boolean conflicts(final Access later) {
            return region == later.region && (isWrite || later.isWrite) && from < later.to && later.from < to;
        }
    }

    private final Schedule.Builder builder = Schedule.builder();
    private final List<Access> accesses = new ArrayList<>();

    /** Per step, all steps that have ended when it starts. */
    private final List<BitSet> before = new ArrayList<>();

    private final boolean inPlace;

    /**
     * Starts a plan.
     *
     * @param call what for; where it is in place, INPUT means OUTPUT
     */
    Planner(final CollectiveCall call) {
        inPlace = call.inPlace();
    }

    /** Reserves working memory; returns its offset in WORK. */
    long reserve(final long bytes) {
        return builder.reserve(bytes);
    }

    void send(final int peer, final Region region, final long offset, final long bytes) {
        final Region from = real(region);
        final int[] waits = waits(read(from, offset, bytes));
        builder.send(peer, from, offset, bytes, waits);
    }

    void receive(final int peer, final Region region, final long offset, final long bytes) {
        final Region to = real(region);
        final int[] waits = waits(write(to, offset, bytes));
        builder.receive(peer, to, offset, bytes, waits);
    }

    void copy(final Region from, final long fromOffset, final Region to, final long toOffset, final long bytes) {
        final Region source = real(from);
        final Region target = real(to);
        if (source == target && fromOffset == toOffset || bytes == 0) {
            return;
        }
        final int[] waits = waits(read(source, fromOffset, bytes), write(target, toOffset, bytes));
        builder.copy(source, fromOffset, target, toOffset, bytes, waits);
    }

    /** Plans: into = with op into where {@code withIsLeft}, else into = into op with. */
    void reduce(
            final boolean withIsLeft,
            final Region with,
            final long withOffset,
            final Region into,
            final long intoOffset,
            final long bytes) {
        final Region source = real(with);
        final Region target = real(into);
        final int[] waits = waits(read(source, withOffset, bytes), write(target, intoOffset, bytes));
        if (withIsLeft) {
            builder.reduceLeft(source, withOffset, target, intoOffset, bytes, waits);
        } else {
            builder.reduceRight(source, withOffset, target, intoOffset, bytes, waits);
        }
    }

    Schedule build() {
        return builder.build();
    }

    private Region real(final Region region) {
        return inPlace && region == Region.INPUT ? Region.OUTPUT : region;
    }

    private Access read(final Region region, final long offset, final long bytes) {
        return new Access(before.size(), region, offset, offset + bytes, false);
    }

    private Access write(final Region region, final long offset, final long bytes) {
        return new Access(before.size(), region, offset, offset + bytes, true);
    }

    /** Returns the steps to wait for, without those that others of them have waited for. */
    private int[] waits(final Access... ofNext) {
        final BitSet ended = new BitSet();
        final List<Integer> waits = new ArrayList<>();
        // Latest first: what it has waited for need not be waited for again.
        for (int i = accesses.size() - 1; i >= 0; i--) {
            final Access earlier = accesses.get(i);
            if (ended.get(earlier.step)) {
                continue;
            }
            for (final Access next : ofNext) {
                if (earlier.conflicts(next)) {
                    waits.add(earlier.step);
                    ended.set(earlier.step);
                    ended.or(before.get(earlier.step));
                    break;
                }
            }
        }
        accesses.addAll(List.of(ofNext));
        before.add(ended);
        return waits.stream().mapToInt(Integer::intValue).toArray();
    }
}
