package org.parley.engine;

import org.agrona.UnsafeApi;
import org.parley.ParleyException;
import org.parley.PeerFailedException;
import org.parley.TruncationException;
import org.parley.transport.FrameHandler;

/** Everything that arrives: frames from transports, and receives that look for their message. */
final class Receiver implements FrameHandler {
    private final Engine engine;
    private final Sender sender;
    private final OperationPool operations;
    private final MatchingEngine matching;
    private final BlockPool blocks;
    private UnexpectedMessage freeMessages;

    Receiver(
            final Engine engine,
            final Sender sender,
            final OperationPool operations,
            final MatchingEngine matching,
            final BlockPool blocks) {
        this.engine = engine;
        this.sender = sender;
        this.operations = operations;
        this.matching = matching;
        this.blocks = blocks;
    }

    @Override
    public int onPeer(final int rank) {
        return engine.session(rank).peer();
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
                if (holds(session, length, Frame.RTS_BYTES)) {
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
                    sender.clearToSend(session, op, Frame.word(frame, Frame.PEER_OPERATION));
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
        engine.peerFailed(session, "sent a malformed frame (" + what + "): different versions?");
    }

    private void onEager(final Session session, final long frame, final int length) {
        final boolean sync = Frame.isSync(frame);
        final int body = sync ? Frame.HEADER + Long.BYTES : Frame.HEADER;
        final int bytes = length - body;
        if (bytes < 0) {
            reject(session, "synchronous frame of " + length + " bytes");
            return;
        }
        final ReceiveOperation op = match(session, frame, bytes);
        if (op == null) {
            keep(session, frame, bytes, sync ? Frame.word(frame, Frame.OPERATION) : 0, true);
            return;
        }
        op.payload.copyIn(0, frame + body, bytes);
        sender.consumed(session, bytes);
        if (sync) {
            sender.answer(session, Frame.MATCHED, Frame.word(frame, Frame.OPERATION), 0);
        }
        op.finish();
    }

    private void onReadyToSend(final Session session, final long frame) {
        final long bytes = Frame.word(frame, Frame.RTS_LENGTH);
        if (bytes < 0) {
            reject(session, "message of " + bytes + " bytes announced");
            return;
        }
        final ReceiveOperation op = match(session, frame, bytes);
        if (op == null) {
            keep(session, frame, bytes, Frame.word(frame, Frame.RTS_OPERATION), false);
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
        final int context = Frame.context(frame);
        final int source = Frame.source(frame);
        final int tag = Frame.tag(frame);
        for (; ; ) {
            final ReceiveOperation op = matching.takePosted(context, source, tag);
            if (op == null) {
                return null;
            }
            op.matched(session, source, tag, bytes);
            if (bytes <= op.payload.bytes()) {
                return op;
            }
            op.fail(truncated(op, bytes));
        }
    }

    private static TruncationException truncated(final ReceiveOperation op, final long bytes) {
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

    private void keep(
            final Session session, final long frame, final long bytes, final long operation, final boolean eager) {
        final UnexpectedMessage message = newMessage();
        message.context = Frame.context(frame);
        message.source = Frame.source(frame);
        message.tag = Frame.tag(frame);
        message.bytes = bytes;
        message.session = session;
        message.operation = operation;
        message.eager = eager;
        if (!eager) {
            message.key = Frame.word(frame, Frame.RTS_KEY);
            message.address = Frame.word(frame, Frame.RTS_ADDRESS);
        } else if (bytes > 0) {
            message.block = blocks.take(bytes);
            final int body = operation == 0 ? Frame.HEADER : Frame.HEADER + Long.BYTES;
            UnsafeApi.copyMemory(frame + body, message.block, bytes);
        }
        matching.add(message);
        engine.arrivedUnexpected();
    }

    /** Posts a receive: it takes its message if that is here, else it waits for it. */
    void start(final ReceiveOperation op) {
        final UnexpectedMessage message = matching.post(op);
        if (message == null) {
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
        sender.consumed(session, message.bytes);
        if (message.operation != 0) {
            sender.answer(session, Frame.MATCHED, message.operation, 0);
        }
        release(message);
        op.finish();
    }

    /** Gets the data of a rendezvous: from the sender's memory if that can be, else as frames. */
    private void fetch(final ReceiveOperation op, final long operation, final long key, final long address) {
        final Session session = op.session;
        op.peerOperation = operation;
        if (op.bytes == 0) {
            sender.answer(session, Frame.FIN, operation, 0);
            op.finish();
            return;
        }
        if (key != 0 && op.payload.isNative()) {
            engine.connected(session);
            if (session.endpoint.get(address, key, op.payload.address(), op.payload.region(), op.bytes, op.id()) == 0) {
                return;
            }
        }
        sender.answer(session, Frame.CTS, operation, op.id());
    }

    @Override
    public void onTransferred(final long token, final String failure) {
        final ReceiveOperation op = operations.findReceive(token);
        if (op == null) {
            return;
        }
        sender.answer(op.session, Frame.FIN, op.peerOperation, 0);
        if (failure == null) {
            op.finish();
        } else {
            op.fail(new PeerFailedException(op.session.rank(), failure));
        }
    }

    private void onData(final Session session, final long frame, final int length) {
        final ReceiveOperation op = operations.findReceive(Frame.word(frame, Frame.OPERATION));
        final long offset = Frame.word(frame, Frame.DATA_OFFSET);
        if (op == null || op.session != session || offset != op.received || length > op.bytes - offset) {
            reject(session, "data for a receive that is not under way");
            return;
        }
        op.payload.copyIn(offset, frame + Frame.DATA_HEADER, length);
        op.received += length;
        if (op.received == op.bytes) {
            op.finish();
        }
    }

    /** A peer is gone: receives that wait for it end. Unexpected eager messages stay. */
    void fail(final Session session, final ParleyException cause, final boolean wildcardsToo) {
        matching.forEachPosted(op -> {
            if (op.session == session || wildcardsToo && op.source == MatchingEngine.ANY) {
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
