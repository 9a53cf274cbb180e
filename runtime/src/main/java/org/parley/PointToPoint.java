package org.parley;

import java.lang.ref.Reference;
import org.parley.engine.Engine;
import org.parley.engine.Group;
import org.parley.engine.Needs;
import org.parley.engine.Payload;
import org.parley.engine.Pending;
import org.parley.engine.ReceiveOperation;
import org.parley.engine.SendOperation;
import org.parley.engine.Session;
import org.parley.engine.UnexpectedMessage;

/**
 * Point-to-point messages of a communicator (MPI-3.1 chapter 3).
 *
 * <p><b>Buffers</b> are arrays of primitives, NIO buffers (direct, or backed by an array; indexes
 * are absolute, position and limit do not matter), Agrona buffers and {@link Memory}. Offset and
 * count are in elements of the buffer; for {@code ByteBuffer}, Agrona buffers and {@code Memory}
 * these are bytes. A buffer of a non-blocking call belongs to the library until its request has
 * ended.
 *
 * <p><b>Arguments</b> that are wrong raise {@link IllegalArgumentException} before anything is
 * sent. <b>Failures</b> of the peer raise {@link PeerFailedException}, and no call waits for ever
 * after one. <b>Threads</b>: any that the job's {@link ThreadLevel} allows.
 */
public abstract sealed class PointToPoint permits Communicator {
    /** In a receive or probe: from whichever rank comes first (MPI_ANY_SOURCE). */
    public static final int ANY_SOURCE = Engine.ANY;

    /** In a receive or probe: with any tag (MPI_ANY_TAG). */
    public static final int ANY_TAG = Engine.ANY;

    /** As peer: nobody; the call does nothing (MPI_PROC_NULL). */
    public static final int PROC_NULL = -2;

    final Engine engine;
    final Session[] sessions;

    /** World ranks of the members; null if they are the world's. */
    final int[] members;

    private final int context;
    private final int rank;
    private final int size;
    final Group group;
    private final DroppedRequests dropped;

    /** What an operation that ends within its call returns: done for ever, so one serves all. */
    private final Request ended;

    PointToPoint(
            final Engine engine,
            final int context,
            final int rank,
            final int size,
            final int[] members,
            final DroppedRequests dropped) {
        this.engine = engine;
        this.context = context;
        this.rank = rank;
        this.size = size;
        this.members = members;
        this.sessions = new Session[size];
        this.group = new Group(context, members, rank, sessions);
        this.dropped = dropped;
        this.ended = ActiveRequest.ended(engine);
        engine.enter();
        try {
            engine.survivors().add(group);
        } finally {
            engine.exit();
        }
    }

    /** Returns the calling rank's number in this communicator (MPI_Comm_rank). */
    public final int rank() {
        return rank;
    }

    /** Returns the number of ranks in this communicator (MPI_Comm_size). */
    public final int size() {
        return size;
    }

    final int context() {
        return context;
    }

    final DroppedRequests dropped() {
        return dropped;
    }

    // --- blocking --------------------------------------------------------------------------------

    /**
     * Sends (MPI_Send, MPI-3.1 section 3.2.1). Returns when the buffer may be reused: a short
     * message may then still be under way, a long one has been received.
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     */
    public final void send(final Object buffer, final long offset, final long count, final int dest, final int tag) {
        blockingSend(buffer, offset, count, dest, tag, false);
    }

    /**
     * Sends, and returns only when the receiver has begun to receive (MPI_Ssend, section 3.4).
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     */
    public final void ssend(final Object buffer, final long offset, final long count, final int dest, final int tag) {
        blockingSend(buffer, offset, count, dest, tag, true);
    }

    /**
     * Sends to a receive that the program knows to be posted (MPI_Rsend, section 3.4). Does the
     * same as {@link #send}, as the standard allows.
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     */
    public final void rsend(final Object buffer, final long offset, final long count, final int dest, final int tag) {
        blockingSend(buffer, offset, count, dest, tag, false);
    }

    /**
     * Sends a copy, and returns at once (MPI_Bsend, section 3.4). Copies live in memory of the
     * library, at most {@code buffered.limit} bytes: there is no buffer to attach.
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     * @throws ParleyException if the copies under way leave no room
     */
    public final void bsend(final Object buffer, final long offset, final long count, final int dest, final int tag) {
        ibsend(buffer, offset, count, dest, tag);
    }

    /**
     * Receives (MPI_Recv, section 3.2.4).
     *
     * @param buffer where to
     * @param offset first element
     * @param count elements that the buffer offers; the message may be shorter
     * @param source sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param tag tag, or {@link #ANY_TAG}
     * @return what was received
     * @throws TruncationException if the message is longer; the next receive that matches gets it
     */
    public final Status receive(
            final Object buffer, final long offset, final long count, final int source, final int tag) {
        return receive(buffer, offset, count, source, tag, new Status());
    }

    /**
     * Receives, allocating nothing.
     *
     * @param buffer where to
     * @param offset first element
     * @param count elements that the buffer offers; the message may be shorter
     * @param source sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param tag tag, or {@link #ANY_TAG}
     * @param into filled with what was received
     * @return {@code into}
     * @throws TruncationException if the message is longer; the next receive that matches gets it
     */
    public final Status receive(
            final Object buffer,
            final long offset,
            final long count,
            final int source,
            final int tag,
            final Status into) {
        refuseNull("into", into);
        checkSource(source);
        checkReceiveTag(tag);
        engine.enter();
        try {
            final Payload payload = engine.scratch();
            payload.set(buffer, offset, count, null, true);
            if (source == PROC_NULL) {
                into.setNull();
                return into;
            }
            final ReceiveOperation op = engine.newReceive(sourceSession(source), group, context, source, tag, payload);
            payload.clear();
            engine.start(op);
            if (!op.isDone()) {
                engine.await(op);
            }
            final ParleyException failure = op.failure();
            into.set(op.matchedSource(), op.matchedTag(), op.bytes(), false);
            engine.recycle(op);
            if (failure != null) {
                throw Failures.here(failure);
            }
            return into;
        } finally {
            engine.exit();
            Reference.reachabilityFence(buffer);
        }
    }

    /**
     * Sends and receives at once (MPI_Sendrecv, section 3.10).
     *
     * @param sendBuffer what to send
     * @param sendOffset first element
     * @param sendCount elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param sendTag 0 or more
     * @param receiveBuffer where to; must not overlap what is sent
     * @param receiveOffset first element
     * @param receiveCount elements that the buffer offers
     * @param source sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param receiveTag tag, or {@link #ANY_TAG}
     * @return what was received
     */
    public final Status sendReceive(
            final Object sendBuffer,
            final long sendOffset,
            final long sendCount,
            final int dest,
            final int sendTag,
            final Object receiveBuffer,
            final long receiveOffset,
            final long receiveCount,
            final int source,
            final int receiveTag) {
        // All of them before the receive, which might take its message at once.
        checkSendArguments(sendBuffer, sendOffset, sendCount, dest, sendTag);
        final Request received = ireceive(receiveBuffer, receiveOffset, receiveCount, source, receiveTag);
        try {
            send(sendBuffer, sendOffset, sendCount, dest, sendTag);
        } catch (final RuntimeException e) {
            received.cancel();
            throw e;
        }
        return received.await();
    }

    /**
     * Sends, and receives into the same buffer (MPI_Sendrecv_replace, section 3.10).
     *
     * @param buffer what to send, and where to
     * @param offset first element
     * @param count elements, of both messages at most
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param sendTag 0 or more
     * @param source sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param receiveTag tag, or {@link #ANY_TAG}
     * @return what was received
     */
    public final Status sendReceiveReplace(
            final Object buffer,
            final long offset,
            final long count,
            final int dest,
            final int sendTag,
            final int source,
            final int receiveTag) {
        checkSource(source);
        checkReceiveTag(receiveTag);
        final Request sent = startSend(buffer, offset, count, dest, sendTag, false, true, true);
        final Status status = receive(buffer, offset, count, source, receiveTag);
        sent.await();
        return status;
    }

    // --- non-blocking ----------------------------------------------------------------------------

    /**
     * Starts a send (MPI_Isend, section 3.7.2).
     *
     * @param buffer what to send; unchanged until the request has ended
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     * @return to be completed
     */
    public final Request isend(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        return startSend(buffer, offset, count, dest, tag, false, false, false);
    }

    /**
     * Starts a synchronous send (MPI_Issend, section 3.7.2).
     *
     * @param buffer what to send; unchanged until the request has ended
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     * @return to be completed
     */
    public final Request issend(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        return startSend(buffer, offset, count, dest, tag, true, false, false);
    }

    /**
     * Starts a ready send (MPI_Irsend, section 3.7.2); does the same as {@link #isend}.
     *
     * @param buffer what to send; unchanged until the request has ended
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     * @return to be completed
     */
    public final Request irsend(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        return startSend(buffer, offset, count, dest, tag, false, false, false);
    }

    /**
     * Starts a buffered send (MPI_Ibsend, section 3.7.2): the buffer may be reused at once, and the
     * request has ended.
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     * @return a request that has ended
     * @throws ParleyException if the copies under way leave no room
     */
    public final Request ibsend(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        startSend(buffer, offset, count, dest, tag, false, true, false);
        return ended;
    }

    /**
     * Starts a receive (MPI_Irecv, section 3.7.2).
     *
     * @param buffer where to; left alone until the request has ended
     * @param offset first element
     * @param count elements that the buffer offers
     * @param source sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param tag tag, or {@link #ANY_TAG}
     * @return to be completed
     */
    public final Request ireceive(
            final Object buffer, final long offset, final long count, final int source, final int tag) {
        checkSource(source);
        checkReceiveTag(tag);
        engine.enter();
        try {
            final Payload payload = engine.scratch();
            payload.set(buffer, offset, count, null, true);
            if (source == PROC_NULL) {
                return ended;
            }
            payload.hold(buffer);
            final ActiveRequest request = new ActiveRequest(engine);
            final ReceiveOperation op = engine.newReceive(sourceSession(source), group, context, source, tag, payload);
            payload.clear();
            request.follow(op);
            final Request handle = watched(request, op);
            engine.start(op);
            return handle;
        } finally {
            engine.exit();
        }
    }

    // --- persistent ------------------------------------------------------------------------------

    /**
     * Makes a send to be started later (MPI_Send_init, section 3.9).
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     */
    public final PersistentRequest sendInit(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        checkSendArguments(buffer, offset, count, dest, tag);
        return new PersistentRequest(engine, () -> isend(buffer, offset, count, dest, tag));
    }

    /**
     * Makes a synchronous send to be started later (MPI_Ssend_init, section 3.9).
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     */
    public final PersistentRequest ssendInit(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        checkSendArguments(buffer, offset, count, dest, tag);
        return new PersistentRequest(engine, () -> issend(buffer, offset, count, dest, tag));
    }

    /**
     * Makes a ready send to be started later (MPI_Rsend_init, section 3.9).
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     */
    public final PersistentRequest rsendInit(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        checkSendArguments(buffer, offset, count, dest, tag);
        return new PersistentRequest(engine, () -> irsend(buffer, offset, count, dest, tag));
    }

    /**
     * Makes a buffered send to be started later (MPI_Bsend_init, section 3.9).
     *
     * @param buffer what to send
     * @param offset first element
     * @param count elements
     * @param dest receiver's rank, or {@link #PROC_NULL}
     * @param tag 0 or more
     */
    public final PersistentRequest bsendInit(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        checkSendArguments(buffer, offset, count, dest, tag);
        return new PersistentRequest(engine, () -> ibsend(buffer, offset, count, dest, tag));
    }

    /**
     * Makes a receive to be started later (MPI_Recv_init, section 3.9).
     *
     * @param buffer where to
     * @param offset first element
     * @param count elements that the buffer offers
     * @param source sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param tag tag, or {@link #ANY_TAG}
     */
    public final PersistentRequest receiveInit(
            final Object buffer, final long offset, final long count, final int source, final int tag) {
        checkSource(source);
        checkReceiveTag(tag);
        new Payload().set(buffer, offset, count, null, true);
        return new PersistentRequest(engine, () -> ireceive(buffer, offset, count, source, tag));
    }

    // --- probing ---------------------------------------------------------------------------------

    /**
     * Waits for a message without receiving it (MPI_Probe, section 3.8.1).
     *
     * @param source sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param tag tag, or {@link #ANY_TAG}
     * @return what a receive would get
     */
    public final Status probe(final int source, final int tag) {
        return status(await(source, tag, false));
    }

    /**
     * Looks for a message without receiving it (MPI_Iprobe, section 3.8.1).
     *
     * @param source sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param tag tag, or {@link #ANY_TAG}
     * @return what a receive would get, or null if none has arrived
     */
    public final Status iprobe(final int source, final int tag) {
        if (source == PROC_NULL) {
            checkReceiveTag(tag);
            return status(null);
        }
        final UnexpectedMessage message = look(source, tag, false);
        return message == null ? null : status(message);
    }

    /**
     * Waits for a message and takes it, so that only the result can receive it (MPI_Mprobe, section
     * 3.8.2).
     *
     * @param source sender's rank or {@link #ANY_SOURCE}
     * @param tag tag, or {@link #ANY_TAG}
     */
    public final Message mprobe(final int source, final int tag) {
        refuseNull(source);
        return new Message(this, await(source, tag, true));
    }

    /**
     * Looks for a message and takes it if there is one (MPI_Improbe, section 3.8.2).
     *
     * @param source sender's rank or {@link #ANY_SOURCE}
     * @param tag tag, or {@link #ANY_TAG}
     * @return the message, or null if none has arrived
     */
    public final Message improbe(final int source, final int tag) {
        refuseNull(source);
        final UnexpectedMessage message = look(source, tag, true);
        return message == null ? null : new Message(this, message);
    }

    private static void refuseNull(final int source) {
        if (source == PROC_NULL) {
            throw new IllegalArgumentException("source is PROC_NULL: there is no message to take");
        }
    }

    private static Status status(final UnexpectedMessage message) {
        final Status status = new Status();
        if (message != null) {
            status.set(message.source(), message.tag(), message.bytes(), false);
        }
        return status;
    }

    private UnexpectedMessage look(final int source, final int tag, final boolean take) {
        checkSource(source);
        checkReceiveTag(tag);
        engine.enter();
        try {
            final int work = engine.doWork();
            final UnexpectedMessage message = engine.find(context, source, tag, take);
            if (source != ANY_SOURCE || engine.hasLosses(group)) {
                final boolean isIdle = work == 0 || group.closed() != null;
                engine.checkAlive(sourceSession(source), group, isIdle && message == null);
            }
            return message;
        } finally {
            engine.exit();
        }
    }

    private UnexpectedMessage await(final int source, final int tag, final boolean take) {
        checkSource(source);
        checkReceiveTag(tag);
        if (source == PROC_NULL) {
            return null;
        }
        engine.enter();
        try {
            final Arrival arrival = new Arrival(source, tag);
            engine.doWork();
            engine.await(arrival);
            engine.checkAlive(sourceSession(source), group, arrival.message == null);
            return engine.find(context, source, tag, take);
        } finally {
            engine.exit();
        }
    }

    /** A message that a probe waits for; ends too when it can no longer come. */
    private final class Arrival implements Pending {
        private final int source;
        private final int tag;
        private UnexpectedMessage message;

        Arrival(final int source, final int tag) {
            this.source = source;
            this.tag = tag;
        }

        @Override
        public boolean isDone() {
            message = engine.find(context, source, tag, false);
            return message != null || engine.isGone(sourceSession(source), group);
        }

        @Override
        public String describe() {
            return "probe for a message from "
                    + (source == ANY_SOURCE ? "any source" : source)
                    + ", "
                    + (tag == ANY_TAG ? "any tag" : "tag " + tag)
                    + (context == 0 ? "" : ", communicator " + context / 2);
        }

        @Override
        public void needs(final Needs needs) {
            if (source == ANY_SOURCE) {
                needs.ofAny(group);
            } else {
                needs.of(session(source));
            }
        }
    }

    // --- the way down ----------------------------------------------------------------------------

    private void blockingSend(
            final Object buffer,
            final long offset,
            final long count,
            final int dest,
            final int tag,
            final boolean sync) {
        checkDest(dest);
        checkSendTag(tag);
        engine.enter();
        try {
            final Payload payload = engine.scratch();
            payload.set(buffer, offset, count, null, false);
            if (dest == PROC_NULL) {
                return;
            }
            final Session session = session(dest);
            if (sync || !engine.sendNow(session, context, rank, tag, payload, false)) {
                final SendOperation op = engine.newSend(session, context, rank, dest, tag, payload, sync);
                payload.clear();
                engine.start(op);
                engine.await(op);
                final ParleyException failure = op.failure();
                engine.recycle(op);
                if (failure != null) {
                    throw Failures.here(failure);
                }
            } else {
                payload.clear();
            }
        } finally {
            engine.exit();
            Reference.reachabilityFence(buffer);
        }
    }

    /**
     * Starts a send.
     *
     * @param buffered whether the data is copied first
     * @param writable whether the buffer is received into later on; the copy then has no limit
     */
    private Request startSend(
            final Object buffer,
            final long offset,
            final long count,
            final int dest,
            final int tag,
            final boolean sync,
            final boolean buffered,
            final boolean writable) {
        checkDest(dest);
        checkSendTag(tag);
        engine.enter();
        try {
            final Payload payload = engine.scratch();
            payload.set(buffer, offset, count, null, writable);
            if (dest == PROC_NULL) {
                return ended;
            }
            final Session session = session(dest);
            if (!sync && engine.sendNow(session, context, rank, tag, payload, !buffered)) {
                payload.clear();
                return ended;
            }
            payload.hold(buffer);
            final SendOperation op = engine.newSend(session, context, rank, dest, tag, payload, sync);
            payload.clear();
            if (buffered) {
                engine.copyForBuffered(op, !writable);
            }
            final ActiveRequest request = new ActiveRequest(engine);
            request.follow(op);
            final Request handle = buffered ? request : watched(request, op);
            engine.start(op);
            return handle;
        } finally {
            engine.exit();
        }
    }

    final Request watched(final ActiveRequest request, final Pending what) {
        return dropped == null ? request : dropped.watch(request, what.describe());
    }

    final Session session(final int peer) {
        final Session session = sessions[peer];
        if (session != null) {
            return session;
        }
        if (group.closed() != null) {
            throw Failures.here(group.closed());
        }
        return sessions[peer] = engine.session(members == null ? peer : members[peer]);
    }

    private Session sourceSession(final int source) {
        return source == ANY_SOURCE ? null : session(source);
    }

    static void refuseNull(final String name, final Object argument) {
        if (argument == null) {
            throw new IllegalArgumentException(name + " is null");
        }
    }

    private void checkSendArguments(
            final Object buffer, final long offset, final long count, final int dest, final int tag) {
        checkDest(dest);
        checkSendTag(tag);
        new Payload().set(buffer, offset, count, null, false);
    }

    private void checkDest(final int dest) {
        if (dest < 0 && dest != PROC_NULL || dest >= size) {
            throw new IllegalArgumentException("dest is " + dest + ", must be 0 to " + (size - 1) + " or PROC_NULL");
        }
    }

    private void checkSource(final int source) {
        if (source < PROC_NULL || source >= size) {
            throw new IllegalArgumentException(
                    "source is " + source + ", must be 0 to " + (size - 1) + ", ANY_SOURCE or PROC_NULL");
        }
    }

    private static void checkSendTag(final int tag) {
        if (tag < 0) {
            throw new IllegalArgumentException("tag is " + tag + ", must be 0 or more");
        }
    }

    private static void checkReceiveTag(final int tag) {
        if (tag < ANY_TAG) {
            throw new IllegalArgumentException("tag is " + tag + ", must be 0 or more, or ANY_TAG");
        }
    }
}
