package org.parley.transport.tcp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.Int2ObjectHashMap;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Counter;
import org.parley.transport.Drill;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.Interfaces;
import org.parley.transport.Option;
import org.parley.transport.Outage;
import org.parley.transport.RankAddress;
import org.parley.transport.RetainingEndpoint;
import org.parley.transport.Strangers;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;

/**
 * TCP: one connection per pair of ranks, made when the first frame wants to go, by {@link Connector} on
 * a thread of Netty's. From then on it is read and written by whoever holds the progress word, without
 * a hop between threads. Frames are kept until the peer's software acknowledges them, by {@link
 * RetainingEndpoint}.
 */
public final class TcpTransport implements Transport {
    private static final String PORT = "tcp.port";
    private static final String WINDOW = "tcp.window";
    private static final String EAGER_LIMIT = "tcp.eager.limit";
    private static final String TIMEOUT = "tcp.timeout";
    private static final String CONNECT_TIMEOUT = "tcp.connect.timeout";
    private static final String NATIVE = "tcp.native";
    private static final String TLS = "tcp.tls";

    /** What the runtime puts before a payload, at most, with room to spare. */
    private static final int ENVELOPE = 64;

    private static final int SMALLEST_WINDOW = 256 * 1024;
    private static final int LARGEST_WINDOW = 1 << 30;
    private static final int LARGEST_PORT = 65_535;
    private static final int LARGEST_EAGER = 1 << 20;

    /** A frame of a Java array fills one write. */
    private static final int FRAGMENT = 60 * 1024 - RetainingEndpoint.HEADER - ENVELOPE;

    private static final int GATHER_FRAGMENT = 1 << 20;
    private static final int STAGING = 32 * 1024;

    /** Up to so many links it costs less to read each than to ask which can be read. */
    private static final int FEW = 2;

    /** However long a peer has been silent, it is called once more. */
    private static final long LAST_TRY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private TransportContext context;
    private FrameHandler handler;
    private Capabilities capabilities;
    private int window;
    private long timeoutNanos;
    private long reconnectNanos;

    /** Where links are broken to rehearse it; else null. */
    private Drill drill;

    private List<Interfaces.Local> interfaces;
    private Sockets sockets;
    private Connector connector;
    private byte[] address;
    private final Int2ObjectHashMap<TcpEndpoint> endpoints = new Int2ObjectHashMap<>();

    /** Those of {@link #endpoints} that have a connection. */
    private TcpEndpoint[] links = new TcpEndpoint[0];

    /** All of them, for other threads. */
    private volatile TcpEndpoint[] counted = new TcpEndpoint[0];

    /** Where links are many; else null. */
    private Readiness readiness;

    private long handshakes;
    private long failedHandshakes;

    /** For the service loader. */
    public TcpTransport() {}

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public List<Option> options() {
        return List.of(
                new Option(
                        Interfaces.OPTION,
                        Option.Kind.TEXT,
                        "",
                        "Where ranks listen: names (eth0) or networks (10.1.0.0/16) of interfaces, or ^ and those not"
                                + " to use; empty: all that are up but bridges of containers and virtual machines."),
                new Option(
                                PORT,
                                Option.Kind.NUMBER,
                                "0",
                                "The port that rank 0 listens on, rank 1 on the next and so on, where a firewall wants that;"
                                        + " 0: any.")
                        .within("", "65535"),
                new Option(
                                WINDOW,
                                Option.Kind.SIZE,
                                "1m",
                                "Bytes per peer that are kept until the peer has acknowledged them.")
                        .within("256k", "1g"),
                new Option(
                        EAGER_LIMIT,
                        Option.Kind.SIZE,
                        "64k",
                        "Messages up to this size are sent at once; longer ones when the receiver is ready."),
                new Option(
                        CONNECT_TIMEOUT,
                        Option.Kind.TIME,
                        "30s",
                        "How long a connection to a rank is tried, over all addresses of its host."),
                new Option(
                        TIMEOUT,
                        Option.Kind.TIME,
                        "30s",
                        "After how long without an answer of the peer's machine a connection is taken for lost."),
                Outage.TIMEOUT,
                Drill.INTERVAL,
                new Option(
                        TLS,
                        Option.Kind.FLAG,
                        "false",
                        "Encrypt what ranks say to each other over TCP, by TLS 1.3 with keys of the job's own; slower."),
                new Option(
                        NATIVE,
                        Option.Kind.FLAG,
                        "true",
                        "Use Netty's native library (epoll) where it loads; false: the JDK's channels, slower."));
    }

    @Override
    public Availability probe(final TransportContext where) {
        return where.size() == 1 ? Availability.no("there is no other rank") : Availability.YES;
    }

    @Override
    public void open(final TransportContext where, final FrameHandler frames) {
        context = where;
        handler = frames;
        window = (int) Long.highestOneBit(
                Math.max(SMALLEST_WINDOW, Math.min(where.options().number(WINDOW), LARGEST_WINDOW)));
        final int eager = (int) Math.min(where.options().number(EAGER_LIMIT), Math.min(window / 8, LARGEST_EAGER));
        capabilities = new Capabilities(
                Math.max(eager, FRAGMENT) + ENVELOPE,
                eager,
                false,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                FRAGMENT,
                GATHER_FRAGMENT);
        timeoutNanos = where.options().number(TIMEOUT);
        reconnectNanos = where.options().number(Outage.TIMEOUT.key());
        drill = Drill.of(where);
        interfaces = Interfaces.ofThisMachine();
        final var listenOn = Interfaces.choose(
                interfaces, where.options().text(Interfaces.OPTION), where.localSize() == where.size());
        final Identity identity = where.options().flag(TLS) ? Identity.create(where.rank()) : null;
        sockets = new Sockets(where.options().flag(NATIVE), where.rank(), timeoutNanos);
        connector = new Connector(where, sockets, identity, where.options().number(CONNECT_TIMEOUT));
        try {
            address = RankAddress.of(
                            where,
                            connector.listen(listenOn, port(where.options().number(PORT), where.rank())))
                    .encode();
        } catch (final TransportException e) {
            close();
            throw e;
        }
    }

    /** Returns where a rank listens, if ranks do from a port on; 0: anywhere. */
    static int port(final long first, final int rank) {
        final long port = first == 0 ? 0 : first + rank;
        if (port > LARGEST_PORT) {
            throw new TransportException(PORT + "=" + first + ": rank " + rank + " would listen on port " + port
                    + ", and " + LARGEST_PORT + " is the last");
        }
        return (int) port;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public byte[] address() {
        return address.clone();
    }

    @Override
    public Availability reaches(final byte[] peerAddress) {
        try {
            decode(peerAddress);
            return Availability.YES;
        } catch (final TransportException e) {
            return Availability.no(e.reason());
        }
    }

    private RankAddress decode(final byte[] peerAddress) {
        return RankAddress.decode("tcp", ByteBuffer.wrap(peerAddress), 0).checked("tcp", context);
    }

    @Override
    public Endpoint connect(final int peer, final byte[] peerAddress) {
        final RankAddress theirs = decode(peerAddress);
        final TcpEndpoint endpoint = endpoint(theirs.rank());
        endpoint.peer(peer);
        endpoint.addresses(socketsOf(theirs));
        if (endpoint.wire() == null) {
            connector.call(theirs.rank(), endpoint.addresses());
        }
        return endpoint;
    }

    private TcpEndpoint endpoint(final int rank) {
        TcpEndpoint endpoint = endpoints.get(rank);
        if (endpoint == null) {
            endpoint = new TcpEndpoint(rank, reconnectNanos > 0, window, STAGING, capabilities.maxFrame(), handler);
            endpoints.put(rank, endpoint);
            counted = endpoints.values().toArray(new TcpEndpoint[0]);
        }
        return endpoint;
    }

    @Override
    public int poll(final int limit) {
        int work = takeNews(true);
        boolean owes = false;
        boolean off = false;
        if (readiness != null) {
            readiness.look();
        }
        for (final TcpEndpoint link : links) {
            if (link.isWorthAPoll()) {
                work += link.poll(limit);
            }
            owes |= link.owes();
            off |= link.isOff();
        }
        if (owes && work == 0) {
            acknowledge();
        }
        if (drill != null && drill.isDue()) {
            off |= drill.cut(links);
        }
        if (off) {
            takeOff();
        }
        return work;
    }

    private void acknowledge() {
        final long now = System.nanoTime();
        for (final TcpEndpoint link : links) {
            if (link.owes()) {
                link.acknowledge(now);
            }
        }
    }

    private int takeNews(final boolean tells) {
        int work = 0;
        for (Connector.News news; (news = connector.news()) != null; work++) {
            final TcpEndpoint endpoint = endpoint(news.rank());
            if (endpoint.peer() < 0 && tells) {
                endpoint.peer(handler.onPeer(news.rank()));
            }
            if (endpoint.addresses() == null) {
                endpoint.addresses(tells ? askAddresses(news.rank()) : List.of());
            }
            if (news.wire() == null) {
                failedHandshakes++;
                failed(endpoint, news, tells);
            } else if (endpoint.isDown() || news.epoch() <= endpoint.epoch()) {
                news.wire().close(false);
            } else {
                handshakes++;
                connected(endpoint, news);
            }
        }
        return work;
    }

    private void failed(final TcpEndpoint endpoint, final Connector.News news, final boolean tells) {
        if (!tells) {
            endpoint.drop();
        } else if (news.epoch() == 0 || reconnectNanos == 0) {
            endpoint.unreachable(news.failure());
        } else if (news.epoch() > endpoint.epoch()) {
            endpoint.lost(news.epoch(), news.failure());
            if (endpoint.wire() == null) {
                callAgain(endpoint);
            }
        }
    }

    private void connected(final TcpEndpoint endpoint, final Connector.News news) {
        final boolean isNew = endpoint.wire() == null;
        if (!isNew) {
            unwatch(endpoint);
            endpoint.takeOff();
        }
        endpoint.connected(news.wire(), news.epoch());
        if (isNew) {
            links = Arrays.copyOf(links, links.length + 1);
            links[links.length - 1] = endpoint;
        }
        watch(endpoint);
    }

    private void watch(final TcpEndpoint link) {
        if (readiness != null) {
            readiness.add(link);
        } else if (links.length > FEW && sockets.isEpoll()) {
            readiness = new Readiness();
            for (final TcpEndpoint each : links) {
                readiness.add(each);
            }
        }
    }

    private void unwatch(final TcpEndpoint link) {
        if (readiness != null) {
            readiness.remove(link);
        }
    }

    private void takeOff() {
        final List<TcpEndpoint> up = new ArrayList<>();
        for (final TcpEndpoint link : links) {
            if (!link.isOff()) {
                up.add(link);
                continue;
            }
            unwatch(link);
            link.takeOff();
            if (link.isDown()) {
                connector.finish(link.rank());
            } else {
                callAgain(link);
            }
        }
        links = up.toArray(new TcpEndpoint[0]);
    }

    private void callAgain(final TcpEndpoint link) {
        // Who did not answer for so long has been silent before.
        final long silent =
                isOfSilence(link.outage()) ? timeoutNanos : link.outage().nanos();
        connector.callAgain(
                link.rank(), link.epoch(), link.addresses(), Math.max(LAST_TRY_NANOS, reconnectNanos - silent));
    }

    /** Whether the peer's machine has not answered for as long as the kernel waits. */
    private static boolean isOfSilence(final Outage outage) {
        return outage.cause().contains("timed out");
    }

    /** Finds out where a peer listens that has called. */
    private List<InetSocketAddress> askAddresses(final int rank) {
        final byte[] theirs = handler.addressOf(rank, name());
        return theirs == null ? List.of() : socketsOf(decode(theirs));
    }

    private List<InetSocketAddress> socketsOf(final RankAddress theirs) {
        return Interfaces.nearestFirst(theirs.sockets(), interfaces);
    }

    @Override
    public void drop(final int peer) {
        for (final TcpEndpoint endpoint : endpoints.values()) {
            if (endpoint.peer() == peer) {
                endpoint.drop();
                connector.finish(endpoint.rank());
            }
        }
    }

    @Override
    public boolean mayDeliver(final int peer) {
        for (final TcpEndpoint endpoint : endpoints.values()) {
            if (endpoint.peer() == peer) {
                return endpoint.mayDeliver();
            }
        }
        return false;
    }

    @Override
    public List<Counter> counted() {
        return TcpCounters.ALL;
    }

    @Override
    public Map<String, Long> statistics() {
        final Map<String, Long> all = new TreeMap<>();
        for (final TcpEndpoint endpoint : counted) {
            all.merge("tcp.bytes.sent", endpoint.bytesSent(), Long::sum);
            all.merge("tcp.bytes.received", endpoint.bytesReceived(), Long::sum);
            all.merge("tcp.stalls", endpoint.stalls(), Long::sum);
            all.merge("tcp.duplicates.dropped", endpoint.duplicatesDropped(), Long::sum);
            all.merge("tcp.frames.replayed", endpoint.framesReplayed(), Long::sum);
            all.merge("tcp.reconnects", endpoint.outage().count(), Long::sum);
            all.merge("tcp.stall.longest.ms", endpoint.outage().longestMillis(), Math::max);
            all.merge("tcp.acks.alone", endpoint.acknowledgementsAlone(), Long::sum);
        }
        all.put("tcp.links", (long) links.length);
        if (drill != null) {
            all.put("tcp.drill.cuts", drill.cuts());
            all.put("tcp.drill.interval.us", drill.meanMicros());
        }
        all.put("tcp.handshakes", handshakes);
        all.put("tcp.handshakes.failed", failedHandshakes);
        final Strangers.Counters strangers = connector.strangers().counters();
        all.put("tcp.rejected.noise", strangers.noise());
        all.put("tcp.rejected.version", strangers.versions());
        all.put("tcp.rejected.job", strangers.otherJobs());
        all.put("tcp.rejected.secret", strangers.wrongSecrets());
        all.put("tcp.rejected.crowd", strangers.crowd());
        return all;
    }

    /** What was committed before is given to the kernel first, also where the connection is still being made. */
    @Override
    public void close() {
        if (sockets == null) {
            return;
        }
        endpoints.values().forEach(TcpEndpoint::leave);
        for (final long began = System.nanoTime(); System.nanoTime() - began < CLOSE_NANOS; Thread.onSpinWait()) {
            takeNews(false);
            boolean more = false;
            for (final TcpEndpoint endpoint : endpoints.values()) {
                more |= endpoint.drain();
            }
            takeOff();
            if (!more) {
                break;
            }
        }
        if (readiness != null) {
            readiness.close();
            readiness = null;
        }
        connector.close();
        endpoints.values().forEach(TcpEndpoint::release);
        endpoints.clear();
        links = new TcpEndpoint[0];
        sockets.close();
        sockets = null;
    }
}
