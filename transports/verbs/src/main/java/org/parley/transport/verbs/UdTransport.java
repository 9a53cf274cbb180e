package org.parley.transport.verbs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.agrona.UnsafeApi;
import org.agrona.collections.Int2ObjectHashMap;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Counter;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.JobSecret;
import org.parley.transport.Option;
import org.parley.transport.RankAddress;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.QueuePair;
import org.slf4j.LoggerFactory;

/**
 * RDMA over datagrams: one queue pair for all peers, so that neither memory nor queue pairs grow with the job. Nothing is connected: an
 * address leads to the queue pair, and the first datagram to a rank is a hello, which names its sender and proves that it is of the job.
 * That frames arrive, once and in order, is {@link UdEndpoint}'s.
 */
public final class UdTransport implements Transport {
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

    private static final int LARGEST_QKEY = Integer.MAX_VALUE;

    private TransportContext context;
    private FrameHandler handler;
    private Capabilities capabilities;
    private int window;
    private long firstPatience;
    private long lastPatience;
    private Adapter adapter;
    private UdQueue queue;
    private UdAddress mine;
    private final Counters counters = new Counters();
    private final Int2ObjectHashMap<UdEndpoint> byRank = new Int2ObjectHashMap<>();

    /** Those that have something to do: with many peers, few have. */
    private final List<UdEndpoint> active = new ArrayList<>();

    private final Turns turns = new Turns();
    private Keeper keeper;

    private int pollsSinceTick;
    private int share = Flight.MOST;
    private boolean closing;

    /** What happened; read by other threads, which may lag behind. */
    static final class Counters {
        long received;
        long retransmits;
        long duplicates;
        long held;
        long tooSoon;
        long acksAlone;
        long answers;
        long strangers;
        long peers;
    }

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
                        "After how long without an acknowledgement a peer is given up over datagrams."));
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
                newQueue(where, trial, 0, receive -> {}).close();
                return new Availability(true, trial.text());
            }
        } catch (final TransportException e) {
            LoggerFactory.getLogger(UdTransport.class)
                    .warn("ud: rank {} does without RDMA's datagrams: {}", where.rank(), e.getMessage());
            return Availability.no(e.getMessage());
        }
    }

    private static UdQueue newQueue(
            final TransportContext where, final Adapter on, final int qkey, final LongConsumer arrived) {
        return new UdQueue(
                on, qkey, VerbsOptions.depth(where.options()), VerbsOptions.skips(where.options(), on), arrived);
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
        adapter = Adapter.open(where.options());
        try {
            final byte[] nonce = JobSecret.random(UdAddress.NONCE_BYTES);
            final int qkey = Arrays.hashCode(JobSecret.random(Long.BYTES)) & LARGEST_QKEY;
            queue = newQueue(where, adapter, qkey, this::arrived);
            mine = new UdAddress(
                    RankAddress.jobNumber(where.job()), where.rank(), adapter.onFabric(), queue.number(), qkey, nonce);
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
        return mine.encode();
    }

    @Override
    public Availability reaches(final byte[] peerAddress) {
        try {
            return adapter.onFabric().reaches(decode(peerAddress).port());
        } catch (final TransportException e) {
            return Availability.no(e.reason());
        }
    }

    private UdAddress decode(final byte[] peerAddress) {
        final UdAddress theirs = UdAddress.decode(peerAddress);
        RankAddress.check("ud", context, theirs.job(), theirs.rank());
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
            } else if (!Arrays.equals(endpoint.theirs().encode(), peerAddress)) {
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
        final long ah = adapter.context()
                .createAddressHandle(new QueuePair.Path(
                        adapter.portNumber(),
                        adapter.gidIndex(),
                        theirs.port().gid(),
                        theirs.port().lid()));
        final int mtu = 128 << Math.min(mine.port().mtu(), theirs.port().mtu());
        final UdEndpoint added = new UdEndpoint(this, theirs, ah, window, mtu - Datagram.HEADER);
        byRank.put(theirs.rank(), added);
        counters.peers = byRank.size();
        // Half of the receives is shared out; the rest is for hellos, acknowledgements and what comes twice.
        share = Math.max(1, Math.min(Flight.MOST, queue.receives() / 2 / byRank.size()));
        return added;
    }

    // --- what endpoints need -----------------------------------------------------------------------

    UdQueue queue() {
        return queue;
    }

    FrameHandler handler() {
        return handler;
    }

    UdAddress mine() {
        return mine;
    }

    JobSecret secret() {
        return context.secret();
    }

    Counters counters() {
        return counters;
    }

    /** Returns how many datagrams each peer may send before they are acknowledged. */
    int share() {
        return share;
    }

    long firstPatience() {
        return firstPatience;
    }

    long lastPatience() {
        return lastPatience;
    }

    void activated(final UdEndpoint endpoint) {
        active.add(endpoint);
    }

    /** Says why a link is gone, for people. */
    String describe(final String why, final UdAddress theirs) {
        return "lost its link: " + why + " (" + adapter.name() + ", datagrams to " + theirs.text() + ")";
    }

    // --- progress --------------------------------------------------------------------------------

    @Override
    public int poll(final int limit) {
        turns.enterPoll();
        try {
            queue.poll();
            int work = 0;
            for (int i = 0; i < active.size(); i++) {
                work += active.get(i).poll(limit);
            }
            if (!active.isEmpty() && (work == 0 || ++pollsSinceTick >= POLLS_PER_TICK)) {
                tick();
            }
            finishTurn();
            return work;
        } finally {
            turns.leave();
        }
    }

    /** The same without the handler. */
    private void keep() {
        try {
            queue.poll();
            for (int i = 0; i < active.size(); i++) {
                active.get(i).keep();
            }
            tick();
            finishTurn();
        } catch (final TransportException e) {
            // The rank's next poll meets it, too.
            return;
        }
    }

    private void finishTurn() {
        queue.ring();
        if (queue.failure() != null) {
            for (final UdEndpoint endpoint : List.copyOf(byRank.values())) {
                endpoint.down(queue.failure());
            }
        }
    }

    private void tick() {
        pollsSinceTick = 0;
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
        if (UdQueue.length(receive) >= Datagram.HEADER) {
            if (Datagram.token(datagram) == Datagram.HELLO) {
                greeted(receive);
                return;
            }
            final UdEndpoint endpoint = byRank.get(Datagram.source(datagram));
            if (endpoint != null && endpoint.peersToken() == Datagram.token(datagram)) {
                if (endpoint.isDown()) {
                    queue.recycle(receive);
                } else {
                    endpoint.arrived(receive);
                }
                return;
            }
        }
        // Of nobody whom this rank knows: of a peer whose hello was lost, which will say it again, or of a stranger.
        counters.strangers++;
        queue.recycle(receive);
    }

    // --- hellos ------------------------------------------------------------------------------------

    /** Writes a hello; returns its length. */
    int writeHello(final long datagram, final UdAddress to) {
        Datagram.from(datagram, Datagram.HELLO, context.rank());
        final long body = datagram + Datagram.HEADER;
        put(mine.encode(), body);
        put(mine.proof(context.secret(), to), body + UdAddress.BYTES);
        return Datagram.HEADER + UdAddress.BYTES + JobSecret.PROOF_BYTES;
    }

    private static void put(final byte[] bytes, final long at) {
        UnsafeApi.copyMemory(bytes, UnsafeApi.arrayBaseOffset(byte[].class), null, at, bytes.length);
    }

    private static byte[] get(final long at, final int length) {
        final byte[] bytes = new byte[length];
        UnsafeApi.copyMemory(null, at, bytes, UnsafeApi.arrayBaseOffset(byte[].class), length);
        return bytes;
    }

    private void greeted(final long receive) {
        final int length = UdQueue.length(receive);
        final long body = UdQueue.datagram(receive) + Datagram.HEADER;
        byte[] address = null;
        byte[] proof = null;
        if (length == Datagram.HEADER + UdAddress.BYTES + JobSecret.PROOF_BYTES) {
            address = get(body, UdAddress.BYTES);
            proof = get(body + UdAddress.BYTES, JobSecret.PROOF_BYTES);
        }
        queue.recycle(receive);
        try {
            if (address != null && !closing && isProven(address, proof)) {
                return;
            }
        } catch (final TransportException e) {
            LoggerFactory.getLogger(UdTransport.class).debug("ud: a hello leads nowhere: {}", e.getMessage());
        }
        counters.strangers++;
    }

    /** A hello that was proven makes its rank known; one that comes again changes nothing. */
    private boolean isProven(final byte[] address, final byte[] proof) {
        final UdAddress theirs = decode(address);
        final UdEndpoint known = byRank.get(theirs.rank());
        if (known != null) {
            return Arrays.equals(known.theirs().encode(), address);
        }
        if (!JobSecret.isSame(theirs.proof(context.secret(), mine), proof)) {
            return false;
        }
        // The handler is asked for its index at the next poll.
        add(theirs);
        return true;
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
        final Map<String, Long> all = new TreeMap<>();
        all.put("ud.peers", counters.peers);
        all.put("ud.datagrams.received", counters.received);
        all.put("ud.retransmits", counters.retransmits);
        all.put("ud.duplicates.dropped", counters.duplicates);
        all.put("ud.overtaking.held", counters.held);
        all.put("ud.overtaking.dropped", counters.tooSoon);
        all.put("ud.acks.alone", counters.acksAlone);
        all.put("ud.answers", counters.answers);
        all.put("ud.rejected", counters.strangers);
        final UdQueue now = queue;
        if (now != null) {
            all.put("ud.datagrams.sent", now.sent());
            all.put("ud.doorbells", now.doorbells());
            all.put("ud.looks", now.looks());
            all.put("ud.looks.empty", now.emptyLooks());
        }
        return all;
    }

    /** What was committed before is given to the peers first, unless nothing of them is heard. */
    @Override
    public void close() {
        if (adapter == null) {
            return;
        }
        if (keeper != null) {
            keeper.close();
        }
        closing = true;
        if (queue != null) {
            byRank.values().forEach(UdEndpoint::leave);
            drain();
            byRank.values().forEach(UdEndpoint::leaveAgain);
            queue.ring();
            queue.close();
        }
        byRank.values().forEach(endpoint -> {
            endpoint.release();
            adapter.context().destroyAddressHandle(endpoint.ah());
        });
        byRank.clear();
        active.clear();
        adapter.close();
        adapter = null;
    }

    private void drain() {
        long before = -1;
        for (long since = System.nanoTime(); System.nanoTime() - since < CLOSE_NANOS; Thread.onSpinWait()) {
            queue.poll();
            long acknowledged = 0;
            boolean more = false;
            final long now = System.nanoTime();
            for (final UdEndpoint endpoint : byRank.values()) {
                more |= endpoint.drain(now);
                acknowledged += endpoint.acknowledged();
            }
            queue.ring();
            if (!more || queue.failure() != null) {
                return;
            }
            if (acknowledged != before) {
                before = acknowledged;
                since = now;
            }
        }
    }
}
