package org.parley.transport.verbs;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.JobSecret;
import org.parley.transport.TransportException;
import org.slf4j.LoggerFactory;

/** The end of a control link that was called: believes nothing, and makes nothing, before the caller's proof. */
final class CalledLink extends ControlLink {
    static final String CALLER = "rc caller";
    static final String CALLED = "rc called";
    static final int CALL_BYTES = JobSecret.PROOF_BYTES + Offer.BYTES;
    static final int ANSWER_BYTES = Short.BYTES + JobSecret.PROOF_BYTES + Offer.BYTES;

    private final RcConnector connector;
    private byte[] hello;
    private byte[] challenge;
    private Greeting caller;
    private boolean expected;

    CalledLink(final RcConnector connector, final SocketChannel channel, final String peer) {
        super(channel, peer);
        this.connector = connector;
    }

    @Override
    int epoch() {
        return caller.epoch();
    }

    @Override
    void connected() {
        connector.strangers().arrived(this);
        expect(Greeting.BYTES);
    }

    @Override
    void arrived(final byte[] message) {
        if (hello == null) {
            greeted(message);
        } else if (!expected) {
            called(ByteBuffer.wrap(message));
        } else if (ByteBuffer.wrap(message).getLong() != RcConnector.MAGIC) {
            end("it does not say that it is ready");
        } else {
            established();
            connector.ready(caller.from(), this);
        }
    }

    private void greeted(final byte[] message) {
        caller = connector.introductions().read(message);
        if (caller == null) {
            end("it does not speak this protocol");
            return;
        }
        hello = message;
        final Verdict verdict = connector.introductions().judge(caller);
        challenge = connector.introductions().answer(verdict, caller).encode();
        if (verdict != Verdict.WELCOME) {
            connector.strangers().refused(this, verdict);
            sendAndClose(challenge);
            return;
        }
        trust();
        send(challenge);
        expect(CALL_BYTES);
    }

    private void called(final ByteBuffer call) {
        final byte[] proof = new byte[JobSecret.PROOF_BYTES];
        final byte[] offer = new byte[Offer.BYTES];
        call.get(proof).get(offer);
        if (!JobSecret.isSame(connector.secret().proof(CALLER, hello, joined(challenge, offer)), proof)) {
            connector.strangers().refused(this, Verdict.SECRET);
            refuse(Verdict.SECRET);
            return;
        }
        connector.strangers().known(this);
        final Verdict verdict = connector.admit(caller);
        if (verdict != Verdict.WELCOME) {
            refuse(verdict);
            return;
        }
        final byte[] mine;
        try {
            mine = connect(Offer.decode(ByteBuffer.wrap(offer)));
        } catch (final TransportException e) {
            LoggerFactory.getLogger(CalledLink.class)
                    .warn("rc: no connection with rank {}, which calls: {}", caller.from(), e.getMessage());
            refuse(Verdict.DEVICE);
            connector.lost(caller.from(), this, "cannot have another connection: " + e.getMessage());
            return;
        }
        expected = true;
        send(answer(
                Verdict.WELCOME,
                connector.secret().proof(CALLED, hello, joined(joined(challenge, offer), mine)),
                mine));
        expect(Long.BYTES);
    }

    /** Makes this end's queue pair; the transport knows it before the peer may send to it. */
    private byte[] connect(final Offer theirs) {
        final RcConnection connection = connector.newConnection(epoch());
        try {
            connection.connect(theirs);
        } catch (final TransportException e) {
            connection.close();
            throw e;
        }
        connector.expected(caller.from(), this, connection);
        return connection.offer().encode();
    }

    static byte[] joined(final byte[] first, final byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    private static byte[] answer(final Verdict verdict, final byte[] proof, final byte[] offer) {
        return ByteBuffer.allocate(ANSWER_BYTES)
                .putShort((short) verdict.ordinal())
                .put(proof)
                .put(offer)
                .array();
    }

    private void refuse(final Verdict verdict) {
        sendAndClose(answer(verdict, new byte[JobSecret.PROOF_BYTES], new byte[Offer.BYTES]));
    }

    @Override
    void ended(final String why) {
        if (expected) {
            connector.lost(caller.from(), this, why);
        } else if (hello == null && isLost()) {
            connector.strangers().hungUp(this, why);
        } else {
            connector.strangers().failed(this, why, hello == null);
        }
    }
}
