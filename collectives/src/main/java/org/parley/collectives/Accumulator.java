package org.parley.collectives;

import java.util.Arrays;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule;
import org.parley.schedule.Schedule.Region;

/**
 * What a rank has combined so far, while a plan is made: first its own contribution where that
 * stands, then a place in OUTPUT or WORK. Copies nothing that need not be: the first operand from
 * another rank is received where the result goes, and the contribution is combined into it.
 */
final class Accumulator {
    private final Schedule.Builder plan;
    private final long bytes;
    private final Region target;
    private final boolean inPlace;

    /** Where the value is now. */
    private Region region = Region.INPUT;

    private long offset;

    /** The last step that wrote the value; -1: none. */
    private int written = -1;

    /** Steps that read the value where it is, since it was written. */
    private int[] readers = {};

    private Accumulator(final Schedule.Builder plan, final CollectiveCall call, final Region target) {
        this.plan = plan;
        this.bytes = call.bytes();
        this.target = target;
        this.inPlace = target == Region.OUTPUT && call.inPlace();
        if (inPlace) {
            region = Region.OUTPUT;
        }
    }

    /** The result is wanted in OUTPUT. */
    static Accumulator inOutput(final Schedule.Builder plan, final CollectiveCall call) {
        return new Accumulator(plan, call, Region.OUTPUT);
    }

    /** The result is to be sent on. */
    static Accumulator inWork(final Schedule.Builder plan, final CollectiveCall call) {
        return new Accumulator(plan, call, Region.WORK);
    }

    /** Sends the value. */
    int send(final int peer) {
        final int step = plan.send(peer, region, offset, bytes, written < 0 ? new int[0] : new int[] {written});
        readers = Arrays.copyOf(readers, readers.length + 1);
        readers[readers.length - 1] = step;
        return step;
    }

    /** Receives the value of higher ranks and combines: value = value op received. */
    void combineRight(final int peer) {
        combine(peer, false);
    }

    /** Receives the value of lower ranks and combines: value = received op value. */
    void combineLeft(final int peer) {
        combine(peer, true);
    }

    private void combine(final int peer, final boolean isLeft) {
        if (region == Region.INPUT) {
            offset = target == Region.WORK ? plan.reserve(bytes) : 0;
            final int received = plan.receive(peer, target, offset, bytes);
            written = isLeft
                    ? plan.reduceRight(Region.INPUT, 0, target, offset, bytes, received)
                    : plan.reduceLeft(Region.INPUT, 0, target, offset, bytes, received);
            region = target;
        } else {
            final long with = plan.reserve(bytes);
            final int received = plan.receive(peer, Region.WORK, with, bytes);
            final int[] waits = waits(received);
            written = isLeft
                    ? plan.reduceLeft(Region.WORK, with, region, offset, bytes, waits)
                    : plan.reduceRight(Region.WORK, with, region, offset, bytes, waits);
        }
        readers = new int[0];
    }

    /** A step that overwrites the value waits for who wrote it and for all who read it. */
    private int[] waits(final int received) {
        final int[] waits = Arrays.copyOf(readers, readers.length + (written < 0 ? 1 : 2));
        waits[readers.length] = received;
        if (written >= 0) {
            waits[readers.length + 1] = written;
        }
        return waits;
    }

    /** Sees to it that the value is where it is wanted. */
    void settle() {
        if (region == Region.INPUT && target == Region.OUTPUT) {
            written = plan.copy(Region.INPUT, 0, Region.OUTPUT, 0, bytes);
            region = Region.OUTPUT;
        }
    }

    /** After the value was sent: replaces it, in OUTPUT, by what a rank sends. */
    void receive(final int peer) {
        plan.receive(peer, Region.OUTPUT, 0, bytes, readers);
    }
}
