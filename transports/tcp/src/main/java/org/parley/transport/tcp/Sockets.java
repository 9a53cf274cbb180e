package org.parley.transport.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import jdk.net.ExtendedSocketOptions;
import org.agrona.UnsafeApi;
import org.parley.transport.Interfaces;

/** Netty's channels, over epoll or over the JDK's NIO, and the one thread that has them. */
final class Sockets {
    private static final int VECTOR_BYTES = 64;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final long CLOSE_SECONDS = 2;

    /** How often a peer's machine may leave unanswered whether it is there. */
    private static final int PROBES = 3;

    private final Map<ChannelOption<?>, Integer> lifeSigns;
    private final boolean epoll;
    private final EventLoopGroup group;
    private final long vector;
    private final ByteBuffer buffer;

    /**
     * Starts the thread.
     *
     * @param wantsEpoll whether epoll is to be used where it can be
     * @param rank for the thread's name
     * @param timeoutNanos after how long a peer's machine that answers nothing is taken for gone
     */
    Sockets(final boolean wantsEpoll, final int rank, final long timeoutNanos) {
        lifeSigns = lifeSigns(wantsEpoll && Epoll.isAvailable(), timeoutNanos);
        epoll = wantsEpoll && Epoll.isAvailable();
        group = new MultiThreadIoEventLoopGroup(
                1,
                new DefaultThreadFactory("parley-tcp-" + rank, true),
                epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        vector = epoll ? UnsafeApi.allocateMemory(VECTOR_BYTES) : 0;
        buffer = epoll ? null : ByteBuffer.allocateDirect(BUFFER_BYTES);
    }

    /**
     * Lets the kernel find out that a peer's machine is gone: at once what was sent stays without an answer, and by asking
     * where nothing is sent.
     */
    private static Map<ChannelOption<?>, Integer> lifeSigns(final boolean epoll, final long timeoutNanos) {
        final int millis = (int) Math.min(Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNanos)), Integer.MAX_VALUE);
        final int seconds = Math.max(1, millis / 1000 / (PROBES + 1));
        // The JDK's channels have no limit for what was sent.
        return epoll
                ? Map.of(
                        EpollChannelOption.TCP_USER_TIMEOUT,
                        millis,
                        EpollChannelOption.TCP_KEEPIDLE,
                        seconds,
                        EpollChannelOption.TCP_KEEPINTVL,
                        seconds,
                        EpollChannelOption.TCP_KEEPCNT,
                        PROBES)
                : Map.of(
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE),
                        seconds,
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                        seconds,
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT),
                        PROBES);
    }

    @SuppressWarnings("unchecked")
    private void addLifeSigns(final BiConsumer<ChannelOption<Object>, Object> options) {
        lifeSigns.forEach((option, value) -> options.accept((ChannelOption<Object>) option, value));
    }

    EventLoopGroup group() {
        return group;
    }

    boolean isEpoll() {
        return epoll;
    }

    /**
     * Channels are read only when a handler asks for it: nothing may be taken that is not the handler's. Nor does the loop close
     * one when it sees that the other end has: what that one sent may be the link's.
     */
    ServerBootstrap server(final int backlog, final ChannelHandler handler) {
        final ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .option(ChannelOption.SO_BACKLOG, backlog)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(handler);
        addLifeSigns(bootstrap::childOption);
        return epoll
                ? bootstrap.channel(EpollServerSocketChannel.class)
                : bootstrap.channelFactory(OpenServerChannel::new);
    }

    Bootstrap client(final int timeoutMillis, final ChannelHandler handler) {
        final Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .handler(handler);
        addLifeSigns(bootstrap::option);
        return epoll ? bootstrap.channel(EpollSocketChannel.class) : bootstrap.channelFactory(OpenChannel::new);
    }

    /** Returns a channel's bytes, once no loop has it any more. */
    Wire wire(final Channel channel) {
        return channel instanceof EpollSocketChannel socket
                ? new EpollWire(socket, vector)
                : new NioWire((OpenChannel) channel, buffer);
    }

    static String nameOf(final Channel channel) {
        return Interfaces.nameOf(channel.localAddress()) + " to " + Interfaces.nameOf(channel.remoteAddress());
    }

    static void abort(final Channel channel) {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.close();
    }

    static void close(final Channel channel, final boolean wait) {
        final ChannelFuture closed = channel.close();
        if (wait) {
            closed.awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        }
    }

    void close() {
        group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(2 * CLOSE_SECONDS, TimeUnit.SECONDS);
        if (vector != 0) {
            UnsafeApi.freeMemory(vector);
        }
    }

    /** Netty's channel, which shows the JDK's. */
    static final class OpenChannel extends NioSocketChannel {
        OpenChannel() {}

        OpenChannel(final Channel parent, final SocketChannel socket) {
            super(parent, socket);
        }

        SocketChannel socket() {
            return javaChannel();
        }
    }

    /** Makes such channels. */
    private static final class OpenServerChannel extends NioServerSocketChannel {
        @Override
        protected int doReadMessages(final List<Object> accepted) throws Exception {
            final SocketChannel socket = javaChannel().accept();
            if (socket == null) {
                return 0;
            }
            try {
                accepted.add(new OpenChannel(this, socket));
                return 1;
            } catch (final RuntimeException e) {
                closeQuietly(socket, e);
                return 0;
            }
        }

        private static void closeQuietly(final SocketChannel socket, final RuntimeException why) {
            try {
                socket.close();
            } catch (final IOException e) {
                why.addSuppressed(e);
            }
        }
    }
}
