package org.parley;

import org.parley.engine.Engine;
import org.parley.engine.Payload;
import org.parley.engine.ReceiveOperation;
import org.parley.engine.UnexpectedMessage;

/**
 * A message that was matched by a probe and that nobody else can receive (MPI-3.1 section 3.8.2).
 * Receive it once, by any thread that the job's {@link ThreadLevel} allows.
 */
public final class Message {
    private final PointToPoint communicator;
    private final Engine engine;
    private final int source;
    private final int tag;
    private final long bytes;
    private UnexpectedMessage message;

    Message(final PointToPoint communicator, final UnexpectedMessage message) {
        this.communicator = communicator;
        this.engine = communicator.engine;
        this.message = message;
        this.source = message.source();
        this.tag = message.tag();
        this.bytes = message.bytes();
    }

    /** Returns what is known about the message. */
    public Status status() {
        final Status status = new Status();
        status.set(source, tag, bytes, false);
        return status;
    }

    /**
     * Receives the message (MPI_Mrecv).
     *
     * @param buffer as for {@link Communicator#receive}
     * @param offset first element
     * @param count elements that the buffer offers, at least the message's
     * @return what was received
     * @throws IllegalStateException if it has been received already
     * @throws IllegalArgumentException if the buffer is too small; the message can still be
     *     received
     * @throws PeerFailedException if the sender has failed or left before its data was here
     */
    public Status receive(final Object buffer, final long offset, final long count) {
        return ireceive(buffer, offset, count).await();
    }

    /**
     * Starts to receive the message (MPI_Imrecv).
     *
     * @param buffer as for {@link Communicator#receive}
     * @param offset first element
     * @param count elements that the buffer offers, at least the message's
     * @throws IllegalStateException if it has been received already
     * @throws IllegalArgumentException if the buffer is too small; the message can still be
     *     received
     */
    public Request ireceive(final Object buffer, final long offset, final long count) {
        engine.enter();
        try {
            if (message == null) {
                throw new IllegalStateException("this message has been received already");
            }
            final Payload payload = engine.scratch();
            payload.set(buffer, offset, count, null, true);
            payload.hold(buffer);
            final ActiveRequest request = new ActiveRequest(engine);
            final ReceiveOperation op = engine.newReceive(null, null, 0, source, tag, payload);
            payload.clear();
            request.follow(op);
            final Request handle = communicator.watched(request, op);
            engine.startMatched(op, message);
            message = null;
            return handle;
        } finally {
            engine.exit();
        }
    }
}
