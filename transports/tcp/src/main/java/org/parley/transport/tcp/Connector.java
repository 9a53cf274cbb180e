package org.parley.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.Interfaces;
import org.parley.transport.Introductions;
import org.parley.transport.JobSecret;
import org.parley.transport.NewsQueue;
import org.parley.transport.Strangers;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;

/**
 * Makes connections: listens, calls, greets, on the control thread, and puts what comes of it in a
 * queue. There is one connection per pair. Where both call at once, the lower rank's stands: it refuses
 * the other's call ({@link Verdict#GLARE}) for as long as its own may succeed.
 *
 * <p>Threads: {@link #listen}, {@link #call}, {@link #news} and {@link #close} are the transport's, all
 * else is the control thread's.
 */
final class Connector {
    /** The first bytes of a greeting: "PARLEYTC". */
    static final long MAGIC = 0x5041_524c_4559_5443L;

    /**
     * A connection, or why there is none.
     *
     * @param epoch number of the link; 0: there will be none any more
     */
    record News(int rank, int epoch, Wire wire, String failure) {}

    private final TransportContext context;
    private final Sockets sockets;
    private final Identity identity;
    private final long timeoutNanos;
    private final Introductions introductions;
    private final Strangers<Channel> strangers = new Strangers<>(
            "tcp",
            stranger ->
                    Interfaces.nameOf(stranger.remoteAddress()) + " at " + Interfaces.nameOf(stranger.localAddress()),
            Channel::close);
    private final List<Channel> listening = new ArrayList<>();
    private final Map<Integer, Call> calls = new HashMap<>();
    private final NewsQueue<News> news = new NewsQueue<>();

    /** @param identity what this rank encrypts with, or null */
    Connector(final TransportContext context, final Sockets sockets, final Identity identity, final long timeoutNanos) {
        this.context = context;
        this.sockets = sockets;
        this.identity = identity;
        this.timeoutNanos = timeoutNanos;
        this.introductions = new Introductions(MAGIC, context, identity != null);
    }

    /**
     * Listens.
     *
     * @param addresses where
     * @param port which, or 0: any
     * @return the sockets
     */
    List<InetSocketAddress> listen(final List<InetAddress> addresses, final int port) {
        final List<InetSocketAddress> bound = new ArrayList<>();
        for (final InetAddress address : addresses) {
            final InetSocketAddress wanted = new InetSocketAddress(address, port);
            final var future = sockets.server(Math.max(128, context.size()), new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(final Channel channel) {
                            channel.pipeline().addLast(new CalledHandshake(Connector.this));
                        }
                    })
                    .bind(wanted)
                    .awaitUninterruptibly();
            if (!future.isSuccess()) {
                throw new TransportException(
                        "tcp",
                        "rank " + context.rank() + " cannot listen on "
                                + Interfaces.nameOf(wanted) + ": "
                                + future.cause().getMessage() + "; choose other interfaces by --set tcp.interfaces=",
                        future.cause());
            }
            listening.add(future.channel());
            bound.add((InetSocketAddress) future.channel().localAddress());
        }
        return bound;
    }

    /** Calls a rank, unless it has called already. */
    void call(final int rank, final List<InetSocketAddress> addresses) {
        sockets.group().execute(() -> {
            if (introductions.epoch(rank) == 0 && !calls.containsKey(rank)) {
                final Call call = new Call(this, rank, addresses, timeoutNanos, false);
                calls.put(rank, call);
                call.start();
            }
        });
    }

    /**
     * Calls a rank again, unless it has called meanwhile.
     *
     * @param epoch number of the link that has broken
     * @param addresses where the rank listens; none: its own call is awaited
     * @param nanos for how long
     */
    void callAgain(final int rank, final int epoch, final List<InetSocketAddress> addresses, final long nanos) {
        sockets.group().execute(() -> {
            final Call before = calls.get(rank);
            if (introductions.epoch(rank) <= epoch && (before == null || before.isOver())) {
                final Call call = new Call(this, rank, addresses, nanos, true);
                calls.put(rank, call);
                call.start();
            }
        });
    }

    /** There will be no link with a rank any more. */
    void finish(final int rank) {
        sockets.group().execute(() -> {
            introductions.finish(rank);
            final Call call = calls.get(rank);
            if (call != null) {
                call.abandon();
            }
        });
    }

    /** Returns the next thing that happened, or null. */
    News news() {
        return news.next();
    }

    void close() {
        sockets.group().execute(() -> {
            listening.forEach(Channel::close);
            calls.values().forEach(Call::abandon);
        });
    }

    // --- the control thread's ----------------------------------------------------------------------

    Sockets sockets() {
        return sockets;
    }

    /** Returns how long a connection to a rank may take. */
    long timeoutNanos() {
        return timeoutNanos;
    }

    Identity identity() {
        return identity;
    }

    Strangers<Channel> strangers() {
        return strangers;
    }

    Introductions introductions() {
        return introductions;
    }

    JobSecret secret() {
        return context.secret();
    }

    /** Decides whether the connection of a rank that has proven itself is the pair's. */
    Verdict admit(final Greeting hello) {
        final Call mine = calls.get(hello.from());
        final Verdict verdict = introductions.admit(hello, mine != null && mine.stands());
        if (mine != null && verdict == Verdict.GLARE) {
            mine.awaitOther();
        } else if (mine != null && verdict == Verdict.WELCOME) {
            mine.abandon();
        }
        return verdict;
    }

    void established(final Greeting peer, final Wire wire) {
        news.tell(new News(peer.from(), peer.epoch(), wire, null));
    }

    /** A connection was the pair's, and broke before it was given away. */
    void lost(final Greeting peer, final String why) {
        news.tell(new News(peer.from(), peer.epoch(), null, why));
    }

    /** There will be no link with a rank any more. */
    void failed(final int rank, final String why) {
        introductions.finish(rank);
        news.tell(new News(rank, 0, null, why));
    }
}
