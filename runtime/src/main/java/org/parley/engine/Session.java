package org.parley.engine;

import java.util.ArrayDeque;
import org.parley.transport.Capabilities;
import org.parley.transport.Endpoint;

/**
 * All that a rank keeps about one peer: the endpoint that frames are claimed from, the credits that
 * bound what may lie unexpected at the other side, and what waits for room on the wire.
 *
 * <p>Credits count bytes, and a constant per message, of eager payload, modulo 2^32: {@code sent}
 * here, {@code consumed} at the peer, which tells it with every frame back. Envelopes need no
 * credit: past the window a send goes as a rendezvous, whose data stays with the sender.
 */
public final class Session {
    /** What a message costs beside its bytes: its place in the receiver's queues. */
    static final int MESSAGE_COST = 64;

    private final int peer;
    private final int rank;

    Endpoint endpoint;
    Capabilities capabilities;
    String transport = "no transport yet";

    /** Sender's side: cost of eager messages sent, and of those that the peer has consumed. */
    int sent;

    int acknowledged;

    /** Receiver's side: cost of eager messages consumed, and what the peer was last told of it. */
    int consumed;

    int announced;

    /** Sends whose envelope has not gone, in order. */
    private Operation firstPending;

    private Operation lastPending;

    /** Sends that the peer cleared, streaming. */
    final ArrayDeque<SendOperation> streams = new ArrayDeque<>(2);

    /** Answers that found no room. */
    final AnswerQueue answers = new AnswerQueue();

    /** The long frame that is coming, whose payload goes straight to its place; see {@link Landing}. */
    final Landing landing = new Landing();

    /** Whether the engine's list of sessions to flush has this one. */
    boolean busy;

    /** Why the peer cannot be reached any more, or null. */
    String failure;

    Session(final int peer, final int rank) {
        this.peer = peer;
        this.rank = rank;
    }

    /** Returns the index under which transports know the peer. */
    int peer() {
        return peer;
    }

    /** Returns the peer's rank in the job's world. */
    public int rank() {
        return rank;
    }

    SendOperation firstPending() {
        return (SendOperation) firstPending;
    }

    void addPending(final SendOperation op) {
        op.next = null;
        if (lastPending == null) {
            firstPending = op;
        } else {
            lastPending.next = op;
        }
        lastPending = op;
    }

    void removeFirstPending() {
        final Operation op = firstPending;
        firstPending = op.next;
        op.next = null;
        if (firstPending == null) {
            lastPending = null;
        }
    }

    void putBackPending(final SendOperation op) {
        op.next = firstPending;
        firstPending = op;
        if (lastPending == null) {
            lastPending = op;
        }
    }

    boolean hasWork() {
        return firstPending != null || !streams.isEmpty() || !answers.isEmpty();
    }

    /** Credit left, in bytes, under a window. */
    long creditLeft(final int window) {
        return window - (sent - acknowledged & 0xffff_ffffL);
    }
}
