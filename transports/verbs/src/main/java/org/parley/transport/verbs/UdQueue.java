package org.parley.transport.verbs;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongConsumer;
import org.agrona.UnsafeApi;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.QueuePair;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.VerbsContext;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * The one queue pair through which a rank sends datagrams to all its peers and takes theirs, and the memory of its work requests, in one
 * registered block.
 *
 * <pre>
 *   receive  ibv_recv_wr 32, ibv_sge 16, length 8, GRH 40, datagram of an MTU
 *   send     ibv_send_wr 128, ibv_sge 16, datagram of an MTU
 * </pre>
 *
 * <p>A receive that has ended belongs to whoever was given it, until {@link #recycle}; {@link WorkRequest#next} may chain several. What is
 * sent is a copy: a frame may be acknowledged, and its place used again, while the device still holds it in a datagram that was sent twice.
 *
 * <p>The holder's of the progress word.
 */
final class UdQueue implements AutoCloseable {
    private static final int GRH = 40;
    private static final int LENGTH = 48;
    private static final int GRH_AT = 56;
    private static final int DATAGRAM = GRH_AT + GRH;
    private static final int ELEMENT = WorkRequest.SEND_BYTES;
    private static final int SEND_DATAGRAM = ELEMENT + WorkRequest.SGE_BYTES;

    private static final int MOST_SENDS = 128;
    private static final int FEWEST = 8;
    private static final int INLINE = 220;
    private static final int PSN_BITS = 24;

    private final Adapter adapter;
    private final DataPath dataPath;
    private final int mtu;
    private final int receives;
    private final int sends;
    private final int signalEvery;
    private final long memory;
    private final long block;
    private final Completions completions;
    private final VerbsContext.Region region;
    private final Adapter.CompletionQueue queue;
    private final QueuePair qp;
    private final LongConsumer arrived;
    private final LongConsumer ended = this::ended;

    /** Receives that are to be posted again. */
    private long freeFirst;

    private long freeLast;
    private int freeCount;

    /** Receives that belong to those who were given them. */
    private int lent;

    /** Sends are numbered: those before {@link #completed} have ended, those before {@link #sequence} are made. */
    private long sequence;

    private long completed;
    private long signalled;
    private long chainFirst;
    private long chainLast;

    private String failure;
    private long doorbells;

    /**
     * Makes it ready.
     *
     * @param qkey what datagrams to it must have
     * @param depth the longest queue that the user wants
     * @param skips whether empty looks are dear
     * @param arrived takes each receive that has a datagram
     * @throws TransportException if a resource cannot be had
     */
    UdQueue(final Adapter adapter, final int qkey, final int depth, final boolean skips, final LongConsumer arrived) {
        this.adapter = adapter;
        this.arrived = arrived;
        mtu = 128 << adapter.onFabric().mtu();
        receives = Math.max(FEWEST, Math.min(depth, adapter.limits().maxWorkRequests()));
        sends = Math.min(receives, MOST_SENDS);
        signalEvery = Math.max(1, sends / 4);
        final long bytes = (long) receives * (DATAGRAM + mtu) + (long) sends * (SEND_DATAGRAM + mtu);
        final VerbsContext context = adapter.context();
        memory = UnsafeApi.allocateMemory(bytes + VerbsContext.PAGE);
        block = memory + VerbsContext.PAGE - 1 & -VerbsContext.PAGE;
        UnsafeApi.setMemory(block, bytes, (byte) 0);
        dataPath = context.newDataPath();
        completions = new Completions(dataPath, adapter.name(), skips);
        VerbsContext.Region registered = null;
        Adapter.CompletionQueue promised = null;
        QueuePair made = null;
        try {
            registered = context.register(block, bytes, VerbsContext.LOCAL_WRITE);
            promised = adapter.promise(receives + sends);
            made = createQueuePair(promised.handle());
            region = registered;
            queue = promised;
            qp = made;
            made.begin(
                    adapter.portNumber(),
                    adapter.pkeyIndex(),
                    qkey,
                    ThreadLocalRandom.current().nextInt(1 << PSN_BITS));
            postAll();
        } catch (final TransportException e) {
            if (made != null) {
                made.close();
            }
            if (promised != null) {
                adapter.release(promised, receives + sends);
            }
            context.deregister(registered);
            free();
            throw e;
        }
    }

    /** Takes what the device grants inline: some refuse a wish, some lower it. */
    private QueuePair createQueuePair(final long cq) {
        try {
            return adapter.context().createQueuePair(wish(cq, INLINE));
        } catch (final TransportException e) {
            return adapter.context().createQueuePair(wish(cq, 0));
        }
    }

    private QueuePair.Wish wish(final long cq, final int inline) {
        return new QueuePair.Wish(QueuePair.UNRELIABLE_DATAGRAM, cq, 0, sends, receives, 1, inline);
    }

    private void postAll() {
        for (int i = 0; i < receives; i++) {
            final long wr = block + (long) i * (DATAGRAM + mtu);
            final long element = wr + WorkRequest.RECEIVE_BYTES;
            WorkRequest.element(element, wr + GRH_AT, GRH + mtu, region.lkey());
            WorkRequest.receive(wr, wr, element, 1);
            chain(wr);
        }
        post();
        if (failure != null) {
            throw new TransportException(failure);
        }
    }

    int number() {
        return qp.number();
    }

    /** Returns how many datagrams may come before one is recycled. */
    int receives() {
        return receives;
    }

    // --- in --------------------------------------------------------------------------------------

    /** Looks for what has ended. */
    void poll() {
        if (completions.isTime()) {
            completions.looked(completions.take(queue.handle(), receives, ended));
        }
    }

    private void ended(final long completion) {
        final long id = WorkRequest.id(completion);
        final int status = WorkRequest.status(completion);
        if (status != WorkRequest.SUCCESS) {
            if (failure == null) {
                failure = WorkRequest.statusText(status) + " (" + (id < 0 ? "send" : "receive") + ", vendor error "
                        + WorkRequest.vendorError(completion) + "), " + adapter.portState();
            }
        } else if (id < 0) {
            completed = ~id + 1;
        } else {
            lent++;
            UnsafeApi.putInt(id + LENGTH, WorkRequest.length(completion) - GRH);
            arrived.accept(id);
        }
    }

    /** Returns the datagram of a receive. */
    static long datagram(final long receive) {
        return receive + DATAGRAM;
    }

    /** Returns how many bytes it has; any number. */
    static int length(final long receive) {
        return UnsafeApi.getInt(receive + LENGTH);
    }

    /**
     * Whether so many receives are kept that what could wait is better given back: were all kept by datagrams that
     * came too soon, the one that they wait for would find no receive.
     */
    boolean isShort() {
        return lent > receives / 2;
    }

    /** Gives a receive back; some at a time are posted again, with one call. */
    void recycle(final long receive) {
        lent--;
        chain(receive);
        if (freeCount >= receives / 8) {
            post();
        }
    }

    private void chain(final long receive) {
        WorkRequest.next(receive, 0);
        if (freeCount++ == 0) {
            freeFirst = receive;
        } else {
            WorkRequest.next(freeLast, receive);
        }
        freeLast = receive;
    }

    private void post() {
        final int errno = dataPath.postReceive(qp.handle(), freeFirst);
        if (errno != 0 && failure == null) {
            failure = Verbs.failed("ibv_post_recv on " + adapter.name(), errno).getMessage();
        }
        freeCount = 0;
    }

    // --- out -------------------------------------------------------------------------------------

    /** Whether one more can be sent now. */
    boolean hasRoom() {
        return sequence - completed < sends && failure == null;
    }

    /** Returns where the next datagram is to be written. */
    long next() {
        return slot() + SEND_DATAGRAM;
    }

    private long slot() {
        return block + (long) receives * (DATAGRAM + mtu) + sequence % sends * (SEND_DATAGRAM + mtu);
    }

    /**
     * Sends what was written there, with the next {@link #ring}.
     *
     * @param ah the way to the peer
     * @param length bytes
     */
    void send(final long ah, final UdAddress to, final int length) {
        final long wr = slot();
        final boolean isSignalled = sequence - signalled >= signalEvery - 1;
        WorkRequest.element(wr + ELEMENT, wr + SEND_DATAGRAM, length, region.lkey());
        WorkRequest.send(
                wr,
                ~sequence,
                wr + ELEMENT,
                1,
                WorkRequest.SEND,
                (isSignalled ? WorkRequest.SIGNALED : 0) | (length <= qp.maxInline() ? WorkRequest.INLINE : 0));
        WorkRequest.datagram(wr, ah, to.qpn(), to.qkey());
        sequence++;
        if (isSignalled) {
            signalled = sequence;
        }
        if (chainFirst == 0) {
            chainFirst = wr;
        } else {
            WorkRequest.next(chainLast, wr);
        }
        chainLast = wr;
    }

    /** Gives the device all that was sent, with one call. */
    void ring() {
        if (chainFirst == 0) {
            return;
        }
        doorbells++;
        final int errno = dataPath.postSend(qp.handle(), chainFirst);
        if (errno != 0 && failure == null) {
            failure = Verbs.failed("ibv_post_send on " + adapter.name(), errno).getMessage();
        }
        chainFirst = 0;
    }

    /** Returns why nothing can be sent or received any more, or null. */
    String failure() {
        return failure;
    }

    long sent() {
        return sequence;
    }

    long doorbells() {
        return doorbells;
    }

    long looks() {
        return completions.looks();
    }

    long emptyLooks() {
        return completions.emptyLooks();
    }

    private void free() {
        dataPath.close();
        completions.close();
        UnsafeApi.freeMemory(memory);
    }

    /** Breaks it, to rehearse that. */
    void cut(final String why) {
        qp.fail();
        failure = why;
    }

    /** Returns how many sends have been made before those that have ended. */
    long completed() {
        return completed;
    }

    /**
     * Ends all transfers and gives everything back.
     *
     * @throws TransportException if the device does not end them: it keeps what it may still write to
     */
    @Override
    public void close() {
        qp.close();
        adapter.release(queue, receives + sends);
        adapter.context().deregister(region);
        free();
    }
}
