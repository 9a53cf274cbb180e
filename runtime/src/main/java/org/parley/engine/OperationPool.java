package org.parley.engine;

import java.util.Arrays;
import java.util.function.Consumer;
import org.parley.ParleyException;

/** All operations: free ones for reuse, and those in flight found by the id that frames carry. */
final class OperationPool {
    private Operation[] all = new Operation[64];
    private int size;
    private Operation freeSends;
    private Operation freeReceives;

    /** Sends that have been given out and not come back. */
    private int sends;

    SendOperation send() {
        sends++;
        final Operation op = freeSends;
        if (op != null) {
            freeSends = op.next;
            op.next = null;
            return (SendOperation) op;
        }
        return (SendOperation) add(new SendOperation(size));
    }

    ReceiveOperation receive() {
        final Operation op = freeReceives;
        if (op != null) {
            freeReceives = op.next;
            op.next = null;
            return (ReceiveOperation) op;
        }
        return (ReceiveOperation) add(new ReceiveOperation(size));
    }

    private Operation add(final Operation op) {
        if (size == all.length) {
            all = Arrays.copyOf(all, size * 2);
        }
        all[size++] = op;
        return op;
    }

    /** Takes an ended operation back. */
    void recycle(final Operation op) {
        op.reset();
        if (op instanceof SendOperation) {
            sends--;
            op.next = freeSends;
            freeSends = op;
        } else {
            op.next = freeReceives;
            freeReceives = op;
        }
    }

    /** Returns the operation that an id names, or null if it has ended or never was. */
    Operation find(final long id) {
        final int slot = (int) id;
        if (slot < 0 || slot >= size) {
            return null;
        }
        final Operation op = all[slot];
        return op.generation == (int) (id >>> 32) ? op : null;
    }

    /** Ends every operation with a session that is still under way. */
    void failAll(final Session session, final ParleyException cause) {
        for (int i = 0; i < size; i++) {
            final Operation op = all[i];
            if (op.session == session && !op.isDone()) {
                op.fail(cause);
            }
        }
    }

    /** Shows every operation that is under way and has a session. */
    void forEachUnderWay(final Consumer<Operation> action) {
        for (int i = 0; i < size; i++) {
            final Operation op = all[i];
            if (op.session != null && !op.isDone()) {
                action.accept(op);
            }
        }
    }

    /** Shows every operation that is under way for a completion. */
    void forEachOf(final Completion completion, final Consumer<Operation> action) {
        for (int i = 0; i < size; i++) {
            final Operation op = all[i];
            if (op.completion == completion && !op.isDone()) {
                action.accept(op);
            }
        }
    }

    /** Shows every operation of a context that is under way for a collective. */
    void forEachRun(final int context, final Consumer<ScheduleRun> action) {
        for (int i = 0; i < size; i++) {
            final Operation op = all[i];
            if (op.context == context && !op.isDone() && op.completion instanceof ScheduleRun run) {
                action.accept(run);
            }
        }
    }

    /** Whether any send has not ended. */
    boolean hasSends() {
        return sends > 0;
    }

    SendOperation findSend(final long id) {
        return find(id) instanceof SendOperation op ? op : null;
    }

    ReceiveOperation findReceive(final long id) {
        return find(id) instanceof ReceiveOperation op ? op : null;
    }
}
