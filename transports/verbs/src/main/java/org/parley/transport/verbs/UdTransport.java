package org.parley.transport.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Counter;
import org.parley.transport.Drill;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.JobSecret;
import org.parley.transport.Option;
import org.parley.transport.Outage;
import org.parley.transport.RankAddress;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;
import org.slf4j.LoggerFactory;

/**
 * RDMA over datagrams: one queue pair for all peers, so that neither memory nor queue pairs grow with the job. Nothing is connected: an
 * address leads to the queue pair, and the first datagram to a rank is a hello, which names its sender and proves that it is of the job.
 * That frames arrive, once and in order, is {@link UdEndpoint}'s.
 */
public final class UdTransport implements Transport, Drill.Breakable {
    private static final String WINDOW = "ud.window";
    private static final String EAGER_LIMIT = "ud.eager.limit";
    private static final String RETRANSMIT = "ud.retransmit";
    private static final String TIMEOUT = "ud.timeout";

    /** What the runtime puts before a payload, at most, with room to spare. */
    private static final int ENVELOPE = 64;

    private static final int SMALLEST_WINDOW = 32 * 1024;
    private static final int LARGEST_WINDOW = 1 << 30;
    private static final int LARGEST_EAGER = 1 << 20;
    private static final int FRAGMENT = 16 * 1024;

    /** A rank that is busy with its arrivals looks at the clock after so many polls. */
    private static final int POLLS_PER_TICK = 64;

    /** The runtime has waited for acknowledgements before it closes. */
    private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private TransportContext context;
    private FrameHandler handler;
    private Capabilities capabilities;
    private int window;
    private long firstPatience;
    private long lastPatience;
    private final byte[] nonce = JobSecret.random(UdAddress.NONCE_BYTES);
    private UdDoor door;
    private UdPort port;
    private Drill drill;
    private final UdCounters counters = new UdCounters();
    private final Int2ObjectHashMap<UdEndpoint> byRank = new Int2ObjectHashMap<>();

    /** Those that have something to do: with many peers, few have. */
    private final List<UdEndpoint> active = new ArrayList<>();

    private final Turns turns = new Turns();
    private Keeper keeper;

    private int pollsSinceTick;
    private int share = Flight.MOST;
    private int receives;
    private boolean closing;
    private final Consumer<UdAddress> greeting = this::greetedAtDoor;

    /** For the service loader. */
    public UdTransport() {}

    @Override
    public String name() {
        return "ud";
    }

    @Override
    public List<Option> options() {
        return VerbsOptions.with(
                new Option(
                        WINDOW,
                        Option.Kind.SIZE,
                        "128k",
                        "Bytes per peer, over datagrams, that are kept until the peer has acknowledged them."),
                new Option(
                        EAGER_LIMIT,
                        Option.Kind.SIZE,
                        "16k",
                        "Messages up to this size are sent at once over datagrams; longer ones when the receiver is"
                                + " ready."),
                new Option(
                        RETRANSMIT,
                        Option.Kind.TIME,
                        "10ms",
                        "After how long datagrams are sent again that nobody has acknowledged; then after twice the"
                                + " time, up to 2 s."),
                new Option(
                        TIMEOUT,
                        Option.Kind.TIME,
                        "30s",
                        "After how long without an acknowledgement a peer is given up over datagrams."),
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
            // All that it will need, once: a limit of locked memory is found now, when there are other ways yet.
            try (Adapter trial = Adapter.open(where.options())) {
                UdPort.newQueue(where, trial, 0, receive -> {}).close();
                return new Availability(true, trial.text());
            }
        } catch (final TransportException e) {
            LoggerFactory.getLogger(UdTransport.class)
                    .warn("ud: rank {} does without RDMA's datagrams: {}", where.rank(), e.getMessage());
            return Availability.no(e.getMessage());
        }
    }

    @Override
    public void open(final TransportContext where, final FrameHandler frames) {
        context = where;
        handler = frames;
        window = (int) Long.highestOneBit(
                Math.max(SMALLEST_WINDOW, Math.min(where.options().number(WINDOW), LARGEST_WINDOW)));
        firstPatience = where.options().number(RETRANSMIT);
        lastPatience = where.options().number(TIMEOUT);
        final int eager = (int) Math.min(where.options().number(EAGER_LIMIT), Math.min(window / 8, LARGEST_EAGER));
        capabilities = new Capabilities(
                Math.max(eager, Math.min(FRAGMENT, window / 8)) + ENVELOPE,
                eager,
                false,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                Math.min(FRAGMENT, window / 8),
                0);
        drill = Drill.of(where);
        door = new UdDoor(where, nonce);
        try {
            port = new UdPort(where, door.address(), nonce, this::arrived);
            receives = port.queue().receives();
            keeper = new Keeper("parley-ud-" + where.rank(), turns, this::keep);
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
        return port.mine().encode();
    }

    @Override
    public Availability reaches(final byte[] peerAddress) {
        try {
            return port.mine().port().reaches(decode(peerAddress).port());
        } catch (final TransportException e) {
            return Availability.no(e.reason());
        }
    }

    private UdAddress decode(final byte[] peerAddress) {
        final UdAddress theirs = UdAddress.decode(peerAddress);
        RankAddress.check("ud", context, theirs.door().job(), theirs.rank());
        return theirs;
    }

    @Override
    public Endpoint connect(final int peer, final byte[] peerAddress) {
        final UdAddress theirs = decode(peerAddress);
        turns.enter();
        try {
            UdEndpoint endpoint = byRank.get(theirs.rank());
            if (endpoint == null) {
                endpoint = add(theirs);
            } else if (theirs.replaces(endpoint.theirs())) {
                movesTo(endpoint, theirs);
            } else if (!theirs.isOfSame(endpoint.theirs())) {
                throw new TransportException(
                        "ud",
                        "rank " + theirs.rank() + " has two addresses, "
                                + endpoint.theirs().text() + " and " + theirs.text());
            }
            endpoint.peer(peer);
            return new KeptEndpoint(endpoint, turns);
        } finally {
            turns.leave();
        }
    }

    private UdEndpoint add(final UdAddress theirs) {
        if (port.isGivenUp()) {
            throw new TransportException("ud", port.text());
        }
        final int mtu = 128 << Math.min(port.mine().port().mtu(), theirs.port().mtu());
        final UdEndpoint added = new UdEndpoint(this, theirs, window, mtu - Datagram.HEADER);
        if (port.isUp()) {
            final UdPath path = newPath(theirs);
            path.open();
            added.begins(port.queue(), path);
        }
        byRank.put(theirs.rank(), added);
        counters.peers = byRank.size();
        // Half of the receives is shared out; the rest is for hellos, acknowledgements and what comes twice.
        share = Math.max(1, Math.min(Flight.MOST, receives / 2 / byRank.size()));
        return added;
    }

    private UdPath newPath(final UdAddress theirs) {
        return new UdPath(port.adapter(), port.mine(), theirs, context.secret());
    }

    // --- what endpoints need -----------------------------------------------------------------------

    FrameHandler handler() {
        return handler;
    }

    UdAddress mine() {
        return port.mine();
    }

    JobSecret secret() {
        return context.secret();
    }

    UdCounters counters() {
        return counters;
    }

    /** Returns how many datagrams each peer may send before they are acknowledged. */
    int share() {
        return share;
    }

    Patience newPatience() {
        return new Patience(firstPatience, lastPatience);
    }

    /** Asks a peer that does not answer where it is, and tells it where this rank is, at its door. */
    void knock(final UdAddress theirs) {
        counters.knocks++;
        door.knock(Hello.of(port.mine(), theirs, context.secret()), theirs.sockets());
    }

    void activated(final UdEndpoint endpoint) {
        active.add(endpoint);
    }

    /** Says why a link is gone, for people. */
    String describe(final String why, final UdAddress theirs) {
        return "lost its link: " + why + " (" + port.name() + ", datagrams to " + theirs.text() + ")";
    }

    // --- progress --------------------------------------------------------------------------------

    @Override
    public int poll(final int limit) {
        turns.enterPoll();
        try {
            final boolean isUp = look();
            int work = 0;
            for (int i = 0; i < active.size(); i++) {
                work += active.get(i).poll(limit);
            }
            if (!active.isEmpty() && (work == 0 || ++pollsSinceTick >= POLLS_PER_TICK)) {
                tick();
            }
            if (isUp) {
                finishTurn();
            }
            return work;
        } finally {
            turns.leave();
        }
    }

    /** The same without the handler. */
    private void keep() {
        final boolean isUp = look();
        for (int i = 0; i < active.size(); i++) {
            active.get(i).keep();
        }
        tick();
        if (isUp) {
            finishTurn();
        }
    }

    /** Takes what has come; returns whether anything can. */
    private boolean look() {
        door.take(greeting);
        if (!port.isUp() && !comesBack()) {
            return false;
        }
        if (door.isTimeToLook() && port.hasLostAddress()) {
            breaks("the GID of " + port.name() + " has changed");
            return false;
        }
        try {
            port.queue().poll();
        } catch (final TransportException e) {
            breaks(e.getMessage());
        }
        return port.isUp();
    }

    private void finishTurn() {
        port.queue().ring();
        if (drill != null && drill.isDue()) {
            drill.cut(this);
        }
        if (port.failure() != null) {
            breaks(port.failure());
        }
    }

    // --- when this rank's own queue pair is gone -------------------------------------------------

    private void breaks(final String why) {
        port.breaks(why);
        for (final UdEndpoint endpoint : byRank.values()) {
            final UdPath gone = endpoint.ends();
            if (gone != null) {
                port.retire(gone);
            }
        }
        port.ended();
    }

    private boolean comesBack() {
        if (port.isGivenUp()) {
            return false;
        }
        if (port.comesBack()) {
            for (final UdEndpoint endpoint : byRank.values()) {
                if (!endpoint.isDown()) {
                    endpoint.greet();
                    endpoint.begins(port.queue(), newPath(endpoint.theirs()));
                    endpoint.wasAway(port.away());
                }
            }
            return true;
        }
        if (port.isGivenUp()) {
            byRank.values().forEach(endpoint -> endpoint.down(port.text()));
        }
        return false;
    }

    @Override
    public boolean hasMoved() {
        return byRank.values().stream().anyMatch(UdEndpoint::hasMoved);
    }

    @Override
    public void cut(final String why) {
        port.queue().cut(why);
    }

    /** Whether there is a queue pair now. */
    boolean isUp() {
        return port.isUp();
    }

    private void tick() {
        pollsSinceTick = 0;
        port.reap();
        final long now = System.nanoTime();
        for (int i = active.size() - 1; i >= 0; i--) {
            final UdEndpoint endpoint = active.get(i);
            endpoint.tick(now);
            if (endpoint.isIdle()) {
                endpoint.rest();
                active.remove(i);
            }
        }
    }

    private void arrived(final long receive) {
        final long datagram = UdQueue.datagram(receive);
        final int length = UdQueue.length(receive);
        if (length >= Datagram.HEADER) {
            if (Datagram.token(datagram) == Datagram.HELLO) {
                final byte[] hello = Hello.in(datagram, length);
                port.queue().recycle(receive);
                greeted(hello);
                return;
            }
            final UdEndpoint endpoint = byRank.get(Datagram.source(datagram));
            if (endpoint != null
                    && endpoint.path() != null
                    && endpoint.path().peersToken() == Datagram.token(datagram)) {
                if (endpoint.isDown()) {
                    port.queue().recycle(receive);
                } else {
                    endpoint.arrived(receive);
                }
                return;
            }
        }
        // Of nobody whom this rank knows: of a peer whose hello was lost, which will say it again, or of a stranger.
        counters.strangers++;
        port.queue().recycle(receive);
    }

    // --- hellos ------------------------------------------------------------------------------------

    private void greeted(final byte[] hello) {
        try {
            final UdAddress theirs = Hello.read(hello, context, nonce);
            if (theirs != null && greeted(theirs) != null) {
                return;
            }
        } catch (final TransportException e) {
            LoggerFactory.getLogger(UdTransport.class).debug("ud: a hello leads nowhere: {}", e.getMessage());
        }
        counters.strangers++;
    }

    /** Who says hello at the door does not get answers: it may not know where this rank is. */
    private void greetedAtDoor(final UdAddress theirs) {
        try {
            final UdEndpoint endpoint = greeted(theirs);
            if (endpoint != null && !endpoint.isDown()) {
                endpoint.greet();
            }
        } catch (final TransportException e) {
            LoggerFactory.getLogger(UdTransport.class).debug("ud: a hello leads nowhere: {}", e.getMessage());
        }
    }

    /**
     * A hello that was proven makes its rank known, and known where it is. One that comes again, or is older than others, changes nothing.
     *
     * @return whose it is, or null: it is of no use
     */
    private UdEndpoint greeted(final UdAddress theirs) {
        final UdEndpoint known = byRank.get(theirs.rank());
        if (known == null) {
            // The handler is asked for its index at the next poll.
            return closing ? null : add(theirs);
        }
        if (theirs.replaces(known.theirs())) {
            movesTo(known, theirs);
        }
        return theirs.isOfSame(known.theirs())
                        && theirs.moves() == known.theirs().moves()
                ? known
                : null;
    }

    private void movesTo(final UdEndpoint endpoint, final UdAddress theirs) {
        counters.moved++;
        if (!port.isUp()) {
            endpoint.knows(theirs);
        } else if (!endpoint.isDown()) {
            port.retire(endpoint.path());
            endpoint.greet();
            endpoint.begins(port.queue(), newPath(theirs));
        }
    }

    // --- ends ------------------------------------------------------------------------------------

    @Override
    public void drop(final int peer) {
        turns.enter();
        final UdEndpoint endpoint = find(peer);
        if (endpoint != null) {
            endpoint.drop();
        }
        turns.leave();
    }

    @Override
    public boolean mayDeliver(final int peer) {
        turns.enter();
        final UdEndpoint endpoint = find(peer);
        final boolean result = endpoint != null && endpoint.mayDeliver();
        turns.leave();
        return result;
    }

    private UdEndpoint find(final int peer) {
        for (final UdEndpoint endpoint : byRank.values()) {
            if (endpoint.peer() == peer) {
                return endpoint;
            }
        }
        return null;
    }

    @Override
    public List<Counter> counted() {
        return VerbsCounters.UD;
    }

    @Override
    public Map<String, Long> statistics() {
        final Map<String, Long> all = counters.all();
        final UdPort now = port;
        if (now != null) {
            now.count(all);
        }
        if (drill != null) {
            all.put("ud.drill.cuts", drill.cuts());
            all.put("ud.drill.interval.us", drill.meanMicros());
        }
        return all;
    }

    /** What was committed before is given to the peers first, unless nothing of them is heard. */
    @Override
    public void close() {
        if (door == null) {
            return;
        }
        if (keeper != null) {
            keeper.close();
        }
        closing = true;
        if (port != null) {
            if (port.isUp()) {
                byRank.values().forEach(UdEndpoint::leave);
                UdPort.end(this::drain);
                byRank.values().forEach(UdEndpoint::leaveAgain);
                port.queue().ring();
            }
            byRank.values().forEach(this::release);
            port.close();
        }
        byRank.clear();
        active.clear();
        door.close();
        door = null;
    }

    private void release(final UdEndpoint endpoint) {
        final UdPath gone = endpoint.ends();
        if (gone != null) {
            port.retire(gone);
        }
        endpoint.release();
    }

    private void drain() {
        long before = -1;
        for (long since = System.nanoTime(); System.nanoTime() - since < CLOSE_NANOS; Thread.onSpinWait()) {
            port.queue().poll();
            long acknowledged = 0;
            boolean more = false;
            final long now = System.nanoTime();
            for (final UdEndpoint endpoint : byRank.values()) {
                more |= endpoint.drain(now);
                acknowledged += endpoint.acknowledged();
            }
            port.queue().ring();
            if (!more || port.failure() != null) {
                return;
            }
            if (acknowledged != before) {
                before = acknowledged;
                since = now;
            }
        }
    }
}
