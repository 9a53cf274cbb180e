package org.parley.transport.tcp;

import io.netty.channel.ChannelHandlerContext;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.JobSecret;

/** The end that calls. Connections that are a reserve wait with their greeting for {@link #begin}. */
final class CallerHandshake extends Handshake {
    private final Connector connector;
    private final Call call;
    private final SocketAddress address;
    private ChannelHandlerContext context;
    private byte[] hello;
    private byte[] challenge;
    private Greeting called;

    CallerHandshake(final Connector connector, final Call call, final SocketAddress address) {
        super(connector.identity());
        this.connector = connector;
        this.call = call;
        this.address = address;
    }

    @Override
    long patienceNanos() {
        return call.hasOtherWays() ? DEADLINE_NANOS : WORD_NANOS;
    }

    @Override
    void began(final ChannelHandlerContext ctx) {
        context = ctx;
        call.connected(this);
    }

    /** Greets. */
    void begin() {
        hello = connector.introductions().hello(call.rank()).encode();
        send(context, hello);
        expect(context, Greeting.BYTES);
    }

    /** Gives the connection up. */
    void abandon() {
        fail(context, "it was not needed");
    }

    @Override
    void arrived(final ChannelHandlerContext ctx, final byte[] bytes) {
        if (challenge == null) {
            challenged(ctx, bytes);
        } else {
            answered(ctx, ByteBuffer.wrap(bytes));
        }
    }

    private void challenged(final ChannelHandlerContext ctx, final byte[] bytes) {
        final Greeting greeting = connector.introductions().read(bytes);
        final String objection = connector.introductions().objection(greeting);
        if (objection != null) {
            refuse(ctx, objection);
        } else {
            challenge = bytes;
            called = greeting;
            commit(ctx, connector.timeoutNanos());
            hello = join(hello, ownFingerprint());
            send(ctx, join(ownFingerprint(), connector.secret().proof(CALLER, hello, challenge)));
            expect(ctx, answerBytes());
        }
    }

    private void answered(final ChannelHandlerContext ctx, final ByteBuffer answer) {
        final Verdict verdict = Verdict.of(answer.getShort());
        final byte[] fingerprint = takeFingerprint(answer);
        final byte[] proof = take(answer, JobSecret.PROOF_BYTES);
        final byte[] expected = connector.secret().proof(CALLED, hello, join(challenge, fingerprint));
        final boolean isAnother = connector.introductions().isAnother(called);
        if (verdict == Verdict.GLARE) {
            call.glare(this);
            fail(ctx, verdict.text());
        } else if (verdict == Verdict.DUPLICATE && call.isAgain() && !isAnother) {
            fail(ctx, "it has another link with this rank already");
        } else if (verdict != Verdict.WELCOME && !isAnother) {
            refuse(ctx, verdict.text());
        } else if (!JobSecret.isSame(expected, proof)) {
            refuse(ctx, "what listens there does not have the job's secret");
        } else if (isAnother) {
            refuse(ctx, "another process has its place: it was started again");
        } else if (encrypts()) {
            encrypt(ctx, connector.sockets(), engine(true, fingerprint), wire -> call.welcomed(wire, called));
        } else {
            release(ctx, connector.sockets(), wire -> call.welcomed(wire, called));
        }
    }

    @Override
    void failed(final ChannelHandlerContext ctx, final String why) {
        call.failed(this, address, why);
    }
}
