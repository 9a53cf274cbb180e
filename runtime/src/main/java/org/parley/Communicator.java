package org.parley;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.parley.engine.Engine;
import org.parley.engine.Payload;
import org.parley.engine.ScheduleRun;
import org.parley.schedule.Collective;
import org.parley.schedule.Schedule;
import org.parley.wireup.Members;
import org.parley.wireup.Ruling;

/**
 * A group of ranks that talk to each other and to nobody else (MPI-3.1 chapters 3, 5 and 6).
 * Point-to-point messages are in {@link PointToPoint}; here are collectives, which all ranks of the
 * communicator must call in the same order, objects, and the making of communicators.
 *
 * <p>Buffers, arguments, failures and threads are as in {@link PointToPoint}; two threads must not
 * be in collectives of one communicator at once (MPI-3.1 section 12.4.2). Without a {@link
 * Datatype} the buffer's own type counts; {@code ByteBuffer}, Agrona buffers and {@link Memory} are
 * bytes unless one is given, their offsets always are, and their counts are elements of the type.
 */
public final class Communicator extends PointToPoint {
    /**
     * As input of a reduction: the contribution is in the output buffer (MPI_IN_PLACE, section
     * 5.2).
     */
    public static final Object IN_PLACE = new Object() {
        @Override
        public String toString() {
            return "IN_PLACE";
        }
    };

    private final PlanCache plans = new PlanCache();

    /** The run of blocking collectives, used again and again. */
    private ScheduleRun blockingRun;

    /** In checked mode: what the next collective is compared by. */
    private Agreement.Call call;

    /** Number of the next collective: the same on all ranks. */
    private int sequence;

    /** Number of the next agreement, shrinking included: the same on all ranks. */
    private int agreements;

    Communicator(
            final Engine engine,
            final int context,
            final int rank,
            final int size,
            final int[] members,
            final DroppedRequests dropped) {
        super(engine, context, rank, size, members, dropped);
    }

    // --- collectives -----------------------------------------------------------------------------

    /** Waits until all ranks are here (MPI_Barrier, section 5.3). */
    public void barrier() {
        run(Collective.BARRIER, null, 0, null, 0, 0, null, null, 0);
    }

    /**
     * Starts a barrier (MPI_Ibarrier, section 5.12.1).
     *
     * @return ends when all ranks have started it
     */
    public Request ibarrier() {
        return start(Collective.BARRIER, null, 0, null, 0, 0, null, null, 0);
    }

    /**
     * Sends from the root to all (MPI_Bcast, section 5.4).
     *
     * @param buffer what to send at the root, where to elsewhere
     * @param offset first element
     * @param count elements, the same on all ranks
     * @param root who sends
     */
    public void bcast(final Object buffer, final long offset, final long count, final int root) {
        run(Collective.BCAST, null, 0, buffer, offset, count, null, null, root);
    }

    /**
     * Starts a broadcast (MPI_Ibcast, section 5.12.2).
     *
     * @param buffer what to send at the root, where to elsewhere
     * @param offset first element
     * @param count elements, the same on all ranks
     * @param root who sends
     */
    public Request ibcast(final Object buffer, final long offset, final long count, final int root) {
        return start(Collective.BCAST, null, 0, buffer, offset, count, null, null, root);
    }

    /**
     * Combines the contributions of all ranks at the root (MPI_Reduce, section 5.9.1).
     *
     * @param in contribution, from its start, or {@link #IN_PLACE} at the root
     * @param out result, from its start; used at the root only
     * @param count elements, the same on all ranks
     * @param op how they are combined
     * @param root who gets the result
     */
    public void reduce(final Object in, final Object out, final long count, final Op op, final int root) {
        reduce(in, 0, out, 0, count, null, op, root);
    }

    /**
     * Combines the contributions of all ranks at the root (MPI_Reduce, section 5.9.1).
     *
     * @param in contribution, or {@link #IN_PLACE} at the root
     * @param inOffset its first element
     * @param out result; used at the root only
     * @param outOffset its first element
     * @param count elements, the same on all ranks
     * @param type their type, or null for the buffers' own
     * @param op how they are combined
     * @param root who gets the result
     */
    public void reduce(
            final Object in,
            final long inOffset,
            final Object out,
            final long outOffset,
            final long count,
            final Datatype type,
            final Op op,
            final int root) {
        refuseNull("op", op);
        run(Collective.REDUCE, in, inOffset, out, outOffset, count, type, op, root);
    }

    /**
     * Starts a reduction to the root (MPI_Ireduce, section 5.12.7).
     *
     * @param in contribution, or {@link #IN_PLACE} at the root
     * @param inOffset its first element
     * @param out result; used at the root only
     * @param outOffset its first element
     * @param count elements, the same on all ranks
     * @param type their type, or null for the buffers' own
     * @param op how they are combined
     * @param root who gets the result
     */
    public Request ireduce(
            final Object in,
            final long inOffset,
            final Object out,
            final long outOffset,
            final long count,
            final Datatype type,
            final Op op,
            final int root) {
        refuseNull("op", op);
        return start(Collective.REDUCE, in, inOffset, out, outOffset, count, type, op, root);
    }

    /**
     * Combines the contributions of all ranks, for all ranks (MPI_Allreduce, section 5.9.6). All
     * ranks get the same bits.
     *
     * @param in contribution, from its start, or {@link #IN_PLACE}
     * @param out result, from its start
     * @param count elements, the same on all ranks
     * @param op how they are combined
     */
    public void allReduce(final Object in, final Object out, final long count, final Op op) {
        allReduce(in, 0, out, 0, count, null, op);
    }

    /**
     * Combines the contributions of all ranks, for all ranks (MPI_Allreduce, section 5.9.6). All
     * ranks get the same bits.
     *
     * @param in contribution, or {@link #IN_PLACE}
     * @param inOffset its first element
     * @param out result
     * @param outOffset its first element
     * @param count elements, the same on all ranks
     * @param type their type, or null for the buffers' own
     * @param op how they are combined
     */
    public void allReduce(
            final Object in,
            final long inOffset,
            final Object out,
            final long outOffset,
            final long count,
            final Datatype type,
            final Op op) {
        refuseNull("op", op);
        run(Collective.ALLREDUCE, in, inOffset, out, outOffset, count, type, op, 0);
    }

    /**
     * Starts a reduction for all ranks (MPI_Iallreduce, section 5.12.8).
     *
     * @param in contribution, or {@link #IN_PLACE}
     * @param inOffset its first element
     * @param out result
     * @param outOffset its first element
     * @param count elements, the same on all ranks
     * @param type their type, or null for the buffers' own
     * @param op how they are combined
     */
    public Request iallReduce(
            final Object in,
            final long inOffset,
            final Object out,
            final long outOffset,
            final long count,
            final Datatype type,
            final Op op) {
        refuseNull("op", op);
        return start(Collective.ALLREDUCE, in, inOffset, out, outOffset, count, type, op, 0);
    }

    private void run(
            final Collective collective,
            final Object in,
            final long inOffset,
            final Object out,
            final long outOffset,
            final long count,
            final Datatype type,
            final Op op,
            final int root) {
        engine.enter();
        try {
            if (blockingRun == null) {
                blockingRun = newRun();
            }
            final ScheduleRun run = blockingRun;
            prepare(run, collective, in, inOffset, out, outOffset, count, type, op, root);
            if (call != null) {
                final Agreement agreement = agreement();
                engine.await(agreement.start(null));
                start(run, agreement.failure(), null);
            } else {
                run.start(null);
            }
            if (!run.isDone()) {
                engine.await(run);
            }
            final ParleyException failure = run.failure();
            if (failure != null) {
                run.keep(in, out);
                blockingRun = null;
                group.breakBy(failure);
                throw Failures.here(failure);
            }
        } finally {
            engine.exit();
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
        }
    }

    private Request start(
            final Collective collective,
            final Object in,
            final long inOffset,
            final Object out,
            final long outOffset,
            final long count,
            final Datatype type,
            final Op op,
            final int root) {
        engine.enter();
        try {
            final ScheduleRun run = newRun();
            prepare(run, collective, in, inOffset, out, outOffset, count, type, op, root);
            run.input().hold(in);
            run.output().hold(out);
            final ActiveRequest request = new ActiveRequest(engine);
            final Runnable then = request.follow(run);
            final Request handle = watched(request, run);
            final Runnable whenDone = () -> {
                if (run.failure() != null) {
                    group.breakBy(run.failure());
                }
                then.run();
            };
            if (call != null) {
                final Agreement agreement = agreement();
                agreement.start(() -> start(run, agreement.failure(), whenDone));
            } else {
                run.start(whenDone);
            }
            return handle;
        } finally {
            engine.exit();
        }
    }

    /** Makes the agreement on the call that was prepared last. */
    private Agreement agreement() {
        return new Agreement(newRun(), rank(), size(), sequence++, call);
    }

    private static void start(final ScheduleRun run, final ParleyException disagreement, final Runnable then) {
        if (disagreement == null) {
            run.start(then);
        } else {
            run.refuse(disagreement, then);
        }
    }

    private ScheduleRun newRun() {
        return new ScheduleRun(engine, sessions, members, context() + 1, rank());
    }

    private void prepare(
            final ScheduleRun run,
            final Collective collective,
            final Object in,
            final long inOffset,
            final Object out,
            final long outOffset,
            final long count,
            final Datatype type,
            final Op op,
            final int root) {
        if (root < 0 || root >= size()) {
            throw new IllegalArgumentException("root is " + root + ", must be 0 to " + (size() - 1));
        }
        if (group.broken() != null) {
            throw Failures.here(group.broken());
        }
        final Payload output = run.output();
        final Payload input = run.input();
        final boolean hasOutput = collective != Collective.REDUCE || root == rank();
        final boolean same = op != null && hasOutput && in == out && inOffset == outOffset;
        final boolean inPlace = in == IN_PLACE || same && in != null;
        Datatype elements = type == null ? Datatype.BYTE : type;
        switch (collective) {
            case BARRIER -> {
                input.clear();
                output.nativeMemory(0, 0);
            }
            case BCAST -> {
                input.clear();
                output.set(out, outOffset, count, type, root != rank());
                elements = output.type();
            }
            default -> {
                if (inPlace && !hasOutput) {
                    throw new IllegalArgumentException("IN_PLACE is for the root only");
                }
                elements = setReduction(run, in, inOffset, out, outOffset, count, type, inPlace, hasOutput);
                op.check(elements);
            }
        }
        final Schedule plan = plans.plan(
                collective, rank(), size(), root, count, elements, op == null || op.isCommutative(), inPlace);
        run.prepare(collective.title(), plan, sequence, op, inPlace);
        sequence++;
        if (engine.isChecked() && size() > 1) {
            call = new Agreement.Call(collective, root, count, elements, op);
        }
    }

    private static Datatype setReduction(
            final ScheduleRun run,
            final Object in,
            final long inOffset,
            final Object out,
            final long outOffset,
            final long count,
            final Datatype type,
            final boolean inPlace,
            final boolean hasOutput) {
        final Payload output = run.output();
        final Payload input = run.input();
        if (!inPlace) {
            input.set(in, inOffset, count, type, false);
        }
        if (hasOutput) {
            output.set(out, outOffset, count, type, true);
        } else {
            output.set(input);
        }
        if (!inPlace && input.type() != output.type()) {
            throw new IllegalArgumentException("input is of " + input.type() + ", output of " + output.type());
        }
        return output.type();
    }

    // --- objects ---------------------------------------------------------------------------------

    /**
     * Sends an object by Java serialization. Received by {@link #receiveObject} only.
     *
     * @param object what to send
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     * @throws IllegalArgumentException if a part of the object is not serializable
     */
    public void sendObject(final Serializable object, final int dest, final int tag) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        } catch (final IOException e) {
            throw new IllegalArgumentException("the object cannot be serialized: " + e, e);
        }
        send(bytes.toByteArray(), 0, bytes.size(), dest, tag);
    }

    /**
     * Receives an object that was sent by {@link #sendObject}. Only what the filter allows is made:
     * give it the classes that you expect, for example {@code
     * ObjectInputFilter.Config.createFilter("java.util.ArrayList;java.lang.*;!*")}.
     *
     * <p>Classes are those that the calling thread's context class loader finds, else the library's own.
     *
     * @param filter decides which classes may be made
     * @param source sender's rank or {@link #ANY_SOURCE}
     * @param tag tag, or {@link #ANY_TAG}
     * @return the object
     * @throws ParleyException if the filter refuses it or it cannot be made
     */
    public Object receiveObject(final ObjectInputFilter filter, final int source, final int tag) {
        refuseNull("filter", filter);
        final Message message = mprobe(source, tag);
        final long length = message.status().bytes();
        if (length > Integer.MAX_VALUE - 8) {
            throw new ParleyException("an object of " + length + " bytes is too long");
        }
        final byte[] bytes = new byte[(int) length];
        message.receive(bytes, 0, bytes.length);
        try (ObjectInputStream in = new ProgramInput(new ByteArrayInputStream(bytes))) {
            in.setObjectInputFilter(filter);
            return in.readObject();
        } catch (final IOException | ClassNotFoundException e) {
            throw new ParleyException("the object from " + message.status().source() + " was not accepted: " + e, e);
        }
    }

    // --- communicators (MPI-3.1 section 6.4) -----------------------------------------------------

    /**
     * Makes a communicator of the same ranks whose messages are apart (MPI_Comm_dup). Collective.
     */
    public Communicator duplicate() {
        final int newContext = agreeOnContext();
        return new Communicator(engine, newContext, rank(), size(), members, dropped());
    }

    /**
     * Makes a communicator of the ranks that gave the same color (MPI_Comm_split). Collective.
     *
     * @param color 0 or more, or -1 to be in none
     * @param key order in the new communicator; equal keys by rank here
     * @return the communicator, or null for color -1
     */
    public Communicator split(final int color, final int key) {
        if (color < -1) {
            throw new IllegalArgumentException("color is " + color + ", must be -1 or more");
        }
        final int[] mine = new int[2 * size()];
        final int[] all = new int[2 * size()];
        mine[2 * rank()] = color;
        mine[2 * rank() + 1] = key;
        allReduce(mine, all, mine.length, Op.SUM);
        final int newContext = agreeOnContext();
        if (color < 0) {
            return null;
        }
        final List<Integer> group = new ArrayList<>();
        for (int other = 0; other < size(); other++) {
            if (all[2 * other] == color) {
                group.add(other);
            }
        }
        group.sort(Comparator.comparingInt(other -> all[2 * other + 1]));
        final int[] worldRanks = group.stream()
                .mapToInt(other -> members == null ? other : members[other])
                .toArray();
        return new Communicator(engine, newContext, group.indexOf(rank()), group.size(), worldRanks, dropped());
    }

    /**
     * Contexts of different groups that arise in one split may be equal: their ranks never meet.
     */
    private int agreeOnContext() {
        final int[] next = {engine.survivors().nextContext()};
        final int[] agreed = new int[1];
        allReduce(next, agreed, 1, Op.MAX);
        engine.survivors().useContext(agreed[0]);
        return agreed[0];
    }

    // --- when members fail (MPI's proposal for user-level failure mitigation, ULFM) ---------------

    /**
     * Returns the members that are known here to have failed (MPIX_Comm_get_failed), by rank in this communicator; who has
     * left by {@code close} is not among them. Not collective, so other members may know of more or fewer.
     */
    public int[] failed() {
        engine.enter();
        try {
            return ranks(engine.survivors().failed(group));
        } finally {
            engine.exit();
        }
    }

    /**
     * Lets receives from any source wait again for the members that are left, although others have failed
     * (MPIX_Comm_ack_failed). Not collective.
     *
     * @return the members whose failures are acknowledged now, by rank in this communicator
     */
    public int[] acknowledgeFailures() {
        engine.enter();
        try {
            return ranks(engine.survivors().acknowledge(group));
        } finally {
            engine.exit();
        }
    }

    private static int[] ranks(final List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Ends this communicator at all members, of which only one need call it (MPIX_Comm_revoke): calls that are waiting and
     * all later ones raise {@link RevokedException}, but {@link #shrink}, {@link #agree}, {@link #failed} and {@link
     * #acknowledgeFailures}. A message that is being received comes through; a long or synchronous send that its receiver
     * has not met ends when the receiver's library next looks.
     */
    public void revoke() {
        engine.enter();
        try {
            engine.survivors().revoke(group, Members.of(members, size()));
        } finally {
            engine.exit();
        }
    }

    /**
     * Makes a communicator of the members that have neither failed nor left, in the same order
     * (MPIX_Comm_shrink). Collective, also over a revoked communicator, and whoever fails meanwhile: all get the same.
     */
    public Communicator shrink() {
        final Ruling.Agreed agreed = Ballot.vote(this, agreements++, true, -1);
        final int[] left = Ballot.left(this, agreed.gone());
        final int mine = members == null ? rank() : members[rank()];
        final int newRank =
                (int) Arrays.stream(left).takeWhile(other -> other != mine).count();
        return new Communicator(engine, agreed.nextContext(), newRank, left.length, left, dropped());
    }

    /**
     * Agrees on bits (MPIX_Comm_agree). Collective over the members that have neither failed nor left, also over a revoked
     * communicator: all that return have the same. Other than MPI's, does not raise because members have failed.
     *
     * @param flags this rank's
     * @return the bits that are set in the flags of all who have taken part
     */
    public int agree(final int flags) {
        return Ballot.vote(this, agreements++, false, flags).flags();
    }

    Engine engine() {
        return engine;
    }
}
