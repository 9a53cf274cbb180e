package org.parley.transport;

import java.util.List;
import java.util.Map;

/**
 * One way of carrying frames between ranks: the calling process to itself, shared memory, sockets,
 * verbs.
 *
 * <p>Implementations are found by {@link java.util.ServiceLoader}, have a constructor without
 * arguments, and are opened once per rank: several ranks of one JVM have an instance each.
 *
 * <p><b>Order and reliability.</b> Frames of one endpoint arrive in the order of their commits, each
 * once, or the handler learns by {@link FrameHandler#onLinkDown} that the link is gone.
 *
 * <p><b>Threads.</b> {@link #probe} and {@link #open} are called once, by the thread that creates
 * the rank, {@link #statistics} by any. All other methods, and all methods of the endpoints, are called only by the holder of
 * the rank's progress word, one thread at a time; the transport needs no locks of its own. The
 * handler is called only from within {@link #poll} and {@link Endpoint#get}.
 */
public interface Transport extends AutoCloseable {

    /** Returns the name that users write in {@code --transports}: lower case, no spaces. */
    String name();

    /** Returns the options that this transport reads from its context, for help and checking. */
    default List<Option> options() {
        return List.of();
    }

    /**
     * Says whether this machine and this process can use the transport, or the exact reason why
     * not. Costs little and changes nothing.
     *
     * @param context where the rank is
     * @return available, or the reason why not and what to do about it
     */
    Availability probe(TransportContext context);

    /**
     * Makes the transport ready: after this, peers that know {@link #address()} can connect.
     *
     * @param context where the rank is
     * @param handler where frames go
     * @throws TransportException if a resource cannot be had, naming it, where, and what to do
     */
    void open(TransportContext context, FrameHandler handler);

    /** Returns what this transport can do; constant after {@link #open}. */
    Capabilities capabilities();

    /** Returns what a peer needs to connect to this rank; opaque to everyone but this transport. */
    byte[] address();

    /**
     * Says whether the owner of an address can be reached by this transport. Symmetric: both sides
     * come to the same answer.
     *
     * @param address the peer's {@link #address()}
     * @return available, or the exact reason why not
     */
    Availability reaches(byte[] address);

    /**
     * Connects to a peer. May return before the peer noticed; claims may then be back-pressured.
     *
     * @param peer the index under which the handler knows the peer
     * @param address the peer's {@link #address()}
     * @return the endpoint to that peer
     * @throws TransportException if the link cannot be made, naming the peer and the cause
     */
    Endpoint connect(int peer, byte[] address);

    /**
     * Hands arrived frames to the handler and moves unfinished transfers on.
     *
     * @param limit the most frames to hand over per peer
     * @return how much was done; 0 if there was nothing to do
     */
    int poll(int limit);

    /**
     * Ends the link of a peer that the runtime takes for failed: nothing more of it is handed over, and
     * the handler is not told.
     *
     * @param peer its index
     */
    default void drop(final int peer) {
        // Most wires end with the peer.
    }

    /**
     * Whether frames of a peer that has left may still be on their way. Where it is so, that ends by itself: by what the
     * peer says last on the wire, or with the wire.
     *
     * @param peer its index
     */
    default boolean mayDeliver(final int peer) {
        return false;
    }

    /** Returns what {@link #statistics} may tell of, each with its meaning. */
    default List<Counter> counted() {
        return List.of();
    }

    /** Returns what happened so far, by the name of its counter, for reports; any thread, so it may lag behind. */
    default Map<String, Long> statistics() {
        return Map.of();
    }

    /** Releases everything. Frames that are not yet taken by the peer stay readable for it. */
    @Override
    void close();
}
