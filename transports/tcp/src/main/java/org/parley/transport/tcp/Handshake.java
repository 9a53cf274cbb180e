package org.parley.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.parley.transport.Greeting;
import org.parley.transport.JobSecret;

/**
 * One end of the greeting on a new connection. Reads exactly what is expected, never more: what comes
 * behind is the link's.
 */
abstract class Handshake extends ChannelInboundHandlerAdapter {
    static final String CALLER = "tcp caller";
    static final String CALLED = "tcp called";
    private static final String CLOSED = "it closed the connection";
    private static final byte[] NONE = {};

    /** So long a stranger may be silent. */
    static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** So long who speaks as a rank may take for each word: it shares its cores with many, and has all to load. */
    static final long WORD_NANOS = TimeUnit.SECONDS.toNanos(20);

    // Of TLS (RFC 8446, 5.1 and 5.2): what stands before a record, where its length is, and how long it may be.
    private static final int RECORD_HEADER = 5;
    private static final int RECORD_LENGTH = 3;
    private static final int LARGEST_RECORD = (1 << 14) + 256;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Identity identity;
    private byte[] message;
    private int have;
    private boolean over;
    private boolean refused;
    private boolean isLost;
    private int deadlines;

    private ChannelFuture lastSent;

    /** Once the greeting is over, if both encrypt. */
    private SSLEngine tls;

    /** What is to be done when TLS stands. */
    private Runnable encrypted;

    private byte[] recordHeader;

    /** @param identity of this rank, or null: it does not encrypt */
    Handshake(final Identity identity) {
        this.identity = identity;
    }

    @Override
    public final void handlerAdded(final ChannelHandlerContext ctx) {
        // Before the first read: a channel asks for its allocator once.
        ctx.channel().config().setOption(ChannelOption.RECVBUF_ALLOCATOR, new Exact());
    }

    @Override
    public final void channelActive(final ChannelHandlerContext ctx) {
        deadline(ctx, patienceNanos());
        began(ctx);
    }

    /** Sets how long the next word may take, in place of the deadline before. */
    private void deadline(final ChannelHandlerContext ctx, final long nanos) {
        final int number = ++deadlines;
        ctx.executor()
                .schedule(
                        () -> {
                            if (!over && number == deadlines) {
                                end(ctx, "it did not answer within " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s");
                            }
                        },
                        nanos,
                        TimeUnit.NANOSECONDS);
    }

    /**
     * From here on the other end may take the connection for the pair's, so it is not given up soon, however busy the
     * machines are.
     */
    final void commit(final ChannelHandlerContext ctx, final long nanos) {
        deadline(ctx, nanos);
    }

    /** The other end has said what a rank says. */
    final void trust(final ChannelHandlerContext ctx) {
        deadline(ctx, WORD_NANOS);
    }

    /** Waits for the next message. */
    final void expect(final ChannelHandlerContext ctx, final int bytes) {
        message = new byte[bytes];
        have = 0;
        read(ctx);
    }

    private void read(final ChannelHandlerContext ctx) {
        ctx.read();
    }

    /** Gives each read a buffer of exactly what is missing. */
    private final class Exact extends DefaultMaxMessagesRecvByteBufAllocator {
        @Override
        public MaxMessageHandle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public int guess() {
                    return message == null ? 1 : message.length - have;
                }
            };
        }
    }

    @Override
    public final void channelRead(final ChannelHandlerContext ctx, final Object data) {
        final ByteBuf bytes = (ByteBuf) data;
        try {
            final int length = bytes.readableBytes();
            if (over || message == null || length > message.length - have) {
                end(ctx, "it said more than was asked");
                return;
            }
            bytes.readBytes(message, have, length);
            have += length;
        } finally {
            bytes.release();
        }
        if (have < message.length) {
            read(ctx);
        } else if (tls == null) {
            arrived(ctx, message);
        } else {
            arrivedOfTls(ctx, message);
        }
    }

    final void send(final ChannelHandlerContext ctx, final byte[] bytes) {
        lastSent = ctx.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }

    /** Sends a last word. */
    final void sendAndClose(final ChannelHandlerContext ctx, final byte[] bytes) {
        over = true;
        ctx.writeAndFlush(Unpooled.wrappedBuffer(bytes)).addListener(ChannelFutureListener.CLOSE);
    }

    /** The greeting is over: takes the connection from the loop, then gives it away. */
    final void release(final ChannelHandlerContext ctx, final Sockets sockets, final Consumer<Wire> then) {
        over = true;
        lastSent.addListener(sent -> ctx.channel().deregister().addListener(done -> {
            if (ctx.channel().isOpen()) {
                then.accept(sockets.wire(ctx.channel()));
            } else {
                // The loop was faster to see the end; the descriptor may be another connection's by now.
                failed(ctx, CLOSED);
            }
        }));
    }

    // --- TLS, record by record -------------------------------------------------------------------------

    /** The greeting is over, TLS begins; gives the connection away if the peer is who has proven itself. */
    final void encrypt(
            final ChannelHandlerContext ctx, final Sockets sockets, final SSLEngine engine, final Consumer<Wire> then) {
        tls = engine;
        encrypted = () -> release(ctx, sockets, wire -> then.accept(new TlsWire(wire, engine)));
        try {
            engine.beginHandshake();
            proceed(ctx);
        } catch (final SSLException e) {
            tlsFailed(ctx, e.getMessage());
        }
    }

    private void proceed(final ChannelHandlerContext ctx) throws SSLException {
        while (!over) {
            switch (tls.getHandshakeStatus()) {
                case NEED_TASK -> tls.getDelegatedTask().run();
                case NEED_WRAP -> sendRecord(ctx);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    offerNoTickets();
                    expect(ctx, RECORD_HEADER);
                    return;
                }
                default -> encrypted.run();
            }
        }
    }

    /**
     * A session is never resumed, so the called end says nothing behind the handshake. Tickets that came to a caller which had sent
     * all and closed would be answered by a reset, at which what it sent is lost.
     */
    private void offerNoTickets() {
        final SSLSession session = tls.getHandshakeSession();
        if (!tls.getUseClientMode() && session != null) {
            session.invalidate();
        }
    }

    private void sendRecord(final ChannelHandlerContext ctx) throws SSLException {
        final ByteBuffer record = ByteBuffer.allocate(tls.getSession().getPacketBufferSize());
        tls.wrap(NOTHING, record);
        send(ctx, Arrays.copyOf(record.array(), record.position()));
    }

    private void arrivedOfTls(final ChannelHandlerContext ctx, final byte[] bytes) {
        if (recordHeader == null) {
            final int length = ByteBuffer.wrap(bytes).getShort(RECORD_LENGTH) & 0xffff;
            if (length == 0 || length > LARGEST_RECORD) {
                tlsFailed(ctx, "the other end says something else");
                return;
            }
            recordHeader = bytes;
            expect(ctx, length);
            return;
        }
        final byte[] record = join(recordHeader, bytes);
        recordHeader = null;
        try {
            tls.unwrap(ByteBuffer.wrap(record), NOTHING);
            proceed(ctx);
        } catch (final SSLException e) {
            sayWhy(ctx);
            tlsFailed(ctx, e.getMessage());
        }
    }

    /** Tells the peer what is wrong with it. */
    private void sayWhy(final ChannelHandlerContext ctx) {
        try {
            while (tls.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                sendRecord(ctx);
            }
        } catch (final SSLException e) {
            // Then it learns by the end of the connection.
            return;
        }
    }

    private void tlsFailed(final ChannelHandlerContext ctx, final String why) {
        refuse(ctx, "TLS failed: " + why);
    }

    // --- what proofs are about: greetings, and the certificates of those who encrypt --------------------

    final boolean encrypts() {
        return identity != null;
    }

    final SSLEngine engine(final boolean isCaller, final byte[] fingerprint) {
        return identity.engine(isCaller, fingerprint);
    }

    final byte[] ownFingerprint() {
        return identity == null ? NONE : identity.fingerprint();
    }

    final int proofBytes() {
        return ownFingerprint().length + JobSecret.PROOF_BYTES;
    }

    final int answerBytes() {
        return Short.BYTES + proofBytes();
    }

    final byte[] takeFingerprint(final ByteBuffer from) {
        return take(from, ownFingerprint().length);
    }

    static byte[] take(final ByteBuffer from, final int length) {
        final byte[] bytes = new byte[length];
        from.get(bytes);
        return bytes;
    }

    static byte[] join(final byte[] one, final byte[] other) {
        return ByteBuffer.allocate(one.length + other.length)
                .put(one)
                .put(other)
                .array();
    }

    /** Whether the greeting has ended, in whichever way. */
    final boolean isOver() {
        return over;
    }

    private void end(final ChannelHandlerContext ctx, final String why) {
        final boolean isNew = !over;
        over = true;
        ctx.close();
        if (isNew) {
            failed(ctx, why);
        }
    }

    /** Gives it up, because another time would be as this one. */
    final void refuse(final ChannelHandlerContext ctx, final String why) {
        refused = true;
        end(ctx, why);
    }

    /** Whether the answer will be the same next time. */
    final boolean isRefused() {
        return refused;
    }

    final void fail(final ChannelHandlerContext ctx, final String why) {
        end(ctx, why);
    }

    /** The other end has closed. Behind the greeting that is the link's matter, with all that came before. */
    @Override
    public final void userEventTriggered(final ChannelHandlerContext ctx, final Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE && !over) {
            lost(ctx, CLOSED);
        }
    }

    @Override
    public final void channelInactive(final ChannelHandlerContext ctx) {
        lost(ctx, CLOSED);
    }

    @Override
    public final void exceptionCaught(final ChannelHandlerContext ctx, final Throwable cause) {
        lost(ctx, String.valueOf(cause.getMessage()));
    }

    private void lost(final ChannelHandlerContext ctx, final String why) {
        isLost |= !over;
        end(ctx, why);
    }

    /** Whether the connection ended by itself, not by what the other end said or did not say. */
    final boolean isLost() {
        return isLost;
    }

    /** @param proof of the length that is due, or empty: zeros */
    final byte[] answer(final Greeting.Verdict verdict, final byte[] proof) {
        return ByteBuffer.allocate(answerBytes())
                .putShort((short) verdict.ordinal())
                .put(proof)
                .array();
    }

    /** Returns how long the other end's first word may take. */
    abstract long patienceNanos();

    /** The connection is there. */
    abstract void began(ChannelHandlerContext ctx);

    /** A message is complete. */
    abstract void arrived(ChannelHandlerContext ctx, byte[] bytes);

    /** Ended before its time, once. */
    abstract void failed(ChannelHandlerContext ctx, String why);
}
