package org.parley.engine;

import java.util.ArrayList;
import java.util.List;
import org.parley.ParleyException;

/** Everything that leaves: envelopes, eager data, streams, answers. */
final class Sender {
    /** From here on a wire may send native memory from where it lies, and copy it meanwhile. */
    private static final int COPIED_LATE = 4096;

    private final Engine engine;
    private final int window;
    private final BufferedSends buffered;
    private final Checks checks;
    private final Counts counts;
    private final ArrayList<Session> busy = new ArrayList<>();

    /** A frame may wait for others until the transports are polled. */
    private boolean waits;

    /** @param checks in checked mode, else null */
    Sender(
            final Engine engine,
            final long window,
            final BufferedSends buffered,
            final Checks checks,
            final Counts counts) {
        this.engine = engine;
        this.window = (int) Math.min(Integer.MAX_VALUE, window);
        this.buffered = buffered;
        this.checks = checks;
        this.counts = counts;
    }

    /**
     * Sends a standard message at once if it is eager and there is room; this is the whole way of a
     * small message.
     *
     * @param later whether it may wait for others: the caller will be back
     * @return false if it must become an operation
     */
    boolean sendNow(
            final Session session,
            final int context,
            final int source,
            final int tag,
            final Payload payload,
            final boolean later) {
        final long bytes = payload.bytes();
        if (bytes > Protocol.eagerLimit(session.capabilities, payload.isShared())
                || bytes + Session.MESSAGE_COST > session.creditLeft(window)
                || session.firstPending() != null
                || checks != null) {
            return false;
        }
        final long frame = session.endpoint.claim(Frame.HEADER + (int) bytes);
        if (frame < 0) {
            return false;
        }
        header(session, frame, Frame.EAGER, context, source, tag);
        commit(session, frame, Frame.HEADER, payload, later);
        session.sent += (int) bytes + Session.MESSAGE_COST;
        counts.sent(bytes);
        if (engine.recorder != null) {
            engine.recorder.sent(session, tag, bytes);
        }
        return true;
    }

    private void commit(
            final Session session, final long frame, final int head, final Payload payload, final boolean later) {
        final int bytes = (int) payload.bytes();
        if (bytes >= COPIED_LATE && payload.isNative()) {
            session.endpoint.commit(frame, head, payload.address(), bytes);
        } else {
            payload.copyOut(0, frame + head, bytes);
            if (later) {
                waits |= session.endpoint.commitLater();
            } else {
                session.endpoint.commit();
            }
        }
    }

    /** Whether a frame may wait for the next poll. */
    boolean waits() {
        return waits;
    }

    /** The transports were polled: nothing waits for others any more, and there may be room; returns how much was sent. */
    int polled() {
        waits = false;
        int work = 0;
        for (int i = 0; i < busy.size(); ) {
            final Session session = busy.get(i);
            work += session.failure == null ? flush(session) : 0;
            if (session.hasWork() && session.failure == null) {
                i++;
            } else {
                session.busy = false;
                busy.remove(i);
            }
        }
        return work;
    }

    /** Whether something waits for room. */
    boolean isBusy() {
        return !busy.isEmpty();
    }

    private void hasWork(final Session session) {
        if (!session.busy) {
            session.busy = true;
            busy.add(session);
        }
    }

    /** Starts a send that is an operation; its envelope goes now or in its turn. */
    void start(final SendOperation op) {
        final Session session = op.session;
        if (checks != null) {
            checks.begins(op);
        }
        if (engine.recorder != null) {
            op.span = engine.recorder.sends(op);
        }
        if (session.firstPending() != null || !sendEnvelope(op)) {
            counts.full++;
            session.addPending(op);
            hasWork(session);
        }
    }

    private boolean sendEnvelope(final SendOperation op) {
        final Session session = op.session;
        final Payload payload = op.payload;
        final Protocol protocol = Protocol.choose(
                session.capabilities,
                payload.bytes(),
                payload.isNative(),
                payload.isShared(),
                session.creditLeft(window));
        return protocol == Protocol.EAGER ? sendEager(op) : sendReady(op, protocol == Protocol.FETCH);
    }

    private boolean sendEager(final SendOperation op) {
        final Session session = op.session;
        final int bytes = (int) op.payload.bytes();
        final int flags = (op.sync ? Frame.SYNC : 0) | (checks == null ? 0 : Frame.CHECKED);
        final int body = checks != null ? Frame.EAGER_CHECKED_BODY : Frame.HEADER + (op.sync ? Long.BYTES : 0);
        final long frame = session.endpoint.claim(body + bytes);
        if (frame < 0) {
            return false;
        }
        header(session, frame, Frame.EAGER | flags << 8, op.context, op.source, op.tag);
        if (flags != 0) {
            Frame.word(frame, Frame.OPERATION, op.sync ? op.id() : 0);
        }
        if (checks != null) {
            Frame.word(frame, Frame.EAGER_CHECKSUM, op.checksum);
        }
        commit(session, frame, body, op.payload, false);
        session.sent += bytes + Session.MESSAGE_COST;
        counts.sent(bytes);
        op.sent = bytes;
        if (!op.sync) {
            received(op);
        }
        return true;
    }

    private boolean sendReady(final SendOperation op, final boolean fetch) {
        final Session session = op.session;
        final long frame = session.endpoint.claim(checks == null ? Frame.RTS_BYTES : Frame.RTS_CHECKED_BYTES);
        if (frame < 0) {
            return false;
        }
        if (fetch) {
            op.key = session.endpoint.expose(op.payload.address(), op.payload.bytes(), op.payload.region());
        }
        final int flags = checks == null ? 0 : Frame.CHECKED;
        header(session, frame, Frame.RTS | flags << 8, op.context, op.source, op.tag);
        Frame.word(frame, Frame.RTS_LENGTH, op.payload.bytes());
        Frame.word(frame, Frame.RTS_KEY, op.key);
        Frame.word(frame, Frame.RTS_ADDRESS, op.key == 0 ? 0 : op.payload.address());
        Frame.word(frame, Frame.RTS_OPERATION, op.id());
        if (checks != null) {
            Frame.word(frame, Frame.RTS_CHECKSUM, op.checksum);
        }
        session.endpoint.commit();
        op.announced = true;
        counts.sent(op.payload.bytes());
        counts.longs++;
        counts.uncredited +=
                op.payload.bytes() <= Protocol.eagerLimit(session.capabilities, op.payload.isShared()) ? 1 : 0;
        return true;
    }

    /** The receiver wants the data as frames. */
    void clearToSend(final Session session, final SendOperation op, final long peerOperation, final boolean direct) {
        conceal(op);
        op.direct = direct;
        op.peerOperation = peerOperation;
        session.streams.add(op);
        if (!stream(session)) {
            hasWork(session);
        }
    }

    /** The receiver has all data, or has matched a synchronous message, or all has been copied: the buffer is the user's. */
    void received(final SendOperation op) {
        if (checks != null) {
            checks.ends(op);
        }
        op.finish();
    }

    /** Takes back what an ended send has lent: to the peer its memory, from the library its copy. */
    void release(final SendOperation op) {
        conceal(op);
        if (op.block != 0) {
            buffered.release(op);
        }
    }

    private void conceal(final SendOperation op) {
        if (op.key != 0) {
            op.session.endpoint.conceal(op.key);
            op.key = 0;
        }
    }

    /** Sends an answer, or keeps it until there is room. */
    void answer(final Session session, final int type, final long first, final long second) {
        if (session.failure != null) {
            return;
        }
        if (!session.answers.isEmpty() || !sendAnswer(session, type, first, second)) {
            session.answers.add(type, first, second);
            hasWork(session);
        }
    }

    /** False if there is no room now; a peer that is gone needs no answer. */
    private boolean sendAnswer(final Session session, final int type, final long first, final long second) {
        if (!engine.isConnected(session)) {
            return true;
        }
        final long frame = session.endpoint.claim(Frame.CTS_BYTES);
        if (frame < 0) {
            return false;
        }
        header(session, frame, type, 0, 0, 0);
        Frame.word(frame, Frame.OPERATION, first);
        Frame.word(frame, Frame.PEER_OPERATION, second);
        session.endpoint.commit();
        return true;
    }

    /** Counts an eager message as consumed; tells the peer once half its window is used up. */
    void consumed(final Session session, final long bytes) {
        session.consumed += (int) bytes + Session.MESSAGE_COST;
        if ((session.consumed - session.announced & 0xffff_ffffL) >= window / 2) {
            answer(session, Frame.CREDIT, 0, 0);
        }
    }

    /** Sends what waits for room: answers first, then envelopes in order, then streams. */
    private int flush(final Session session) {
        int work = 0;
        final AnswerQueue answers = session.answers;
        while (!answers.isEmpty()) {
            if (!sendAnswer(session, answers.type(), answers.first(), answers.second())) {
                return work;
            }
            answers.remove();
            work++;
        }
        for (SendOperation op; (op = session.firstPending()) != null; work++) {
            // Taken out first: an operation that ends may be recycled within the call.
            session.removeFirstPending();
            if (!sendEnvelope(op)) {
                session.putBackPending(op);
                return work;
            }
        }
        return stream(session) ? work + 1 : work;
    }

    /** Streams cleared data while there is room; true if none is left. */
    private boolean stream(final Session session) {
        for (SendOperation op; (op = session.streams.peek()) != null; ) {
            final boolean gathers = op.payload.isNative() && session.capabilities.gatherFragment() > 0;
            while (op.sent < op.payload.bytes()) {
                if (!(gathers ? sendHeld(op) : sendCopied(op))) {
                    return false;
                }
            }
            session.streams.remove();
            if (!gathers) {
                received(op);
            }
        }
        return true;
    }

    private static boolean sendCopied(final SendOperation op) {
        final Session session = op.session;
        final int bytes = (int) Math.min(session.capabilities.fragment(), op.payload.bytes() - op.sent);
        final long frame = session.endpoint.claim(Frame.DATA_HEADER + bytes);
        if (frame < 0) {
            return false;
        }
        data(op, frame, Frame.DATA);
        op.payload.copyOut(op.sent, frame + Frame.DATA_HEADER, bytes);
        session.endpoint.commit();
        op.sent += bytes;
        return true;
    }

    /** The user's memory is part of the frame until the receiver says that it has everything. */
    private static boolean sendHeld(final SendOperation op) {
        final Session session = op.session;
        final int most = op.direct ? session.capabilities.gatherFragment() : session.capabilities.fragment();
        final int bytes = (int) Math.min(most, op.payload.bytes() - op.sent);
        final long frame = session.endpoint.claimGathered(Frame.DATA_HEADER, bytes);
        if (frame < 0) {
            return false;
        }
        data(op, frame, Frame.DATA | Frame.HELD << 8);
        session.endpoint.commitGathered(op.payload.address() + op.sent);
        op.sent += bytes;
        return true;
    }

    private static void data(final SendOperation op, final long frame, final int typeAndFlags) {
        header(op.session, frame, typeAndFlags, 0, 0, 0);
        Frame.word(frame, Frame.OPERATION, op.peerOperation);
        Frame.word(frame, Frame.DATA_OFFSET, op.sent);
    }

    private static void header(
            final Session session,
            final long frame,
            final int typeAndFlags,
            final int context,
            final int source,
            final int tag) {
        final int consumed = session.consumed;
        session.announced = consumed;
        Frame.header(frame, typeAndFlags, context, source, tag, consumed);
    }

    /** A communicator is closed: what has not left for a peer ends. */
    void close(final Session session, final int context, final ParleyException cause) {
        final List<SendOperation> all = new ArrayList<>();
        for (SendOperation op; (op = session.firstPending()) != null; ) {
            session.removeFirstPending();
            all.add(op);
        }
        // In order, and before anybody who is told sends again.
        all.stream().filter(op -> op.context != context).forEach(session::addPending);
        all.stream().filter(op -> op.context == context).forEach(op -> op.fail(cause));
    }

    /** A peer is gone: everything that waits for it ends. */
    void fail(final Session session, final ParleyException cause) {
        session.answers.clear();
        for (SendOperation op; (op = session.firstPending()) != null; ) {
            session.removeFirstPending();
            op.fail(cause);
        }
        for (SendOperation op; (op = session.streams.poll()) != null; ) {
            op.fail(cause);
        }
    }
}
