package org.parley.transport.fault;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Counter;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.Option;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.fault.FaultCounters.Fault;

/**
 * A transport around another, with faults by a {@link FaultPlan}. Threads as for any transport.
 *
 * <p>It is no service: tests wrap what they need. A test above the runtime, where transports come
 * from the service loader, registers a subclass with a constructor without arguments that calls
 * {@link #FaultTransport(String, Transport)}; its plan is then read from options {@code fault.*}.
 *
 * <p>A poll counts frames that are kept back as work to do, so whoever polls until nothing is left
 * has everything.
 */
public class FaultTransport implements Transport {
    private final String name;
    private final Transport inner;
    private final FaultCounters counters = new FaultCounters();
    private final Map<Integer, Boolean> barred = new HashMap<>();
    private final ConcurrentLinkedQueue<Cut> cuts = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<FaultEndpoint> lingering = new ArrayDeque<>();
    private FaultPlan plan;
    private Random random;
    private Arrivals arrivals;

    private record Cut(int peer, String cause) {}

    /**
     * Wraps a transport; the name stays.
     *
     * @param inner what carries the frames
     * @param plan what goes wrong
     */
    public FaultTransport(final Transport inner, final FaultPlan plan) {
        this.name = inner.name();
        this.inner = inner;
        this.plan = plan;
    }

    /**
     * Wraps a transport, under a plan from the options {@code fault.*}. Not available while {@code
     * fault.seed} is 0.
     *
     * @param name the name for {@code --transports}
     * @param inner what carries the frames
     */
    protected FaultTransport(final String name, final Transport inner) {
        this.name = name;
        this.inner = inner;
    }

    /** Returns what has happened so far. */
    public final FaultCounters counters() {
        return counters;
    }

    /**
     * Cuts the link to a peer with the next poll: the handler is told, claims return {@link
     * Endpoint#CLOSED}. The other side is not told. Any thread.
     *
     * @param peer index of the peer
     * @param cause what the handler is told
     */
    public final void cut(final int peer, final String cause) {
        cuts.add(new Cut(peer, cause));
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final List<Option> options() {
        final List<Option> all = new ArrayList<>(inner.options());
        all.addAll(FaultPlan.options());
        return all;
    }

    @Override
    public final Availability probe(final TransportContext context) {
        if (plan == null && context.options().number(FaultPlan.SEED) == 0) {
            return Availability.no(FaultPlan.SEED + " is 0: no faults are wanted");
        }
        return inner.probe(context);
    }

    @Override
    public final void open(final TransportContext context, final FrameHandler handler) {
        if (plan == null) {
            plan = FaultPlan.from(context.options());
        }
        random = new Random(plan.seed() * 31 + context.rank());
        arrivals = new Arrivals(handler, plan, counters, random);
        inner.open(context, arrivals);
    }

    @Override
    public final Capabilities capabilities() {
        final Capabilities can = inner.capabilities();
        // Frames are kept back whole, and no frame that is gathered need have an end.
        return new Capabilities(
                can.maxFrame(),
                can.eagerLimit(),
                can.get(),
                can.getThreshold(),
                can.regionThreshold(),
                can.fragment(),
                0);
    }

    @Override
    public final byte[] address() {
        return inner.address();
    }

    @Override
    public final Availability reaches(final byte[] address) {
        return inner.reaches(address);
    }

    @Override
    public final Endpoint connect(final int peer, final byte[] address) {
        arrivals.link(peer);
        return new FaultEndpoint(peer, inner.connect(peer, address));
    }

    @Override
    public final int poll(final int limit) {
        int most = limit;
        if (limit > 1 && by(plan.shorten())) {
            counters.count(Fault.SHORTENED);
            most = 1;
        }
        release();
        int work = 0;
        for (Cut cut; (cut = cuts.poll()) != null; work++) {
            arrivals.cut(cut.peer(), cut.cause());
        }
        work += arrivals.begin(most);
        if (!arrivals.isFull()) {
            work += inner.poll(most);
        }
        return work == 0 && arrivals.isHolding() ? 1 : work;
    }

    @Override
    public final boolean mayDeliver(final int peer) {
        return inner.mayDeliver(peer);
    }

    @Override
    public final void drop(final int peer) {
        inner.drop(peer);
        arrivals.drop(peer);
    }

    @Override
    public final List<Counter> counted() {
        return inner.counted();
    }

    @Override
    public final Map<String, Long> statistics() {
        return inner.statistics();
    }

    @Override
    public final void close() {
        release();
        inner.close();
    }

    private void release() {
        for (FaultEndpoint endpoint; (endpoint = lingering.peek()) != null; ) {
            endpoint.release();
        }
    }

    private boolean by(final int thousandths) {
        return thousandths > 0 && random.nextInt(1000) < thousandths;
    }

    private final class FaultEndpoint extends Endpoint {
        private final int peer;
        private final Endpoint wrapped;

        /** A frame that may leave later is not even committed. */
        private boolean lingers;

        FaultEndpoint(final int peer, final Endpoint wrapped) {
            this.peer = peer;
            this.wrapped = wrapped;
        }

        private void release() {
            if (lingers) {
                lingers = false;
                lingering.remove(this);
                wrapped.commit();
            }
        }

        @Override
        public long claim(final int length) {
            release();
            if (arrivals.isDown(peer)) {
                return CLOSED;
            }
            if (by(plan.refuse())) {
                counters.count(Fault.REFUSED);
                return BACK_PRESSURED;
            }
            return wrapped.claim(length);
        }

        @Override
        public void commit() {
            wrapped.commit();
        }

        @Override
        public boolean commitLater() {
            if (!by(plan.linger())) {
                return wrapped.commitLater();
            }
            counters.count(Fault.LINGERED);
            lingers = true;
            lingering.add(this);
            return true;
        }

        @Override
        public void commit(final long frame, final int head, final long payload, final int length) {
            wrapped.commit(frame, head, payload, length);
        }

        @Override
        public void abort() {
            wrapped.abort();
        }

        @Override
        public boolean isSent() {
            return !lingers && wrapped.isSent();
        }

        @Override
        public boolean isAcknowledged() {
            return !lingers && wrapped.isAcknowledged();
        }

        @Override
        public long acknowledged() {
            return wrapped.acknowledged();
        }

        @Override
        public long expose(final long address, final long length, final int region) {
            release();
            if (by(plan.hide())) {
                counters.count(Fault.HIDDEN);
                return 0;
            }
            return wrapped.expose(address, length, region);
        }

        @Override
        public void conceal(final long key) {
            wrapped.conceal(key);
        }

        @Override
        public long get(
                final long remoteAddress,
                final long key,
                final long localAddress,
                final int localRegion,
                final long length,
                final long token) {
            release();
            if (barred.computeIfAbsent(peer, index -> by(plan.bar()))) {
                counters.count(Fault.BARRED);
                return UNREACHABLE;
            }
            arrivals.fetches(peer, token);
            final long begun = wrapped.get(remoteAddress, key, localAddress, localRegion, length, token);
            if (begun < 0) {
                arrivals.doesNotFetch(token);
            }
            return begun;
        }

        @Override
        public void close() {
            release();
            wrapped.close();
        }
    }
}
