package org.parley.transport.verbs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
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
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.WorkRequest;
import org.slf4j.LoggerFactory;

/**
 * RDMA over reliable connections: one queue pair per pair of ranks, made when the first frame wants to go, by {@link RcConnector} on a
 * thread of its own. Short messages are sent from the ring that retains them; long ones the receiver reads from the sender's memory,
 * where the device is seen to do that.
 */
public final class RcTransport implements Transport {
    private static final String WINDOW = "rc.window";
    private static final String EAGER_LIMIT = "rc.eager.limit";
    private static final String CONNECT_TIMEOUT = "rc.connect.timeout";
    private static final String CACHE = "rc.cache";

    /** What the runtime puts before a payload, at most, with room to spare. */
    private static final int ENVELOPE = 64;

    private static final int SMALLEST_WINDOW = 256 * 1024;
    private static final int LARGEST_WINDOW = 1 << 30;
    private static final int LARGEST_EAGER = 1 << 20;

    /** A frame of a long message fills a message of the wire. */
    private static final int FRAGMENT = 16 * 1024;

    /** From here on a registration costs less than two copies. */
    private static final int GET_THRESHOLD = 256 * 1024;

    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** What a peer has sent may arrive a moment after its control link has ended. */
    private static final long CLOSING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private TransportContext context;
    private FrameHandler handler;
    private Capabilities capabilities;
    private Dimensions dimensions;
    private int window;
    private List<Interfaces.Local> interfaces;
    private Adapter adapter;
    private DataPath dataPath;
    private Registrations registrations;
    private RcConnector connector;
    private byte[] address;
    private Completions completions;

    /** Each iteration has an iterator of its own: counters are read by other threads. */
    private final Int2ObjectHashMap<RcEndpoint> byRank = new Int2ObjectHashMap<>(8, 0.6f, false);

    private final Int2ObjectHashMap<RcLink> byQueuePair = new Int2ObjectHashMap<>();

    /** Those of {@link #byRank} that have a link. */
    private final List<RcEndpoint> links = new ArrayList<>();

    private long lastArrival;
    private final LongConsumer delivery = this::deliver;
    private final Turns turns = new Turns();
    private Keeper keeper;

    private long reconnectNanos;
    private Drill drill;
    private boolean closes;

    /** Links that there will not be: the handler is told by the next poll. */
    private final ArrayDeque<RcConnector.News> untold = new ArrayDeque<>();

    private long doorbellsBefore;
    private long workRequestsBefore;

    /** For the service loader. */
    public RcTransport() {}

    @Override
    public String name() {
        return "rc";
    }

    @Override
    public List<Option> options() {
        return VerbsOptions.with(
                new Option(
                        WINDOW,
                        Option.Kind.SIZE,
                        "1m",
                        "Bytes per peer that are kept until the peer has acknowledged them; receives take twice as many."),
                new Option(
                        EAGER_LIMIT,
                        Option.Kind.SIZE,
                        "16k",
                        "Messages up to this size are sent at once; longer ones when the receiver is ready."),
                new Option(
                        CACHE,
                        Option.Kind.SIZE,
                        "4g",
                        "Bytes of memory from Parley.allocate that stay registered with the device."),
                new Option(CONNECT_TIMEOUT, Option.Kind.TIME, "30s", "How long a connection to a rank is tried."),
                Outage.TIMEOUT,
                Drill.INTERVAL);
    }

    @Override
    public Availability probe(final TransportContext where) {
        if (where.size() == 1) {
            return Availability.no("there is no other rank");
        }
        if (!Adapter.isWorthLooking(where.options())) {
            return Availability.no(Adapter.NO_DEVICE);
        }
        try {
            read(where);
            // What each peer will need, once: a limit of locked memory is found now, when there are other ways yet.
            try (Adapter trial = Adapter.open(where.options());
                    DataPath path = trial.context().newDataPath()) {
                new RcConnection(trial, dimensionsOf(where, trial), path).close();
                return new Availability(true, trial.text());
            }
        } catch (final TransportException e) {
            LoggerFactory.getLogger(RcTransport.class)
                    .warn("rc: rank {} does without RDMA: {}", where.rank(), e.getMessage());
            return Availability.no(e.getMessage());
        }
    }

    private void read(final TransportContext where) {
        window = (int) Long.highestOneBit(
                Math.max(SMALLEST_WINDOW, Math.min(where.options().number(WINDOW), LARGEST_WINDOW)));
    }

    private Dimensions dimensionsOf(final TransportContext where, final Adapter on) {
        return Dimensions.of(
                window, VerbsOptions.depth(where.options()), on.limits().maxWorkRequests());
    }

    @Override
    public void open(final TransportContext where, final FrameHandler frames) {
        context = where;
        handler = frames;
        read(where);
        adapter = Adapter.open(where.options());
        try {
            dimensions = dimensionsOf(where, adapter);
            dataPath = adapter.context().newDataPath();
            completions = new Completions(dataPath, adapter.name(), VerbsOptions.skips(where.options(), adapter));
            registrations = new Registrations(
                    adapter.context(),
                    where.folder(),
                    adapter.limits().maxRegion(),
                    where.options().number(CACHE));
            final int eager = (int) Math.min(where.options().number(EAGER_LIMIT), Math.min(window / 8, LARGEST_EAGER));
            capabilities = new Capabilities(
                    Math.max(eager, FRAGMENT) + ENVELOPE,
                    eager,
                    adapter.limits().maxReads() > 0,
                    Math.max(GET_THRESHOLD, eager + 1),
                    eager + 1,
                    FRAGMENT,
                    0);
            reconnectNanos = where.options().number(Outage.TIMEOUT.key());
            drill = Drill.of(where);
            interfaces = Interfaces.ofThisMachine();
            final var listenOn = Interfaces.choose(interfaces, "", where.localSize() == where.size());
            connector =
                    new RcConnector(where, adapter, dimensions, where.options().number(CONNECT_TIMEOUT));
            address = new RcAddress(RankAddress.of(where, connector.listen(listenOn)), adapter.onFabric()).encode();
            keeper = new Keeper("parley-rc-keeper-" + where.rank(), turns, this::keep);
        } catch (final TransportException e) {
            close();
            throw e;
        }
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
            return adapter.onFabric()
                    .reaches(RcAddress.decode(peerAddress, context).port());
        } catch (final TransportException e) {
            return Availability.no(e.reason());
        }
    }

    @Override
    public Endpoint connect(final int peer, final byte[] peerAddress) {
        final RcAddress theirs = RcAddress.decode(peerAddress, context);
        turns.enter();
        try {
            final RcEndpoint endpoint = endpoint(theirs.rank());
            endpoint.peer(peer);
            endpoint.addresses(Interfaces.nearestFirst(theirs.sockets(), interfaces));
            if (endpoint.epoch() == 0) {
                connector.call(theirs.rank(), endpoint.addresses());
            }
            return new KeptEndpoint(endpoint, turns);
        } finally {
            turns.leave();
        }
    }

    private RcEndpoint endpoint(final int rank) {
        RcEndpoint endpoint = byRank.get(rank);
        if (endpoint == null) {
            endpoint = new RcEndpoint(
                    rank, window, capabilities.maxFrame(), reconnectNanos, adapter, registrations, dataPath, handler);
            byRank.put(rank, endpoint);
        }
        return endpoint;
    }

    // --- progress --------------------------------------------------------------------------------

    @Override
    public int poll(final int limit) {
        turns.enterPoll();
        try {
            int work = takeNews() + takeCompletions();
            boolean owes = false;
            boolean off = false;
            for (int i = 0; i < links.size(); i++) {
                final RcEndpoint endpoint = links.get(i);
                if (endpoint.peer() < 0) {
                    meet(endpoint);
                }
                work += endpoint.poll(limit);
                owes |= endpoint.owes();
                off |= endpoint.isOff();
            }
            if (owes && work == 0) {
                acknowledge();
            }
            if (drill != null && drill.isDue()) {
                off |= drill.cut(links.toArray(new RcEndpoint[0]));
            }
            if (off) {
                takeOff(work, true);
            }
            for (RcConnector.News none; (none = untold.poll()) != null; work++) {
                endpoint(none.rank()).unreachable(none.why());
                connector.finish(none.rank());
            }
            return work;
        } finally {
            turns.leave();
        }
    }

    /** The same without the handler: nothing is handed over, and nothing ends. */
    private void keep() {
        try {
            takeNews();
            takeCompletions();
            final long now = System.nanoTime();
            boolean off = false;
            for (int i = 0; i < links.size(); i++) {
                links.get(i).keep(now);
                off |= links.get(i).isOff();
            }
            if (off) {
                takeOff(0, false);
            }
        } catch (final TransportException e) {
            // The rank's next poll meets it, too.
            return;
        }
    }

    private void acknowledge() {
        final long now = System.nanoTime();
        for (int i = 0; i < links.size(); i++) {
            links.get(i).acknowledge(now);
        }
    }

    /** Finds out who has called, and where it listens. */
    private void meet(final RcEndpoint endpoint) {
        endpoint.askForPeer();
        final byte[] theirs = handler.addressOf(endpoint.rank(), name());
        if (theirs != null) {
            endpoint.addresses(
                    Interfaces.nearestFirst(RcAddress.decode(theirs, context).sockets(), interfaces));
        }
    }

    /** Takes away links that are of no use. */
    private void takeOff(final int work, final boolean isRank) {
        final long now = System.nanoTime();
        if (work > 0) {
            lastArrival = now;
        }
        for (int i = links.size() - 1; i >= 0; i--) {
            final RcEndpoint endpoint = links.get(i);
            if (isRank && endpoint.link().isClosing() && now - lastArrival > CLOSING_NANOS) {
                endpoint.link().closed();
            }
            if (endpoint.link().isBroken() && !endpoint.isDown()) {
                takeOff(endpoint, now, isRank);
            }
            if (endpoint.isDown()) {
                forget(endpoint.link());
                if (endpoint.next() != null) {
                    forget(endpoint.next());
                }
                links.remove(i);
                endpoint.release(false);
                connector.finish(endpoint.rank());
            }
        }
    }

    /** First nothing more may come, then what has come is handed over, and then there is another link, or the end. */
    private void takeOff(final RcEndpoint endpoint, final long now, final boolean isRank) {
        final RcLink link = endpoint.link();
        if (endpoint.stop(now)) {
            connector.suspend(endpoint.rank(), link.epoch());
        }
        if (!link.isFenced(now) || endpoint.hasArrivals() && (isRank || endpoint.next() == null)) {
            return;
        }
        if (link.isForGood() || endpoint.next() == null && endpoint.isAtItsEnd()) {
            if (closes) {
                endpoint.drop();
            } else if (isRank) {
                endpoint.ended();
            }
            return;
        }
        forget(link);
        try {
            endpoint.succeed();
        } catch (final TransportException e) {
            cannotBegin(endpoint, e);
        }
        if (endpoint.link() == null) {
            links.remove(endpoint);
            callAgain(endpoint);
        }
    }

    private void callAgain(final RcEndpoint endpoint) {
        connector.callAgain(
                endpoint.rank(),
                endpoint.epoch(),
                endpoint.addresses() == null ? List.of() : endpoint.addresses(),
                endpoint.outage().pauseNanos(),
                reconnectNanos - endpoint.outage().nanos());
    }

    private void forget(final RcLink link) {
        if (byQueuePair.get(link.number()) == link) {
            byQueuePair.remove(link.number());
        }
        doorbellsBefore += link.sends().doorbells();
        workRequestsBefore += link.sends().workRequests();
    }

    /** Gives each completion to its connection. */
    private int takeCompletions() {
        if (!completions.isTime()) {
            return 0;
        }
        int all = 0;
        for (final Adapter.CompletionQueue queue : adapter.queues()) {
            all += completions.take(queue.handle(), Integer.MAX_VALUE, delivery);
        }
        completions.looked(all);
        return all;
    }

    private void deliver(final long completion) {
        final int number = WorkRequest.queuePair(completion);
        RcLink link = byQueuePair.get(number);
        if (link == null) {
            // The connection is newer than the last look at the news.
            takeNews();
            link = byQueuePair.get(number);
        }
        if (link != null && !link.endpoint().isDown()) {
            link.completed(completion);
        }
    }

    private int takeNews() {
        int work = 0;
        for (RcConnector.News news; (news = connector.news()) != null; work++) {
            final RcEndpoint endpoint = endpoint(news.rank());
            switch (news.happening()) {
                case EXPECTED -> expected(endpoint, news);
                case READY -> ready(endpoint, news);
                case LOST -> lost(endpoint, news);
                default -> untold.add(news);
            }
        }
        return work;
    }

    private void expected(final RcEndpoint endpoint, final RcConnector.News news) {
        if (endpoint.isDown() || news.epoch() <= endpoint.epoch()) {
            news.connection().close();
            return;
        }
        if (endpoint.next() != null) {
            // It was never of use.
            forget(endpoint.next());
            endpoint.next().release();
        }
        if (endpoint.link() == null) {
            links.add(endpoint);
        }
        final RcLink made = endpoint.expect(news.connection(), news.epoch());
        byQueuePair.put(made.number(), made);
    }

    private void ready(final RcEndpoint endpoint, final RcConnector.News news) {
        final RcLink link = endpoint.link(news.epoch());
        if (endpoint.isDown() || link == null) {
            return;
        }
        try {
            endpoint.ready(link);
        } catch (final TransportException e) {
            cannotBegin(endpoint, e);
        }
    }

    private void cannotBegin(final RcEndpoint endpoint, final TransportException e) {
        untold.add(new RcConnector.News(
                RcConnector.Happening.FAILED, endpoint.rank(), 0, null, "lost its link: " + e.getMessage()));
    }

    private void lost(final RcEndpoint endpoint, final RcConnector.News news) {
        final RcLink link = endpoint.link(news.epoch());
        if (link != null) {
            lastArrival = System.nanoTime();
            link.closing(news.why());
        } else if (news.epoch() > endpoint.epoch() && !endpoint.isDown()) {
            endpoint.lost(news.epoch(), news.why());
            if (endpoint.link() == null && reconnectNanos > 0) {
                callAgain(endpoint);
            } else if (endpoint.link() == null) {
                untold.add(news);
            }
        }
    }

    // --- ends ------------------------------------------------------------------------------------

    @Override
    public void drop(final int peer) {
        turns.enter();
        final RcEndpoint endpoint = find(peer);
        if (endpoint != null) {
            endpoint.drop();
            connector.finish(endpoint.rank());
        }
        turns.leave();
    }

    @Override
    public boolean mayDeliver(final int peer) {
        turns.enter();
        final RcEndpoint endpoint = find(peer);
        final boolean result = endpoint != null && endpoint.mayDeliver();
        turns.leave();
        return result;
    }

    private RcEndpoint find(final int peer) {
        for (final RcEndpoint endpoint : byRank.values()) {
            if (endpoint.peer() == peer) {
                return endpoint;
            }
        }
        return null;
    }

    @Override
    public List<Counter> counted() {
        return VerbsCounters.RC;
    }

    @Override
    public Map<String, Long> statistics() {
        final Map<String, Long> all = new TreeMap<>();
        all.put("rc.doorbells", doorbellsBefore);
        all.put("rc.work.requests", workRequestsBefore);
        for (final RcEndpoint endpoint : byRank.values()) {
            all.merge("rc.duplicates.dropped", endpoint.duplicatesDropped(), Long::sum);
            all.merge("rc.frames.replayed", endpoint.framesReplayed(), Long::sum);
            all.merge("rc.acks.alone", endpoint.acknowledgementsAlone(), Long::sum);
            all.merge("rc.reconnects", endpoint.outage().count(), Long::sum);
            all.merge("rc.stall.longest.ms", endpoint.outage().longestMillis(), Math::max);
        }
        for (final RcEndpoint endpoint : links.toArray(new RcEndpoint[0])) {
            final RcLink link = endpoint.link();
            if (link != null) {
                all.merge("rc.doorbells", link.sends().doorbells(), Long::sum);
                all.merge("rc.work.requests", link.sends().workRequests(), Long::sum);
            }
        }
        if (drill != null) {
            all.put("rc.drill.cuts", drill.cuts());
            all.put("rc.drill.interval.us", drill.meanMicros());
        }
        all.put("rc.links", (long) links.size());
        final Completions now = completions;
        all.put("rc.looks", now == null ? 0 : now.looks());
        all.put("rc.looks.empty", now == null ? 0 : now.emptyLooks());
        all.put("rc.registrations", registrations.made());
        all.put("rc.registered.bytes", registrations.cachedBytes());
        all.put("rc.rejected", connector.strangers().counters().all());
        return all;
    }

    /** What was committed before is given to the peers first, also where the connection is still being made. */
    @Override
    public void close() {
        if (adapter == null) {
            return;
        }
        if (keeper != null) {
            keeper.close();
        }
        if (connector != null) {
            closes = true;
            byRank.values().forEach(RcEndpoint::leave);
            drain();
            connector.close();
        }
        byRank.values().forEach(endpoint -> endpoint.release(true));
        byRank.clear();
        byQueuePair.clear();
        links.clear();
        if (registrations != null) {
            registrations.close();
        }
        if (dataPath != null) {
            dataPath.close();
            completions.close();
        }
        adapter.close();
        adapter = null;
    }

    private void drain() {
        for (final long began = System.nanoTime(); System.nanoTime() - began < CLOSE_NANOS; Thread.onSpinWait()) {
            takeNews();
            takeCompletions();
            for (RcConnector.News none; (none = untold.poll()) != null; ) {
                endpoint(none.rank()).drop();
            }
            boolean more = false;
            for (final RcEndpoint endpoint : byRank.values()) {
                more |= endpoint.drain();
            }
            takeOff(0, true);
            if (!more) {
                return;
            }
        }
    }
}
