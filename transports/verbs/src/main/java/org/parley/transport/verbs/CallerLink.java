package org.parley.transport.verbs;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.JobSecret;
import org.parley.transport.TransportException;

/** The end of a control link that calls. */
final class CallerLink extends ControlLink {
    private final RcConnector connector;
    private final RcCall call;
    private byte[] hello;
    private byte[] challenge;
    private Greeting called;
    private byte[] offer;
    private RcConnection connection;

    CallerLink(final RcConnector connector, final RcCall call, final SocketChannel channel, final String peer) {
        super(channel, peer);
        this.connector = connector;
        this.call = call;
    }

    @Override
    int epoch() {
        return called.epoch();
    }

    @Override
    void connected() {
        call.connected();
        trust();
        hello = connector.introductions().hello(call.rank()).encode();
        expect(Greeting.BYTES);
        send(hello);
    }

    @Override
    void arrived(final byte[] message) {
        try {
            if (challenge == null) {
                challenged(message);
            } else {
                answered(ByteBuffer.wrap(message));
            }
        } catch (final TransportException e) {
            // A port that was there before may come back.
            if (call.isAgain()) {
                end(e.getMessage());
            } else {
                refuse(e.getMessage());
            }
        }
    }

    private void challenged(final byte[] message) {
        called = connector.introductions().read(message);
        final String objection = connector.introductions().objection(called);
        if (objection != null) {
            refuse(objection);
        } else {
            challenge = message;
            connection = connector.newConnection(called.epoch());
            offer = connection.offer().encode();
            final byte[] proof =
                    connector.secret().proof(CalledLink.CALLER, hello, CalledLink.joined(challenge, offer));
            expect(CalledLink.ANSWER_BYTES);
            send(CalledLink.joined(proof, offer));
        }
    }

    private void answered(final ByteBuffer answer) {
        final Verdict verdict = Verdict.of(answer.getShort());
        final byte[] proof = new byte[JobSecret.PROOF_BYTES];
        final byte[] theirs = new byte[Offer.BYTES];
        answer.get(proof).get(theirs);
        final byte[] said = CalledLink.joined(CalledLink.joined(challenge, offer), theirs);
        final boolean isAnother = connector.introductions().isAnother(called);
        if (verdict == Verdict.GLARE) {
            call.glare();
            end(verdict.text());
        } else if (call.isAgain() && !isAnother && (verdict == Verdict.DUPLICATE || verdict == Verdict.DEVICE)) {
            end(verdict == Verdict.DEVICE ? verdict.text() : "it has another link with this rank already");
        } else if (verdict != Verdict.WELCOME && !isAnother) {
            refuse(verdict.text());
        } else if (isAnother) {
            refuse("another process has its place: it was started again");
        } else if (!JobSecret.isSame(connector.secret().proof(CalledLink.CALLED, hello, said), proof)) {
            refuse("what listens there does not have the job's secret");
        } else {
            connection.connect(Offer.decode(ByteBuffer.wrap(theirs)));
            welcomed();
        }
    }

    private void welcomed() {
        if (!connector.introductions().admitOwn(called)) {
            end("a call of the rank itself was faster");
            return;
        }
        final RcConnection made = connection;
        connection = null;
        established();
        call.succeeded();
        connector.expected(call.rank(), this, made);
        connector.ready(call.rank(), this);
        send(ByteBuffer.allocate(Long.BYTES).putLong(RcConnector.MAGIC).array());
    }

    /** The answer will be the same next time. */
    private void refuse(final String why) {
        call.refused();
        end(why);
    }

    /** Gives the call up. */
    void abandon() {
        close();
        release();
    }

    private void release() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    @Override
    void ended(final String why) {
        release();
        if (isEstablished()) {
            connector.lost(call.rank(), this, why);
        } else {
            call.failed(peer(), why);
        }
    }
}
