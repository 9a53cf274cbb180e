package org.parley.engine;

/** Receives in the order of their posting. */
class PostedQueue {
    ReceiveOperation head;
    ReceiveOperation tail;

    final void add(final ReceiveOperation op) {
        op.queue = this;
        op.next = null;
        op.previous = tail;
        if (tail == null) {
            head = op;
        } else {
            tail.next = op;
        }
        tail = op;
    }

    final void remove(final ReceiveOperation op) {
        final ReceiveOperation following = (ReceiveOperation) op.next;
        if (op.previous == null) {
            head = following;
        } else {
            op.previous.next = following;
        }
        if (following == null) {
            tail = op.previous;
        } else {
            following.previous = op.previous;
        }
        op.queue = null;
        op.next = null;
        op.previous = null;
    }
}
