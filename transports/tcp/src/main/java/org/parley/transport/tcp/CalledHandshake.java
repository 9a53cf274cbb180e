package org.parley.transport.tcp;

import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.JobSecret;

/** The end that was called: believes nothing before the caller's proof. */
final class CalledHandshake extends Handshake {
    private final Connector connector;
    private byte[] hello;
    private byte[] challenge;
    private Greeting caller;

    /** Whether the caller has proven itself, and was told that this is the pair's connection. */
    private boolean admitted;

    CalledHandshake(final Connector connector) {
        super(connector.identity());
        this.connector = connector;
    }

    @Override
    long patienceNanos() {
        return DEADLINE_NANOS;
    }

    @Override
    void began(final ChannelHandlerContext ctx) {
        connector.strangers().arrived(ctx.channel());
        expect(ctx, Greeting.BYTES);
    }

    @Override
    void arrived(final ChannelHandlerContext ctx, final byte[] bytes) {
        if (hello == null) {
            greeted(ctx, bytes);
        } else {
            proven(ctx, ByteBuffer.wrap(bytes));
        }
    }

    private void greeted(final ChannelHandlerContext ctx, final byte[] bytes) {
        caller = connector.introductions().read(bytes);
        if (caller == null) {
            fail(ctx, "it does not speak this protocol");
            return;
        }
        hello = bytes;
        final Verdict verdict = connector.introductions().judge(caller);
        challenge = connector.introductions().answer(verdict, caller).encode();
        if (verdict != Verdict.WELCOME) {
            refused(ctx, verdict, challenge);
            return;
        }
        trust(ctx);
        send(ctx, challenge);
        expect(ctx, proofBytes());
    }

    private void proven(final ChannelHandlerContext ctx, final ByteBuffer message) {
        final JobSecret secret = connector.secret();
        final byte[] fingerprint = takeFingerprint(message);
        final byte[] proof = take(message, JobSecret.PROOF_BYTES);
        hello = join(hello, fingerprint);
        if (!JobSecret.isSame(secret.proof(CALLER, hello, challenge), proof)) {
            refused(ctx, Verdict.SECRET, answer(Verdict.SECRET, new byte[0]));
            return;
        }
        connector.strangers().known(ctx.channel());
        final Verdict verdict = connector.admit(caller);
        final byte[] answer =
                answer(verdict, join(ownFingerprint(), secret.proof(CALLED, hello, join(challenge, ownFingerprint()))));
        if (verdict != Verdict.WELCOME) {
            sendAndClose(ctx, answer);
            return;
        }
        admitted = true;
        commit(ctx, connector.timeoutNanos());
        send(ctx, answer);
        if (encrypts()) {
            encrypt(ctx, connector.sockets(), engine(false, fingerprint), wire -> connector.established(caller, wire));
        } else {
            release(ctx, connector.sockets(), wire -> connector.established(caller, wire));
        }
    }

    private void refused(final ChannelHandlerContext ctx, final Verdict verdict, final byte[] lastWord) {
        connector.strangers().refused(ctx.channel(), verdict);
        sendAndClose(ctx, lastWord);
    }

    @Override
    void failed(final ChannelHandlerContext ctx, final String why) {
        if (admitted) {
            final String text = "called, but was lost: " + why + " (" + Sockets.nameOf(ctx.channel()) + ")";
            if (isRefused()) {
                connector.failed(caller.from(), text);
            } else {
                connector.lost(caller, text);
            }
        } else if (hello == null && isLost()) {
            connector.strangers().hungUp(ctx.channel(), why);
        } else {
            connector.strangers().failed(ctx.channel(), why, hello == null);
        }
    }
}
