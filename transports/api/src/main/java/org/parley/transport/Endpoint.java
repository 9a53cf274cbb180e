package org.parley.transport;

import org.agrona.UnsafeApi;

/**
 * The sending half of a link to one peer. Three ways lead out: {@link #claim}/{@link #commit} for
 * short frames (copied once, into the wire's own memory), {@link #claimGathered}/{@link
 * #commitGathered} for long ones that leave from where they lie, where {@link
 * Capabilities#gatherFragment()} says so, and {@link #expose} for memory that the peer fetches with its
 * own {@link #get}, where {@link Capabilities#get()} does.
 *
 * <p>Results are numbers, never exceptions: back-pressure is an ordinary answer. Threads: as {@link
 * Transport} says.
 */
public abstract class Endpoint {

    /** The wire has no room at present: poll, then try again. */
    public static final long BACK_PRESSURED = -1;

    /** The link is gone and will not come back. */
    public static final long CLOSED = -2;

    /** The peer's memory cannot be read from here: use frames instead. */
    public static final long UNREACHABLE = -3;

    /** For subclasses. */
    protected Endpoint() {}

    /**
     * Claims room for one frame. The caller writes the frame at the returned address, then calls
     * {@link #commit} or {@link #abort} before it claims again.
     *
     * @param length the frame's length in bytes, 1 to {@link Capabilities#maxFrame()}
     * @return a native address, aligned to 4 bytes, or {@link #BACK_PRESSURED} or {@link #CLOSED}
     */
    public abstract long claim(int length);

    /** Publishes the claimed frame: from here on the peer will see it, whole. */
    public abstract void commit();

    /**
     * Publishes the claimed frame of a caller who will be back soon: a wire to which each start is dear may let it wait for others
     * until the next {@link #commit}, the next poll or, where neither comes, for some milliseconds.
     *
     * @return whether it waits
     */
    public boolean commitLater() {
        commit();
        return false;
    }

    /**
     * Publishes the claimed frame, whose last bytes are still to be copied. A wire may send them from
     * where they lie, and copy them meanwhile.
     *
     * @param frame what {@link #claim} returned
     * @param head bytes that the caller has written there, at least 1
     * @param payload native address of the bytes that follow; the caller's again after the return
     * @param length how many, at least 1
     */
    public void commit(final long frame, final int head, final long payload, final int length) {
        UnsafeApi.copyMemory(payload, frame + head, length);
        commit();
    }

    /**
     * Claims room for the head of a frame whose payload is sent from where it lies. The caller writes
     * the head at the returned address, then calls {@link #commitGathered} or {@link #abort}.
     *
     * @param head bytes of the head, at least 1
     * @param payload bytes of the payload, 1 to {@link Capabilities#gatherFragment()}
     * @return as {@link #claim}
     */
    public long claimGathered(final int head, final int payload) {
        throw new IllegalStateException("this transport's capabilities do not include gathering");
    }

    /**
     * Publishes the claimed frame. The payload stays as it is until the peer has told, above this
     * transport, that it has the data: a wire that breaks may send it again.
     *
     * @param payload native address of the payload
     */
    public void commitGathered(final long payload) {
        throw new IllegalStateException("this transport's capabilities do not include gathering");
    }

    /** Gives the claimed room back; the peer sees nothing. */
    public abstract void abort();

    /**
     * Lets the peer read native memory until {@link #conceal}. The caller keeps the memory alive
     * and unchanged meanwhile.
     *
     * @param address native address
     * @param length bytes
     * @param region number of the {@link SharedRegion} that the memory is part of, or 0
     * @return a key for the peer's {@link #get}, or 0 where the memory cannot be exposed now
     */
    public long expose(final long address, final long length, final int region) {
        return 0;
    }

    /**
     * Ends what {@link #expose} began, after the peer said that it has the data.
     *
     * @param key what {@code expose} returned
     */
    public void conceal(final long key) {}

    /**
     * Reads memory that the peer exposed. Accepted reads end with one call of {@link
     * FrameHandler#onTransferred}, which may come from within this method.
     *
     * @param remoteAddress native address in the peer
     * @param key the peer's key
     * @param localAddress native address here
     * @param localRegion number of the {@link SharedRegion} that it is part of, or 0
     * @param length bytes
     * @param token given back on completion
     * @return 0 if accepted, or {@link #UNREACHABLE}: not now and not later for this peer
     */
    public long get(
            final long remoteAddress,
            final long key,
            final long localAddress,
            final int localRegion,
            final long length,
            final long token) {
        throw new IllegalStateException("this transport's capabilities do not include get");
    }

    /** Whether all committed frames have left this process, or lie where the peer reads them. */
    public boolean isSent() {
        return true;
    }

    /** Returns how many committed bytes have neither left this process nor lie where the peer reads them. */
    public long unsent() {
        return 0;
    }

    /** Whether the peer's software has all committed frames, or they lie where it reads them. */
    public boolean isAcknowledged() {
        return true;
    }

    /** Returns a number that grows with what the peer has acknowledged: a wire that stands still is told by it. */
    public long acknowledged() {
        return 0;
    }

    /** Releases this side of the link; frames already committed stay readable for the peer. */
    public abstract void close();
}
