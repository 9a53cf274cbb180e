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
 * comes of it in a queue. There is one connection per pair, and one after another where they break. Where both call at once, the lower
 * rank's call stands.
 *
 * <p>Threads: {@link #listen}, {@link #call}, {@link #callAgain}, {@link #suspend}, {@link #finish}, {@link #news} and {@link #close} are
 * the transport's, all else is the control thread's.
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
        /** The control link has ended, or there was to be one: there may be another. */
        LOST,
        /** There will be none. */
        FAILED
    }

    /**
     * What happened.
     *
     * @param epoch number of the link that it happened to
     * @param connection of an expected one
     * @param why of all but expected and ready ones
     */
    record News(Happening happening, int rank, int epoch, RcConnection connection, String why) {}

    private final TransportContext context;
    private final Adapter adapter;
    private final Dimensions dimensions;
    private final DataPath dataPath;
    private final ControlThread thread;
    private final Introductions introductions;
    private final long timeoutNanos;
    private final Map<Integer, RcCall> calls = new HashMap<>();

    /** The control link beside each pair's queue pair. */
    private final Map<Integer, ControlLink> standing = new HashMap<>();

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
                final RcCall call = new RcCall(this, rank, addresses, 0, timeoutNanos, false);
                calls.put(rank, call);
                call.tick(System.nanoTime());
            }
        });
    }

    /**
     * Calls a rank again, unless it has called meanwhile.
     *
     * @param epoch number of the link that has broken
     * @param addresses where the rank listens; none: its own call is awaited
     * @param pause how long to wait before
     * @param nanos for how long in all
     */
    void callAgain(
            final int rank,
            final int epoch,
            final List<InetSocketAddress> addresses,
            final long pause,
            final long nanos) {
        thread.execute(() -> {
            final RcCall before = calls.get(rank);
            if (introductions.epoch(rank) <= epoch && (before == null || before.isOver())) {
                final RcCall call = new RcCall(this, rank, addresses, pause, nanos, true);
                calls.put(rank, call);
                call.tick(System.nanoTime());
            }
        });
    }

    /** A queue pair is of no use any more: its peer, which may never see it, is told by the end of the control link. */
    void suspend(final int rank, final int epoch) {
        thread.execute(() -> {
            final ControlLink link = standing.get(rank);
            if (link != null && link.epoch() <= epoch) {
                link.close();
                standing.remove(rank);
            }
        });
    }

    /** There will be no link with a rank any more. */
    void finish(final int rank) {
        thread.execute(() -> {
            introductions.finish(rank);
            final RcCall call = calls.get(rank);
            if (call != null) {
                call.abandon();
            }
            final ControlLink link = standing.remove(rank);
            if (link != null) {
                link.close();
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

    /** Makes a queue pair; what takes the place of another one looks at the port first, which may have been away. */
    RcConnection newConnection(final int epoch) {
        if (epoch > 1) {
            adapter.look();
        }
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
        if (hello.epoch() > 1) {
            try {
                adapter.look();
            } catch (final TransportException e) {
                // The rank's call, and perhaps one of this rank, goes on until the port is back.
                return Verdict.DEVICE;
            }
        }
        final RcCall mine = calls.get(hello.from());
        final Verdict verdict = introductions.admit(hello, mine != null && mine.stands());
        if (mine != null && verdict == Verdict.WELCOME) {
            mine.abandon();
        }
        return verdict;
    }

    /** The peer may send, by the connection beside this control link; the one before it has ended. */
    void expected(final int rank, final ControlLink link, final RcConnection connection) {
        final ControlLink before = standing.put(rank, link);
        if (before != null) {
            before.close();
        }
        news.tell(new News(Happening.EXPECTED, rank, link.epoch(), connection, null));
    }

    void ready(final int rank, final ControlLink link) {
        news.tell(new News(Happening.READY, rank, link.epoch(), null, null));
    }

    /** A control link that was a pair's has ended. */
    void lost(final int rank, final ControlLink link, final String why) {
        standing.remove(rank, link);
        news.tell(new News(Happening.LOST, rank, link.epoch(), null, why));
    }

    /** There will be no link with a rank any more. */
    void failed(final int rank, final String why) {
        introductions.finish(rank);
        news.tell(new News(Happening.FAILED, rank, 0, null, why));
    }
}
