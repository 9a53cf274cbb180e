package org.parley.engine;

import org.agrona.UnsafeApi;
import org.parley.ParleyException;
import org.parley.TruncationException;
import org.parley.transport.FrameHandler;

/** Everything that arrives: frames from transports, and receives that look for their message. */
final class Receiver implements FrameHandler {
    private final Engine engine;
    private final Sender sender;
    private final OperationPool operations;
    private final MatchingEngine matching;
    private final BlockPool blocks;
    private final Checks checks;
    private final Counts counts;
    private UnexpectedMessage freeMessages;

    Receiver(
            final Engine engine,
            final Sender sender,
            final OperationPool operations,
            final MatchingEngine matching,
            final BlockPool blocks,
            final Checks checks,
            final Counts counts) {
        this.engine = engine;
        this.sender = sender;
        this.operations = operations;
        this.matching = matching;
        this.blocks = blocks;
        this.checks = checks;
        this.counts = counts;
    }

    @Override
    public int onPeer(final int rank) {
        return engine.session(rank).peer();
    }

    @Override
    public byte[] addressOf(final int rank, final String transport) {
        return engine.links.address(rank, transport);
    }

    @Override
    public void onLinkBack(final int peer, final long nanos) {
        if (engine.recorder != null) {
            engine.recorder.reconnected(engine.sessionOf(peer), nanos);
        }
    }

    @Override
    public void onLinkDown(final int peer, final String cause) {
        engine.peerFailed(engine.sessionOf(peer), cause);
    }

    @Override
    public void onFrame(final int peer, final long frame, final int length) {
        final Session session = engine.sessionOf(peer);
        if (length < Frame.HEADER) {
            reject(session, "frame of " + length + " bytes, shorter than a header");
            return;
        }
        session.acknowledged = Frame.credit(frame);
        final byte type = Frame.type(frame);
        if (type == Frame.EAGER) {
            onEager(session, frame, length);
        } else {
            onOther(session, type, frame, length);
        }
    }

    private void onOther(final Session session, final byte type, final long frame, final int length) {
        switch (type) {
            case Frame.RTS -> {
                if (holds(session, length, checks == null ? Frame.RTS_BYTES : Frame.RTS_CHECKED_BYTES)) {
                    onReadyToSend(session, frame);
                }
            }
            case Frame.DATA -> {
                if (holds(session, length, Frame.DATA_HEADER)) {
                    onData(session, frame, length - Frame.DATA_HEADER);
                }
            }
            case Frame.CTS -> {
                final SendOperation op = answered(session, frame, length, Frame.CTS_BYTES);
                if (op != null) {
                    sender.clearToSend(
                            session, op, Frame.word(frame, Frame.PEER_OPERATION), Frame.has(frame, Frame.DIRECT));
                }
            }
            case Frame.FIN, Frame.MATCHED -> {
                final SendOperation op = answered(session, frame, length, Frame.ANSWER_BYTES);
                if (op != null) {
                    sender.received(op);
                }
            }
            case Frame.CREDIT -> {
                // The header said it all.
            }
            case Frame.REFUSED -> {
                final SendOperation op = answered(session, frame, length, Frame.CTS_BYTES);
                if (op != null) {
                    op.fail(engine.survivors().refusal(session, op.context, Frame.word(frame, Frame.PEER_OPERATION)));
                }
            }
            default -> reject(session, "frame of unknown type " + type);
        }
    }

    private SendOperation answered(final Session session, final long frame, final int length, final int needed) {
        if (!holds(session, length, needed)) {
            return null;
        }
        final SendOperation op = operations.findSend(Frame.word(frame, Frame.OPERATION));
        if (op == null || op.session != session) {
            reject(session, "answer to a send that is not under way");
            return null;
        }
        return op;
    }

    private boolean holds(final Session session, final int length, final int needed) {
        if (length < needed) {
            reject(session, "frame of " + length + " bytes, shorter than its type's " + needed);
            return false;
        }
        return true;
    }

    private void reject(final Session session, final String what) {
        counts.malformed++;
        engine.peerFailed(session, "sent a malformed frame (" + what + "): different versions?");
    }

    private void onEager(final Session session, final long frame, final int length) {
        final int body = Frame.eagerBody(frame);
        final int bytes = length - body;
        if (bytes < 0) {
            reject(session, "eager frame of " + length + " bytes, shorter than its head of " + body);
            return;
        }
        final long operation = Frame.eagerOperation(frame, body);
        final ReceiveOperation op = match(session, frame, bytes);
        if (op == null) {
            arrived(keep(session, frame, bytes, operation, true));
            return;
        }
        op.payload.copyIn(0, frame + body, bytes);
        end(session, op, bytes, operation);
    }

    /** The data of an eager message is in place. */
    private void end(final Session session, final ReceiveOperation op, final long bytes, final long operation) {
        sender.consumed(session, bytes);
        if (operation != 0) {
            sender.answer(session, Frame.MATCHED, operation, 0);
        }
        finish(op);
    }

    /** A receive has its message. */
    private void finish(final ReceiveOperation op) {
        if (checks != null) {
            checks.ends(op);
        }
        counts.received(op.bytes);
        op.finish();
    }

    // --- long frames, whose payload goes straight to its place -------------------------------

    @Override
    public long onHead(final int peer, final long frame, final int head, final int bytes) {
        final Session session = engine.sessionOf(peer);
        if (head < Frame.HEADER) {
            reject(session, "head of " + head + " bytes, shorter than a header");
            return 0;
        }
        session.landing.bytes = bytes;
        final byte type = Frame.type(frame);
        if (type == Frame.EAGER && head == Frame.eagerBody(frame)) {
            return eagerHead(session, frame, head, bytes);
        }
        return type == Frame.DATA && head == Frame.DATA_HEADER ? dataHead(session, frame, bytes) : 0;
    }

    private long eagerHead(final Session session, final long frame, final int head, final int bytes) {
        session.acknowledged = Frame.credit(frame);
        final Landing landing = session.landing;
        landing.eager = true;
        landing.operation = Frame.eagerOperation(frame, head);
        landing.receive = match(session, frame, bytes);
        if (landing.receive != null && landing.receive.payload.isNative()) {
            return landing.receive.payload.address();
        }
        landing.message = keep(session, frame, bytes, landing.operation, true, 0);
        return landing.message.block;
    }

    private long dataHead(final Session session, final long frame, final int bytes) {
        final ReceiveOperation op = receiving(session, frame, bytes);
        if (op == null || !op.payload.isNative()) {
            return 0;
        }
        session.acknowledged = Frame.credit(frame);
        final Landing landing = session.landing;
        landing.eager = false;
        landing.held = Frame.has(frame, Frame.HELD);
        landing.receive = op;
        return op.payload.address() + op.received;
    }

    @Override
    public void onRest(final int peer) {
        final Session session = engine.sessionOf(peer);
        final Landing landing = session.landing;
        final ReceiveOperation op = landing.receive;
        final UnexpectedMessage message = landing.message;
        landing.clear();
        if (op != null && !landing.eager) {
            received(session, op, landing.bytes, landing.held);
        } else if (op != null && message == null) {
            end(session, op, landing.bytes, landing.operation);
        } else if (op != null) {
            deliver(op, message);
        } else if (message != null) {
            settle(message);
        }
    }

    /** A kept message is complete: a receive may have been posted meanwhile. */
    private void settle(final UnexpectedMessage message) {
        final ReceiveOperation op =
                match(message.session, message.context, message.source, message.tag, message.bytes, message.checksum);
        if (op == null) {
            arrived(message);
        } else {
            deliver(op, message);
        }
    }

    private void onReadyToSend(final Session session, final long frame) {
        final long bytes = Frame.word(frame, Frame.RTS_LENGTH);
        if (bytes < 0) {
            reject(session, "message of " + bytes + " bytes announced");
            return;
        }
        final ReceiveOperation op = match(session, frame, bytes);
        if (op == null) {
            arrived(keep(session, frame, bytes, Frame.word(frame, Frame.RTS_OPERATION), false));
            return;
        }
        fetch(
                op,
                Frame.word(frame, Frame.RTS_OPERATION),
                Frame.word(frame, Frame.RTS_KEY),
                Frame.word(frame, Frame.RTS_ADDRESS));
    }

    /**
     * Finds the receive for an arrived envelope. A receive whose buffer is too short fails, and the
     * message goes on to look for the next: truncation loses nothing.
     */
    private ReceiveOperation match(final Session session, final long frame, final long bytes) {
        final long checksum = checks == null ? 0 : Frame.checksum(frame);
        return match(session, Frame.context(frame), Frame.source(frame), Frame.tag(frame), bytes, checksum);
    }

    private ReceiveOperation match(
            final Session session,
            final int context,
            final int source,
            final int tag,
            final long bytes,
            final long checksum) {
        for (; ; ) {
            final ReceiveOperation op = matching.takePosted(context, source, tag);
            if (op == null) {
                return null;
            }
            final ParleyException spoiled = checks == null ? null : checks.matches(op);
            op.matched(session, source, tag, bytes);
            if (bytes <= op.payload.bytes()) {
                if (checks != null) {
                    op.checksum = checksum;
                    op.failure = spoiled;
                }
                return op;
            }
            op.fail(truncated(op, bytes));
        }
    }

    private TruncationException truncated(final ReceiveOperation op, final long bytes) {
        counts.truncated++;
        return new TruncationException(
                "the message from "
                        + op.matchedSource
                        + ", tag "
                        + op.matchedTag
                        + ", has "
                        + bytes
                        + " bytes, the receive's buffer "
                        + op.payload.bytes()
                        + "; the message is kept for a larger receive",
                bytes);
    }

    /** Keeps an arrived frame's message, with its data if it is eager. */
    private UnexpectedMessage keep(
            final Session session, final long frame, final long bytes, final long operation, final boolean eager) {
        return keep(session, frame, bytes, operation, eager, bytes);
    }

    private UnexpectedMessage keep(
            final Session session,
            final long frame,
            final long bytes,
            final long operation,
            final boolean eager,
            final long here) {
        final UnexpectedMessage message = newMessage();
        message.context = Frame.context(frame);
        message.source = Frame.source(frame);
        message.tag = Frame.tag(frame);
        message.bytes = bytes;
        message.session = session;
        message.operation = operation;
        message.eager = eager;
        if (checks != null) {
            message.checksum = Frame.checksum(frame);
        }
        if (!eager) {
            message.key = Frame.word(frame, Frame.RTS_KEY);
            message.address = Frame.word(frame, Frame.RTS_ADDRESS);
        } else if (bytes > 0) {
            message.block = blocks.take(bytes);
            UnsafeApi.copyMemory(frame + Frame.eagerBody(frame), message.block, here);
        }
        return message;
    }

    private void arrived(final UnexpectedMessage message) {
        if (engine.survivors().isClosed(message.context)) {
            refuse(message);
            return;
        }
        matching.add(message);
        counts.unexpected++;
    }

    /** A communicator is closed: receives end that wait for messages, and nobody will receive those that are here. */
    void close(final int context, final ParleyException cause) {
        matching.forEachPosted(op -> {
            if (op.context == context) {
                matching.cancel(op);
                op.fail(cause);
            }
        });
        matching.removeAll(context).forEach(this::refuse);
    }

    /** Gives back what a message takes that nobody will receive; its sender, if it waits, is told. */
    private void refuse(final UnexpectedMessage message) {
        if (message.eager) {
            sender.consumed(message.session, message.bytes);
        }
        if (message.operation != 0) {
            sender.answer(
                    message.session,
                    Frame.REFUSED,
                    message.operation,
                    engine.survivors().refusedFor(message.context));
        }
        release(message);
    }

    /** Posts a receive: it takes its message if that is here, else it waits for it. */
    void start(final ReceiveOperation op) {
        if (engine.recorder != null) {
            op.span = engine.recorder.receives(op);
        }
        final UnexpectedMessage message = matching.post(op);
        if (message == null) {
            if (checks != null) {
                checks.begins(op);
            }
            return;
        }
        op.matched(message.session, message.source, message.tag, message.bytes);
        if (message.bytes > op.payload.bytes()) {
            op.fail(truncated(op, message.bytes));
            return;
        }
        matching.remove(message);
        deliver(op, message);
    }

    /** Gives a message that is out of the queues to a receive whose buffer is long enough. */
    void deliver(final ReceiveOperation op, final UnexpectedMessage message) {
        final Session session = message.session;
        op.matched(session, message.source, message.tag, message.bytes);
        if (checks != null) {
            op.checksum = message.checksum;
        }
        if (!message.eager) {
            final long operation = message.operation;
            final long key = message.key;
            final long address = message.address;
            release(message);
            if (session.failure == null) {
                fetch(op, operation, key, address);
            } else {
                op.fail(engine.failed(session));
            }
            return;
        }
        op.payload.copyIn(0, message.block, message.bytes);
        final long bytes = message.bytes;
        final long operation = message.operation;
        release(message);
        end(session, op, bytes, operation);
    }

    /** Gets the data of a rendezvous: from the sender's memory if that can be, else as frames. */
    private void fetch(final ReceiveOperation op, final long operation, final long key, final long address) {
        final Session session = op.session;
        op.peerOperation = operation;
        if (op.bytes == 0) {
            sender.answer(session, Frame.FIN, operation, 0);
            finish(op);
            return;
        }
        if (key != 0 && op.payload.isNative() && engine.isConnected(session)) {
            if (session.endpoint.get(address, key, op.payload.address(), op.payload.region(), op.bytes, op.id()) == 0) {
                return;
            }
            counts.fetchesRefused++;
        }
        askForData(op);
    }

    private void askForData(final ReceiveOperation op) {
        final int flags = op.payload.isNative() ? Frame.DIRECT << 8 : 0;
        sender.answer(op.session, Frame.CTS | flags, op.peerOperation, op.id());
    }

    @Override
    public void onTransferred(final long token, final String failure) {
        final ReceiveOperation op = operations.findReceive(token);
        if (op == null) {
            return;
        }
        if (failure == null) {
            sender.answer(op.session, Frame.FIN, op.peerOperation, 0);
            finish(op);
        } else {
            // The sender still has it; if it is gone, its end ends this.
            counts.fetchesRefused++;
            askForData(op);
        }
    }

    private void onData(final Session session, final long frame, final int length) {
        final ReceiveOperation op = receiving(session, frame, length);
        if (op != null) {
            op.payload.copyIn(op.received, frame + Frame.DATA_HEADER, length);
            received(session, op, length, Frame.has(frame, Frame.HELD));
        }
    }

    /** Returns the receive that data is for, or null: there is none. */
    private ReceiveOperation receiving(final Session session, final long frame, final int length) {
        final ReceiveOperation op = operations.findReceive(Frame.word(frame, Frame.OPERATION));
        final long offset = Frame.word(frame, Frame.DATA_OFFSET);
        if (op == null || op.session != session || offset != op.received || length > op.bytes - offset) {
            reject(session, "data for a receive that is not under way");
            return null;
        }
        return op;
    }

    private void received(final Session session, final ReceiveOperation op, final int length, final boolean held) {
        op.received += length;
        if (op.received == op.bytes) {
            if (held) {
                sender.answer(session, Frame.FIN, op.peerOperation, 0);
            }
            finish(op);
        }
    }

    /** A peer is gone: receives end that wait for it, or for anybody and nobody is left. Unexpected eager messages stay. */
    void fail(final Session session, final ParleyException cause) {
        final UnexpectedMessage half = session.landing.message;
        session.landing.clear();
        if (half != null) {
            release(half);
        }
        matching.forEachPosted(op -> {
            if (op.session == session || op.session == null && engine.isGone(null, op.group)) {
                matching.cancel(op);
                op.fail(cause);
            }
        });
    }

    private UnexpectedMessage newMessage() {
        final UnexpectedMessage message = freeMessages;
        if (message == null) {
            return new UnexpectedMessage();
        }
        freeMessages = message.next;
        message.next = null;
        return message;
    }

    private void release(final UnexpectedMessage message) {
        if (message.block != 0) {
            blocks.give(message.block);
            message.block = 0;
        }
        message.session = null;
        message.next = freeMessages;
        freeMessages = message;
    }
}
