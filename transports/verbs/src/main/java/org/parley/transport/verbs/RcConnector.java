package org.parley.transport.verbs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.Introductions;
import org.parley.transport.JobSecret;
import org.parley.transport.NewsQueue;
import org.parley.transport.Reason;
import org.parley.transport.Strangers;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.DataPath;

/**
 * Makes connections: listens, calls, exchanges what the two queue pairs need to know of each other, on the control thread, and puts what
 * comes of it in a queue. There is one connection per pair. Where both call at once, the lower rank's call stands.
 *
 * <p>Threads: {@link #listen}, {@link #call}, {@link #news} and {@link #close} are the transport's, all else is the control thread's.
 */
final class RcConnector {
    /** The first bytes of a greeting: "PARLEYRC". */
    static final long MAGIC = 0x5041_524c_4559_5243L;

    /** What happened to a connection. */
    enum Happening {
        /** The peer may send: it is here, not used for sending yet. */
        EXPECTED,
        /** The peer receives. */
        READY,
        /** It came to nothing; the peer may try again. */
        WITHDRAWN,
        /** The control link has ended. */
        CLOSED,
        /** There will be none. */
        FAILED
    }

    /** What happened, to whose connection, and why. */
    record News(Happening happening, int rank, RcConnection connection, String why) {}

    private final TransportContext context;
    private final Adapter adapter;
    private final Dimensions dimensions;
    private final DataPath dataPath;
    private final ControlThread thread;
    private final Introductions introductions;
    private final long timeoutNanos;
    private final Map<Integer, RcCall> calls = new HashMap<>();
    private final Strangers<CalledLink> strangers =
            new Strangers<>("rc", CalledLink::peer, stranger -> stranger.end("too many wait"));
    private final NewsQueue<News> news = new NewsQueue<>();

    RcConnector(
            final TransportContext context,
            final Adapter adapter,
            final Dimensions dimensions,
            final long timeoutNanos) {
        this.context = context;
        this.adapter = adapter;
        this.dimensions = dimensions;
        this.timeoutNanos = timeoutNanos;
        this.introductions = new Introductions(MAGIC, context, false);
        this.dataPath = adapter.context().newDataPath();
        this.thread = new ControlThread(
                context.rank(), now -> List.copyOf(calls.values()).forEach(call -> call.tick(now)));
    }

    /** Listens; returns the sockets. */
    List<InetSocketAddress> listen(final List<InetAddress> addresses) {
        final List<InetSocketAddress> bound = new ArrayList<>();
        for (final InetAddress address : addresses) {
            try {
                bound.add(thread.listen(
                        new InetSocketAddress(address, 0),
                        Math.max(128, context.size()),
                        (channel, peer) -> new CalledLink(this, channel, peer)));
            } catch (final IOException e) {
                throw new TransportException(
                        "rc",
                        "rank " + context.rank() + " cannot listen on " + address.getHostAddress() + ": " + Reason.of(e)
                                + "; choose other interfaces by --set tcp.interfaces=",
                        e);
            }
        }
        thread.start();
        return bound;
    }

    /** Calls a rank, unless it has called already. */
    void call(final int rank, final List<InetSocketAddress> addresses) {
        thread.execute(() -> {
            if (introductions.epoch(rank) == 0 && !calls.containsKey(rank)) {
                final RcCall call = new RcCall(this, rank, addresses, timeoutNanos);
                calls.put(rank, call);
                call.tick(System.nanoTime());
            }
        });
    }

    /** Returns the next thing that happened, or null. */
    News news() {
        return news.next();
    }

    /** Ends all control links; connections that nobody has taken end, too. */
    void close() {
        thread.close();
        calls.values().forEach(RcCall::abandon);
        for (News left; (left = news.next()) != null; ) {
            if (left.happening() == Happening.EXPECTED) {
                left.connection().close();
            }
        }
        dataPath.close();
    }

    // --- the control thread's ----------------------------------------------------------------------

    ControlThread thread() {
        return thread;
    }

    JobSecret secret() {
        return context.secret();
    }

    Adapter adapter() {
        return adapter;
    }

    RcConnection newConnection() {
        return new RcConnection(adapter, dimensions, dataPath);
    }

    Introductions introductions() {
        return introductions;
    }

    Strangers<CalledLink> strangers() {
        return strangers;
    }

    /** Decides whether the call of a rank that has proven itself makes the pair's connection. */
    Verdict admit(final Greeting hello) {
        final int rank = hello.from();
        final RcCall mine = calls.get(rank);
        if (introductions.epoch(rank) > 0) {
            return Verdict.DUPLICATE;
        }
        final Verdict verdict = introductions.admit(hello, mine != null && mine.stands());
        if (mine != null && verdict == Verdict.WELCOME) {
            mine.abandon();
        }
        return verdict;
    }

    void tell(final Happening happening, final int rank, final RcConnection connection, final String why) {
        news.tell(new News(happening, rank, connection, why));
    }
}
