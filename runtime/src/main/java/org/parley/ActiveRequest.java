package org.parley;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.parley.engine.Completion;
import org.parley.engine.Engine;
import org.parley.engine.Needs;
import org.parley.engine.Operation;
import org.parley.engine.Pending;
import org.parley.engine.ReceiveOperation;
import org.parley.engine.ScheduleRun;

/** The request of one operation or collective; never reused, unlike the operation behind it. */
final class ActiveRequest extends Request implements Completion, Pending {
    private static final VarHandle DONE;

    static {
        try {
            DONE = MethodHandles.lookup().findVarHandle(ActiveRequest.class, "done", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Engine engine;
    /** Written last, with release: who sees it sees the rest. */
    @SuppressWarnings("unused")
    private boolean done;

    private boolean cancelled;
    private int source = Communicator.PROC_NULL;
    private int tag = Communicator.ANY_TAG;
    private long bytes;
    private ParleyException failure;

    /** What is under way, for cancelling and describing; null after the end. */
    private Pending running;

    /** In debug mode: notices that the request is dropped. */
    private DroppedRequests.Watch watch;

    ActiveRequest(final Engine engine) {
        this.engine = engine;
    }

    /** A request of something that ended within the call that started it. */
    static ActiveRequest ended(final Engine engine) {
        final ActiveRequest request = new ActiveRequest(engine);
        DONE.setRelease(request, true);
        return request;
    }

    /** Follows an operation that is to be started. */
    void follow(final Operation op) {
        running = op;
        engine.complete(op, this);
    }

    /** Follows a collective; the result is for its start. */
    Runnable follow(final ScheduleRun run) {
        running = run;
        return () -> finish(run.failure());
    }

    void watchedBy(final DroppedRequests.Watch noticed) {
        watch = noticed;
    }

    @Override
    public void completed(final Operation op) {
        if (op instanceof ReceiveOperation receive) {
            source = receive.matchedSource();
            tag = receive.matchedTag();
            bytes = receive.bytes();
            cancelled = receive.isCancelled();
        }
        final ParleyException cause = op.failure();
        engine.recycle(op);
        finish(cause);
    }

    private void finish(final ParleyException cause) {
        failure = cause;
        running = null;
        if (watch != null) {
            watch.ended();
        }
        DONE.setRelease(this, true);
    }

    @Override
    public boolean isDone() {
        return (boolean) DONE.getAcquire(this);
    }

    @Override
    public String describe() {
        final Pending what = running;
        return what == null ? "a request" : what.describe();
    }

    @Override
    public void needs(final Needs needs) {
        if (running != null) {
            running.needs(needs);
        }
    }

    @Override
    void complete() {
        if (!isDone() || engine.holdsBack()) {
            engine.enter();
            try {
                engine.await(this);
            } finally {
                engine.exit();
            }
        }
        if (failure != null) {
            throw Failures.here(failure);
        }
    }

    @Override
    boolean isLost() {
        return isDone() && (failure instanceof PeerFailedException || failure instanceof RevokedException);
    }

    @Override
    void fill(final Status into) {
        into.set(source, tag, bytes, cancelled);
    }

    @Override
    public void cancel() {
        engine.enter();
        try {
            if (running instanceof ReceiveOperation receive) {
                engine.cancel(receive);
            }
        } finally {
            engine.exit();
        }
    }

    @Override
    Engine engine() {
        return engine;
    }
}
