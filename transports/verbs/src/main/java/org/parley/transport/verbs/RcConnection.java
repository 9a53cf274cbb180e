package org.parley.transport.verbs;

import java.util.concurrent.ThreadLocalRandom;
import org.agrona.UnsafeApi;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.QueuePair;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.VerbsContext;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * A queue pair and the memory that its work requests have, in one registered block: receives with their work requests in front of them,
 * so that a completion's id is the address of all there is to know, and a work request for each place of the send queue.
 *
 * <pre>
 *   receive  ibv_recv_wr 32, ibv_sge 16, length 8, prefix 8, frames {@link Dimensions#MESSAGE}
 *   send     ibv_send_wr 128, two ibv_sge 32, prefix 8, a frame that is not retained 40 at most, padded to 256
 *   proof    {@link Adapter#PROOF_BYTES}, read from the peer
 * </pre>
 *
 * <p>Made by the control thread, which connects it; from then on the holder's of the progress word.
 */
final class RcConnection implements AutoCloseable {
    private static final int LENGTH = 48;
    private static final int PREFIX = 56;
    private static final int FRAMES = 64;
    private static final int RECEIVE_BYTES = FRAMES + Dimensions.MESSAGE;

    private static final int SEND_ELEMENTS = WorkRequest.SEND_BYTES;
    private static final int SEND_PREFIX = SEND_ELEMENTS + 2 * WorkRequest.SGE_BYTES;
    private static final int SEND_BYTES = 256;

    private static final int INLINE = 220;
    private static final int PSN_BITS = 24;

    /** 4.096 us times 2 to the power of 18: about a second. */
    private static final int TIMEOUT = 18;

    private final Adapter adapter;
    private final Adapter.State port;
    private final Dimensions dimensions;
    private final Adapter.CompletionQueue completions;
    private final QueuePair qp;
    private final int number;
    private final int psn = ThreadLocalRandom.current().nextInt(1 << PSN_BITS);
    private final long memory;
    private final long block;
    private final VerbsContext.Region region;
    private Offer theirs;

    /** Makes it ready to receive; throws a {@link TransportException} if a resource cannot be had. */
    RcConnection(final Adapter adapter, final Dimensions dimensions, final DataPath dataPath) {
        this.adapter = adapter;
        this.port = adapter.state();
        this.dimensions = dimensions;
        final VerbsContext context = adapter.context();
        memory = UnsafeApi.allocateMemory(bytes(dimensions) + VerbsContext.PAGE);
        block = memory + VerbsContext.PAGE - 1 & -VerbsContext.PAGE;
        UnsafeApi.setMemory(block, bytes(dimensions), (byte) 0);
        VerbsContext.Region registered = null;
        Adapter.CompletionQueue promised = null;
        QueuePair made = null;
        try {
            registered = context.register(block, bytes(dimensions), VerbsContext.LOCAL_WRITE);
            promised = adapter.promise(entries());
            made = createQueuePair(promised.handle());
            made.initialise(adapter.portNumber(), adapter.pkeyIndex(), VerbsContext.REMOTE_READ);
            region = registered;
            completions = promised;
            qp = made;
            number = made.number();
            postAll(dataPath);
        } catch (final TransportException e) {
            if (made != null) {
                made.close();
            }
            if (promised != null) {
                adapter.release(promised, entries());
            }
            context.deregister(registered);
            UnsafeApi.freeMemory(memory);
            throw e;
        }
    }

    /** Returns how many bytes such a connection registers. */
    static long bytes(final Dimensions dimensions) {
        return (long) RECEIVE_BYTES * dimensions.receives()
                + (long) SEND_BYTES * dimensions.sends()
                + Adapter.PROOF_BYTES;
    }

    private int entries() {
        return dimensions.receives() + dimensions.sends();
    }

    /** Takes what the device grants inline: some refuse a wish, some lower it. */
    private QueuePair createQueuePair(final long cq) {
        final int elements = Math.min(2, adapter.limits().maxElements());
        try {
            return adapter.context().createQueuePair(wish(cq, elements, INLINE));
        } catch (final TransportException e) {
            return adapter.context().createQueuePair(wish(cq, elements, 0));
        }
    }

    private QueuePair.Wish wish(final long cq, final int elements, final int inline) {
        return new QueuePair.Wish(
                QueuePair.RELIABLE_CONNECTION, cq, 0, dimensions.sends(), dimensions.receives(), elements, inline);
    }

    private void postAll(final DataPath dataPath) {
        long last = 0;
        for (int i = dimensions.receives() - 1; i >= 0; i--) {
            final long wr = block + (long) RECEIVE_BYTES * i;
            final long element = wr + WorkRequest.RECEIVE_BYTES;
            WorkRequest.element(element, wr + PREFIX, Dimensions.PREFIX + Dimensions.MESSAGE, region.lkey());
            WorkRequest.receive(wr, wr, element, 1);
            WorkRequest.next(wr, last);
            last = wr;
        }
        final int errno = dataPath.postReceive(qp.handle(), last);
        if (errno != 0) {
            throw Verbs.failed("ibv_post_recv on " + adapter.name(), errno);
        }
    }

    /** Returns this end's half. */
    Offer offer() {
        return new Offer(
                number,
                psn,
                port.onFabric(),
                dimensions.receives(),
                Dimensions.MESSAGE,
                Math.min(adapter.limits().maxReads(), Dimensions.READS),
                adapter.proofAddress(),
                adapter.proofKey(),
                adapter.proof());
    }

    /** Connects to the peer's half; throws a {@link TransportException} if that cannot be. */
    void connect(final Offer peers) {
        if (peers.length() != Dimensions.MESSAGE || peers.receives() < 2) {
            throw new TransportException("the peer takes " + peers.receives() + " messages of " + peers.length()
                    + " bytes, this rank sends some of " + Dimensions.MESSAGE
                    + ": all ranks need the same parley jars");
        }
        theirs = peers;
        final FabricPort mine = port.onFabric();
        final int reads = Math.max(0, Math.min(Math.min(adapter.limits().maxReads(), peers.reads()), Dimensions.READS));
        qp.receive(
                new QueuePair.Path(
                        adapter.portNumber(),
                        port.gidIndex(),
                        peers.port().gid(),
                        peers.port().lid()),
                Math.min(mine.mtu(), peers.port().mtu()),
                peers.qpn(),
                peers.psn(),
                reads);
        qp.send(psn, reads, TIMEOUT);
    }

    /** Returns the peer's half. */
    Offer theirs() {
        return theirs;
    }

    /** Whether the pair may have RDMA READs under way. */
    boolean mayRead() {
        return adapter.limits().maxReads() > 0 && theirs.reads() > 0;
    }

    Dimensions dimensions() {
        return dimensions;
    }

    int number() {
        return number;
    }

    long handle() {
        return qp.handle();
    }

    int maxInline() {
        return qp.maxInline();
    }

    int lkey() {
        return region.lkey();
    }

    /** Says which way it is, for people. */
    String text() {
        return adapter.name() + " " + port.onFabric().text() + " to "
                + (theirs == null ? "nobody" : theirs.port().text());
    }

    // --- receives, named by the address of their work request ----------------------------------------

    /** Notes how many bytes of frames have come. */
    static void length(final long receive, final int bytes) {
        UnsafeApi.putInt(receive + LENGTH, bytes);
    }

    static int length(final long receive) {
        return UnsafeApi.getInt(receive + LENGTH);
    }

    /** Returns where the frames of a message are. */
    static long frames(final long receive) {
        return receive + FRAMES;
    }

    /** Returns how many receives its sender has posted in all. */
    static int granted(final long receive) {
        return UnsafeApi.getInt(receive + PREFIX);
    }

    /** Returns what a message says beside. */
    static int flags(final long receive) {
        return UnsafeApi.getInt(receive + PREFIX + 4);
    }

    // --- places of the send queue --------------------------------------------------------------------

    /** Returns the work request of a send, by its number. */
    long send(final long sequence) {
        return block + (long) RECEIVE_BYTES * dimensions.receives() + sequence % dimensions.sends() * SEND_BYTES;
    }

    static long elements(final long send) {
        return send + SEND_ELEMENTS;
    }

    static long prefix(final long send) {
        return send + SEND_PREFIX;
    }

    /** Returns where the peer's proof is read to. */
    long proof() {
        return block + bytes(dimensions) - Adapter.PROOF_BYTES;
    }

    /** Ends all that is posted, as flushed; what has come before stays. */
    void fail() {
        qp.fail();
    }

    /** Ends all transfers: from here on the device touches no memory for it. */
    void stop() {
        qp.close();
    }

    /** Gives everything back. */
    @Override
    public void close() {
        qp.close();
        adapter.release(completions, entries());
        adapter.context().deregister(region);
        UnsafeApi.freeMemory(memory);
    }
}
