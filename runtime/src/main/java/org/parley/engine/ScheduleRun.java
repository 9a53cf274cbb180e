package org.parley.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.UnsafeBuffer;
import org.parley.Op;
import org.parley.ParleyException;
import org.parley.schedule.Schedule;
import org.parley.schedule.Schedule.Region;
import org.parley.schedule.Schedule.Step;

/**
 * A schedule under way: starts each step when those it waits for have ended. Reusable: {@link
 * #prepare}, then {@link #start}; not after a failure. That ends it at once: receives that have not
 * matched are taken back, but what is being transferred goes on and keeps the buffers reachable. Belongs to the holder of the progress word.
 */
public final class ScheduleRun implements Completion, Pending {
    private static final VarHandle DONE;

    static {
        try {
            DONE = MethodHandles.lookup().findVarHandle(ScheduleRun.class, "done", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A user's function is called for parts of a message of at most so many bytes. */
    private static final long USER_PART = 64 * 1024;

    private final Engine engine;
    private final Session[] sessions;
    private final int[] members;
    private final int context;
    private final int rank;
    private final Payload input = new Payload();
    private final Payload output = new Payload();
    private final Payload work = new Payload();
    private final Payload part = new Payload();

    private String name;
    private Schedule schedule;
    private int tag;
    private Op op;
    private boolean inPlace;

    private int[] waits = new int[16];
    private int[] ready = new int[16];
    private int readyHead;
    private int readyTail;
    private int left;

    /** Sends and receives that have started and not ended. */
    private int underWay;

    private boolean running;
    private long block;
    private ParleyException failure;
    private Runnable whenDone;

    /** What is recorded at the end, or null. */
    private Recorder.Span span;

    /** Written with release: as an operation's. */
    @SuppressWarnings("unused")
    private boolean done;

    /** For the two sides of a user's function. */
    private UnsafeBuffer leftOperands;

    private UnsafeBuffer rightOperands;

    /**
     * Makes one.
     *
     * @param engine whose word it runs under
     * @param sessions cache of sessions by rank in the communicator, filled as needed
     * @param members the members' ranks in the world, or null for the identity
     * @param context context of the communicator's collectives
     * @param rank this rank in the communicator
     */
    public ScheduleRun(
            final Engine engine, final Session[] sessions, final int[] members, final int context, final int rank) {
        this.engine = engine;
        this.sessions = sessions;
        this.members = members;
        this.context = context;
        this.rank = rank;
    }

    /** Returns the description of the contribution, to be set before the start. */
    public Payload input() {
        return input;
    }

    /** Returns the description of the result, to be set before the start. */
    public Payload output() {
        return output;
    }

    /**
     * Sets what is to run.
     *
     * @param what for people
     * @param plan the steps
     * @param sequence number of the call, the same on all ranks
     * @param reduction or null
     * @param isInPlace whether input is output
     */
    public void prepare(
            final String what, final Schedule plan, final int sequence, final Op reduction, final boolean isInPlace) {
        name = what;
        schedule = plan;
        tag = sequence * Schedule.MAX_LANES & Integer.MAX_VALUE;
        op = reduction;
        inPlace = isInPlace;
        failure = null;
        DONE.setOpaque(this, false);
    }

    /**
     * Starts.
     *
     * @param then called once at the end, under the word; may be null
     */
    public void start(final Runnable then) {
        whenDone = then;
        if (engine.recorder != null) {
            span = engine.recorder.collective(name, sessions.length, Math.max(input.bytes(), output.bytes()));
        }
        final int size = schedule.size();
        if (waits.length < size) {
            waits = new int[size];
            ready = new int[size];
        }
        schedule.copyWaits(waits);
        readyHead = 0;
        readyTail = 0;
        left = size;
        underWay = 0;
        if (schedule.workBytes() > 0) {
            block = engine.takeBlock(schedule.workBytes());
            work.nativeMemory(block, schedule.workBytes());
        }
        for (int step = 0; step < size; step++) {
            if (waits[step] == 0) {
                ready[readyTail++] = step;
            }
        }
        run();
    }

    /**
     * Ends it instead of starting it.
     *
     * @param cause why
     * @param then called at once; may be null
     */
    public void refuse(final ParleyException cause, final Runnable then) {
        whenDone = then;
        left = schedule.size();
        underWay = 0;
        failure = cause;
        end();
    }

    /** Ends it where it is, if it has not ended. */
    void abort(final ParleyException cause) {
        if (!done) {
            failure = cause;
            end();
        }
    }

    /** Starts ready steps until none is left; steps that end at once make others ready. */
    private void run() {
        if (running) {
            return;
        }
        running = true;
        try {
            while (readyHead < readyTail && failure == null) {
                startStep(ready[readyHead++]);
            }
        } finally {
            running = false;
        }
        if (!done && (left == 0 || failure != null)) {
            end();
        }
    }

    private void startStep(final int number) {
        final Step step = schedule.step(number);
        try {
            switch (step.kind()) {
                case SEND -> send(step, number);
                case RECEIVE -> receive(step, number);
                case COPY -> {
                    copy(step);
                    ended(number);
                }
                default -> {
                    reduce(step);
                    ended(number);
                }
            }
        } catch (final ParleyException e) {
            failure = e;
        }
    }

    private void send(final Step step, final int number) {
        final Session session = session(step.peer());
        part.slice(region(step.source()), step.sourceOffset(), step.bytes());
        if (engine.sendNow(session, context, rank, tag + step.lane(), part, false)) {
            ended(number);
            return;
        }
        final SendOperation send = engine.newSend(session, context, rank, step.peer(), tag + step.lane(), part, false);
        send.completion = this;
        send.step = number;
        underWay++;
        engine.start(send);
    }

    private void receive(final Step step, final int number) {
        final ReceiveOperation receive =
                engine.newReceive(session(step.peer()), context, step.peer(), tag + step.lane());
        receive.payload.slice(region(step.target()), step.targetOffset(), step.bytes());
        receive.completion = this;
        receive.step = number;
        underWay++;
        engine.start(receive);
    }

    @Override
    public void completed(final Operation operation) {
        final int number = operation.step();
        if (failure == null) {
            failure = operation.failure() == null ? mismatch(operation, schedule.step(number)) : operation.failure();
        }
        engine.recycle(operation);
        underWay--;
        if (done) {
            release();
            return;
        }
        ended(number);
        run();
    }

    /** Ranks that call with different counts are told; a longer message than expected has failed already. */
    private static ParleyException mismatch(final Operation operation, final Step step) {
        if (operation instanceof ReceiveOperation receive && receive.bytes() != step.bytes()) {
            return new ParleyException("rank " + step.peer() + " sent " + receive.bytes() + " bytes where "
                    + step.bytes() + " were expected: the ranks' counts, types or roots differ");
        }
        return null;
    }

    private void ended(final int number) {
        left--;
        final int followers = schedule.followers(number);
        for (int i = 0; i < followers; i++) {
            final int follower = schedule.follower(number, i);
            if (--waits[follower] == 0) {
                ready[readyTail++] = follower;
            }
        }
    }

    private void end() {
        part.clear();
        if (span != null) {
            span.ended();
            span = null;
        }
        DONE.setRelease(this, true);
        if (failure != null) {
            engine.operations.forEachOf(this, this::takeBack);
        }
        release();
        if (whenDone != null) {
            whenDone.run();
        }
    }

    /** A receive that has not matched ends. */
    private void takeBack(final Operation operation) {
        if (operation instanceof ReceiveOperation receive) {
            engine.cancel(receive);
        }
    }

    /** Lets go of memory once nothing uses it any more: after a failure that may be later than the end. */
    private void release() {
        if (underWay > 0) {
            return;
        }
        if (block != 0) {
            engine.giveBlock(block);
            block = 0;
        }
        input.clear();
        output.clear();
    }

    /**
     * After a failure: keeps the user's buffers reachable until nothing uses them any more.
     *
     * @param in contribution
     * @param out result
     */
    public void keep(final Object in, final Object out) {
        if (underWay > 0) {
            input.hold(in);
            output.hold(out);
        }
    }

    private Session session(final int peer) {
        Session session = sessions[peer];
        if (session == null) {
            session = engine.session(members == null ? peer : members[peer]);
            sessions[peer] = session;
        }
        return session;
    }

    private Payload region(final Region region) {
        return switch (region) {
            case INPUT -> inPlace ? output : input;
            case OUTPUT -> output;
            case WORK -> work;
        };
    }

    private void copy(final Step step) {
        final Payload from = region(step.source());
        final Payload to = region(step.target());
        if (from == to && step.sourceOffset() == step.targetOffset()) {
            return;
        }
        Payload.copy(
                from.base(),
                from.address() + step.sourceOffset(),
                to.base(),
                to.address() + step.targetOffset(),
                step.bytes());
    }

    private void reduce(final Step step) {
        final Payload from = region(step.source());
        final Payload to = region(step.target());
        final long source = from.address() + step.sourceOffset();
        final long target = to.address() + step.targetOffset();
        if (op.function() == null) {
            op.reduce(
                    output.type(),
                    from.base(),
                    source,
                    to.base(),
                    target,
                    step.bytes() / output.type().size(),
                    engine.scratchArrays());
        } else {
            reduceByUser(from.base(), source, to.base(), target, step);
        }
    }

    /** The function sees native memory: what is on the heap passes through it. */
    private void reduceByUser(
            final Object sourceBase, final long source, final Object targetBase, final long target, final Step step) {
        final boolean sourceIsLeft = step.kind() == Schedule.Kind.REDUCE_LEFT;
        final Object leftBase = sourceIsLeft ? sourceBase : targetBase;
        final long left = sourceIsLeft ? source : target;
        final Object rightBase = sourceIsLeft ? targetBase : sourceBase;
        final long right = sourceIsLeft ? target : source;
        // The function writes to its right operand: to the target itself where that can be.
        final boolean straight = sourceIsLeft && targetBase == null;
        final long a = engine.takeBlock(2 * USER_PART);
        final long b = a + USER_PART;
        if (leftOperands == null) {
            leftOperands = new UnsafeBuffer(0, 0);
            rightOperands = new UnsafeBuffer(0, 0);
        }
        engine.userCode(Thread.currentThread());
        try {
            for (long at = 0; at < step.bytes(); at += USER_PART) {
                final int bytes = (int) Math.min(USER_PART, step.bytes() - at);
                if (leftBase != null) {
                    Payload.copy(leftBase, left + at, null, a, bytes);
                }
                if (!straight) {
                    Payload.copy(rightBase, right + at, null, b, bytes);
                }
                leftOperands.wrap(leftBase == null ? left + at : a, bytes);
                rightOperands.wrap(straight ? right + at : b, bytes);
                op.function()
                        .apply(
                                leftOperands,
                                rightOperands,
                                bytes / output.type().size(),
                                output.type());
                if (!straight) {
                    Payload.copy(null, b, targetBase, target + at, bytes);
                }
            }
        } catch (final Throwable e) {
            // The user's code may throw anything, and the run must end all the same.
            throw new ParleyException("a user-defined operation failed: " + e, e);
        } finally {
            engine.userCode(null);
            engine.giveBlock(a);
        }
    }

    /** Returns why it failed, or null. */
    public ParleyException failure() {
        return failure;
    }

    @Override
    public boolean isDone() {
        return (boolean) DONE.getAcquire(this);
    }

    @Override
    public String describe() {
        final StringBuilder text = new StringBuilder(name);
        if (schedule != null) {
            text.append(", ")
                    .append(left)
                    .append(" of ")
                    .append(schedule.size())
                    .append(" steps left");
        }
        return (context == 1 ? text : text.append(", communicator ").append(context / 2)).toString();
    }

    @Override
    public void needs(final Needs needs) {
        engine.operations.forEachOf(this, op -> op.needs(needs));
    }
}
