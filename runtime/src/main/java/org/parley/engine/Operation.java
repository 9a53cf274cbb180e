package org.parley.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.parley.ParleyException;

/**
 * A send or a receive on its way: what a frame's operation id names. Operations are pooled; the id
 * carries a generation, so a frame that comes late finds nothing instead of somebody else.
 */
public abstract class Operation implements Pending {
    private static final VarHandle DONE;

    static {
        try {
            DONE = MethodHandles.lookup().findVarHandle(Operation.class, "done", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Position in the table of operations. */
    final int slot;

    /** Grows with each reuse; from 1, because in a frame an id of 0 stands for no operation. */
    int generation = 1;

    /** The user's memory. */
    final Payload payload = new Payload();

    int context;

    /** Sender's rank in the communicator; for a receive possibly {@link MatchingEngine#ANY}. */
    int source;

    int tag;

    /** The peer, once known. */
    Session session;

    /** The peer's operation, once known. */
    long peerOperation;

    /** Who is told; null when a thread waits for {@link #isDone()} and recycles. */
    Completion completion;

    /** Which of several operations this is for the completion. */
    int step;

    /** In checked mode: of what the buffer holds; of a receive that has matched: of what it is to hold. */
    long checksum;

    /** For {@link Stalls}: since when it has got no further, by its last look, and how far it was then. */
    long since;

    long progress;

    /** What is recorded when it ends, or null. */
    Recorder.Span span;

    ParleyException failure;

    /** Link in whichever queue or free list the operation is in. */
    Operation next;

    /** Written with release, read by any thread: no fence is needed, whoever reads it looks again. */
    @SuppressWarnings("unused")
    private boolean done;

    Operation(final int slot) {
        this.slot = slot;
    }

    long id() {
        return (long) generation << 32 | slot;
    }

    /** Ends the operation. */
    final void finish() {
        if (span != null) {
            span.ended();
            span = null;
        }
        DONE.setRelease(this, true);
        if (completion != null) {
            completion.completed(this);
        }
    }

    final void fail(final ParleyException cause) {
        failure = cause;
        finish();
    }

    /** Makes the operation ready for its next use. */
    void reset() {
        generation++;
        DONE.setOpaque(this, false);
        payload.clear();
        session = null;
        completion = null;
        failure = null;
        since = 0;
        next = null;
    }

    /** Where the ranks in a description count, if that is not the world. */
    final String where() {
        return context == 0 ? "" : ", communicator " + context / 2;
    }

    @Override
    public void needs(final Needs needs) {
        if (session != null) {
            needs.of(session);
        }
    }

    @Override
    public final boolean isDone() {
        return (boolean) DONE.getAcquire(this);
    }

    /** Returns why it failed, or null. */
    public final ParleyException failure() {
        return failure;
    }

    /** Returns the number given when the operation was started for a completion. */
    public final int step() {
        return step;
    }
}
