package org.parley.transport.tck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.UnsafeApi;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.Transport;

/**
 * One rank of a {@link TestJob}: its transport, its endpoints, and all that its handler was told.
 * Peer indexes are never equal to ranks, so that a transport which confuses them is seen. Used by
 * one thread at a time.
 */
public final class TestRank {
    private static final int FIRST_INDEX = 100;
    private static final int POLL_LIMIT = 64;

    private final TestJob job;
    private final int rank;
    private final Transport transport;
    private final Recorder recorder = new Recorder();
    private final List<Integer> ranks = new ArrayList<>();
    private final Map<Integer, Endpoint> endpoints = new HashMap<>();
    private final Map<Integer, ArrayDeque<byte[]>> frames = new HashMap<>();
    private final Map<Integer, Integer> greetings = new HashMap<>();
    private final Map<Integer, String> linksDown = new HashMap<>();
    private final Map<Long, String> transfers = new HashMap<>();
    private boolean polling;
    private boolean getting;
    private long received;
    private boolean closed;

    TestRank(final TestJob job, final int rank, final Transport transport) {
        this.job = job;
        this.rank = rank;
        this.transport = transport;
    }

    /** Returns the rank in its job. */
    public int rank() {
        return rank;
    }

    /** Returns the transport under test. */
    public Transport transport() {
        return transport;
    }

    /** Closes the transport; a second call does nothing. */
    public void close() {
        if (!closed) {
            closed = true;
            transport.close();
        }
    }

    /** Returns what the transport talks to. */
    FrameHandler handler() {
        return recorder;
    }

    /**
     * Returns the endpoint to a peer, which is connected at the first call.
     *
     * @param peer the peer's rank
     */
    public Endpoint to(final int peer) {
        final Endpoint endpoint = endpoints.get(peer);
        return endpoint != null ? endpoint : connect(peer, job.rank(peer).address());
    }

    /**
     * Connects to a peer where an address says that it is.
     *
     * @param peer the peer's rank
     * @param address what leads there
     */
    public Endpoint connect(final int peer, final byte[] address) {
        final Endpoint endpoint = transport.connect(indexOf(peer), address);
        endpoints.put(peer, endpoint);
        return endpoint;
    }

    /** Returns what peers need to connect to this rank. */
    public byte[] address() {
        return transport.address();
    }

    /**
     * Sends a frame if the wire has room.
     *
     * @param peer the peer's rank
     * @param frame its bytes
     * @return false if the wire had no room
     */
    public boolean send(final int peer, final byte[] frame) {
        final Endpoint endpoint = to(peer);
        final long address = endpoint.claim(frame.length);
        if (address == Endpoint.BACK_PRESSURED) {
            return false;
        }
        if (address < 0) {
            throw new AssertionError("a claim of " + frame.length + " bytes returned " + address);
        }
        UnsafeApi.copyMemory(frame, UnsafeApi.arrayBaseOffset(byte[].class), null, address, frame.length);
        endpoint.commit();
        return true;
    }

    /** Polls with a limit that does not matter. */
    public int poll() {
        return poll(POLL_LIMIT);
    }

    /**
     * Polls.
     *
     * @param limit the most frames per peer
     * @return what the transport returned
     */
    public int poll(final int limit) {
        polling = true;
        try {
            return transport.poll(limit);
        } finally {
            polling = false;
        }
    }

    /**
     * Starts to fetch what a peer exposed.
     *
     * @param peer the peer's rank
     * @param remoteAddress native address there
     * @param key what {@code expose} returned there
     * @param localAddress native address here
     * @param length bytes
     * @param token for {@link #hasEnded}
     * @return what the endpoint returned
     */
    public long get(
            final int peer,
            final long remoteAddress,
            final long key,
            final long localAddress,
            final long length,
            final long token) {
        final Endpoint endpoint = to(peer);
        getting = true;
        try {
            return endpoint.get(remoteAddress, key, localAddress, 0, length, token);
        } finally {
            getting = false;
        }
    }

    /**
     * Returns the frames from a peer that were not taken out yet, in order of arrival.
     *
     * @param peer the peer's rank
     */
    public ArrayDeque<byte[]> from(final int peer) {
        return frames.computeIfAbsent(peer, key -> new ArrayDeque<>());
    }

    /** Returns how many frames arrived, from all peers. */
    public long received() {
        return received;
    }

    /**
     * Returns how often the handler was asked for the index of a peer.
     *
     * @param peer the peer's rank
     */
    public int greetings(final int peer) {
        return greetings.getOrDefault(peer, 0);
    }

    /**
     * Says whether a fetch has ended.
     *
     * @param token as given to {@link #get}
     */
    public boolean hasEnded(final long token) {
        return transfers.containsKey(token);
    }

    /**
     * Returns why a fetch failed, or null.
     *
     * @param token as given to {@link #get}
     */
    public String failureOf(final long token) {
        return transfers.get(token);
    }

    /** Returns the causes of links that went down, by the peer's rank. */
    public Map<Integer, String> linksDown() {
        return linksDown;
    }

    /**
     * Drops a peer.
     *
     * @param peer the peer's rank
     */
    public void drop(final int peer) {
        transport.drop(indexOf(peer));
    }

    private int indexOf(final int peer) {
        int place = ranks.indexOf(peer);
        if (place < 0) {
            place = ranks.size();
            ranks.add(peer);
        }
        return FIRST_INDEX + place;
    }

    private int rankOf(final int index) {
        final int place = index - FIRST_INDEX;
        if (place < 0 || place >= ranks.size()) {
            throw new AssertionError("the handler gave no peer the index " + index);
        }
        return ranks.get(place);
    }

    private final class Recorder implements FrameHandler {
        @Override
        public int onPeer(final int peer) {
            mayCall();
            greetings.merge(peer, 1, Integer::sum);
            return indexOf(peer);
        }

        @Override
        public byte[] addressOf(final int peer, final String name) {
            mayCall();
            return job.rank(peer).address();
        }

        @Override
        public void onFrame(final int peer, final long address, final int length) {
            mayCall();
            if (length < 1) {
                throw new AssertionError("a frame of " + length + " bytes");
            }
            final byte[] bytes = new byte[length];
            UnsafeApi.copyMemory(null, address, bytes, UnsafeApi.arrayBaseOffset(byte[].class), length);
            from(rankOf(peer)).add(bytes);
            received++;
        }

        @Override
        public void onTransferred(final long token, final String failure) {
            mayCall();
            if (transfers.containsKey(token)) {
                throw new AssertionError("transfer " + token + " ended twice");
            }
            transfers.put(token, failure);
        }

        @Override
        public void onLinkDown(final int peer, final String cause) {
            mayCall();
            linksDown.put(rankOf(peer), cause);
        }

        private void mayCall() {
            if (!polling && !getting) {
                throw new AssertionError("the handler was called outside of poll and get");
            }
        }
    }
}
