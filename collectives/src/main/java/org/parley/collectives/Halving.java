package org.parley.collectives;

import org.parley.schedule.CollectiveCall;
import org.parley.schedule.Schedule.Region;

/**
 * The first part of Rabenseifner's algorithms, a reduce-scatter by recursive halving, and its
 * reversals. In round k ranks at distance 2^k, near ones first, exchange halves of the part that
 * they share, and combine: so operands stay in the order of the ranks, unlike in the original,
 * which starts with the farthest.
 *
 * <p>Of p = 2^k + r ranks, the first 2 r pair up before; one of each pair ends up with the value of
 * both and takes part, the other is idle.
 */
final class Halving {
    private final Planner plan;
    private final CollectiveCall call;
    private final int power;

    /** Ranks that pair up. */
    private final int paired;

    /** The one rank that takes part though it is even and paired, or -1: a root. */
    private final int evenActive;

    /** This rank's number among those that take part, or -1. */
    private final int me;

    /** Where results go, and where in it the message starts. */
    private final Region target;

    private final long base;

    /** Where the value is: INPUT at first. */
    private Region region;

    /** Operands from other ranks that cannot be received in place; -1: not reserved yet. */
    private long operands = -1;

    /** The part that this rank has, before each round and now. */
    private final long[] from;

    private final long[] to;
    private int round;

    /**
     * Starts.
     *
     * @param plan the plan
     * @param call the call
     * @param root who gets the result, or -1 for all
     */
    Halving(final Planner plan, final CollectiveCall call, final int root) {
        this.plan = plan;
        this.call = call;
        power = Ranks.powerBelow(call.ranks());
        paired = 2 * (call.ranks() - power);
        evenActive = root < paired && root % 2 == 0 ? root : -1;
        me = numberOf(call.rank());
        final boolean hasOutput = root < 0 || root == call.rank();
        target = hasOutput ? Region.OUTPUT : Region.WORK;
        base = hasOutput || !isActive() ? 0 : plan.reserve(call.bytes());
        region = hasOutput && call.inPlace() ? Region.OUTPUT : Region.INPUT;
        from = new long[Ranks.rounds(power) + 1];
        to = new long[from.length];
        to[0] = call.bytes();
    }

    /** Whether this rank takes part after the pairing. */
    boolean isActive() {
        return me >= 0;
    }

    private int numberOf(final int rank) {
        if (rank >= paired) {
            return rank - paired / 2;
        }
        final int active = (rank | 1) - 1 == evenActive ? rank & -2 : rank | 1;
        return rank == active ? rank / 2 : -1;
    }

    private int rankOf(final int number) {
        if (number >= paired / 2) {
            return number + paired / 2;
        }
        return 2 * number == evenActive ? 2 * number : 2 * number + 1;
    }

    /** Pairs combine a half each; the active rank gets the other half too. */
    void pairUp() {
        if (call.rank() >= paired) {
            return;
        }
        final int peer = call.rank() ^ 1;
        final boolean peerIsLeft = peer < call.rank();
        final long middle = Segments.middle(0, call.bytes(), call.type().size());
        if (isActive()) {
            combine(peer, peerIsLeft, middle, call.bytes(), 0, middle);
            receive(peer, 0, middle);
            region = target;
        } else {
            final long sum = plan.reserve(middle);
            sendValue(peer, middle, call.bytes());
            each(0, middle, (at, bytes) -> {
                plan.receive(peer, Region.WORK, sum + at, bytes);
                plan.reduce(!peerIsLeft, Region.INPUT, at, Region.WORK, sum + at, bytes);
                plan.send(peer, Region.WORK, sum + at, bytes);
            });
        }
    }

    /** The idle ranks of pairs get the result. */
    void unpair() {
        if (call.rank() < paired) {
            final int peer = call.rank() ^ 1;
            if (isActive()) {
                sendValue(peer, 0, call.bytes());
            } else {
                receive(peer, 0, call.bytes());
            }
        }
    }

    /** Combines: at the end each rank that takes part has the result of one part of the message. */
    void scatter() {
        for (int distance = 1; distance < power; distance *= 2) {
            final long middle =
                    Segments.middle(from[round], to[round], call.type().size());
            final boolean lower = (me & distance) == 0;
            final long keepFrom = lower ? from[round] : middle;
            final long keepTo = lower ? middle : to[round];
            final long giveFrom = lower ? middle : from[round];
            final long giveTo = lower ? to[round] : middle;
            combine(rankOf(me ^ distance), !lower, keepFrom, keepTo, giveFrom, giveTo);
            region = target;
            round++;
            from[round] = keepFrom;
            to[round] = keepTo;
        }
    }

    /** Brings all parts to all ranks that take part, in the reverse of {@link #scatter()}. */
    void allGather() {
        for (int distance = power / 2; distance > 0; distance /= 2) {
            final int peer = rankOf(me ^ distance);
            sendValue(peer, from[round], to[round]);
            receiveSibling(peer);
        }
    }

    /** Brings all parts to one rank, in the reverse of {@link #scatter()}. */
    void gather(final int root) {
        final int top = numberOf(root);
        for (int distance = power / 2; distance > 0; distance /= 2) {
            final int peer = rankOf(me ^ distance);
            if ((me & distance) != (top & distance)) {
                sendValue(peer, from[round], to[round]);
                return;
            }
            receiveSibling(peer);
        }
    }

    private void receiveSibling(final int peer) {
        round--;
        receive(peer, from[round], from[round + 1]);
        receive(peer, to[round + 1], to[round]);
    }

    /** Sends a part of the value and combines another with what the peer sends of that. */
    private void combine(
            final int peer,
            final boolean peerIsLeft,
            final long keepFrom,
            final long keepTo,
            final long giveFrom,
            final long giveTo) {
        sendValue(peer, giveFrom, giveTo);
        final boolean straight = region == Region.INPUT;
        if (!straight && operands < 0) {
            operands = plan.reserve(keepTo - keepFrom);
        }
        each(keepFrom, keepTo, (at, bytes) -> {
            if (straight) {
                plan.receive(peer, target, base + at, bytes);
                plan.reduce(!peerIsLeft, Region.INPUT, at, target, base + at, bytes);
            } else {
                final long operand = operands + at - keepFrom;
                plan.receive(peer, Region.WORK, operand, bytes);
                plan.reduce(peerIsLeft, Region.WORK, operand, target, base + at, bytes);
            }
        });
    }

    private void sendValue(final int peer, final long start, final long end) {
        final long offset = region == target ? base : 0;
        final Region source = region;
        each(start, end, (at, bytes) -> plan.send(peer, source, offset + at, bytes));
    }

    private void receive(final int peer, final long start, final long end) {
        each(start, end, (at, bytes) -> plan.receive(peer, target, base + at, bytes));
    }

    private void each(final long start, final long end, final Segments.Action action) {
        Segments.each(start, end, call.type().size(), action);
    }
}
