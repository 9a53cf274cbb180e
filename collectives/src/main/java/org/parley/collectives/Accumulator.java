package org.parley.collectives;

import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule.Region;

/**
 * What a rank has combined so far, while a plan is made: first its own contribution where that
 * stands, then a place in OUTPUT or WORK. Nothing is copied that need not be: the first operand
 * from another rank is received where the result goes, and the contribution is combined into it.
 */
final class Accumulator {
    private final Planner plan;
    private final long bytes;
    private final Region target;

    /** Where the value is now. */
    private Region region;

    private long offset;

    private Accumulator(final Planner plan, final CollectiveCall call, final Region target) {
        this.plan = plan;
        this.bytes = call.bytes();
        this.target = target;
        this.region = target == Region.OUTPUT && call.inPlace() ? Region.OUTPUT : Region.INPUT;
    }

    /** The result is wanted in OUTPUT. */
    static Accumulator inOutput(final Planner plan, final CollectiveCall call) {
        return new Accumulator(plan, call, Region.OUTPUT);
    }

    /** The result is to be sent on. */
    static Accumulator inWork(final Planner plan, final CollectiveCall call) {
        return new Accumulator(plan, call, Region.WORK);
    }

    /** Sends the value. */
    void send(final int peer) {
        plan.send(peer, region, offset, bytes);
    }

    /**
     * Receives the value of neighbouring ranks and combines.
     *
     * @param peer who sends
     * @param isLeft whether it is the value of lower ranks: then value = received op value
     */
    void combine(final int peer, final boolean isLeft) {
        if (region == Region.INPUT) {
            region = target;
            offset = target == Region.WORK ? plan.reserve(bytes) : 0;
            plan.receive(peer, region, offset, bytes);
            plan.reduce(!isLeft, Region.INPUT, 0, region, offset, bytes);
        } else {
            final long received = plan.reserve(bytes);
            plan.receive(peer, Region.WORK, received, bytes);
            plan.reduce(isLeft, Region.WORK, received, region, offset, bytes);
        }
    }

    /** Sees to it that the value is in OUTPUT. */
    void settle() {
        plan.copy(region, offset, Region.OUTPUT, 0, bytes);
        region = Region.OUTPUT;
    }

    /** Replaces the value, in OUTPUT, by what a rank sends. */
    void receive(final int peer) {
        plan.receive(peer, Region.OUTPUT, 0, bytes);
        region = Region.OUTPUT;
    }
}
