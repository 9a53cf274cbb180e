package org.parley.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of bytes that wait to leave, or to come, and do not move: of a link that carries nothing, of a receiver that never
 * takes. A rank that waits for a message which nobody has sent is none of that. Told once per peer and stall; where it
 * happens again with a peer, twice as late each time: some programs just are so.
 *
 * <p>Two things are looked at: what waits behind its link, which moves as soon as anything there does; and each message by
 * itself that only waits for its receiver, or comes. Belongs to the holder of the progress word, but for {@link #order}.
 */
final class Stalls {
    /** Looks are further apart than this where the rank was outside of the library, or asleep: then nothing could move. */
    private static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(6);

    /** Memory that the other side reads by itself moves without a sign: it has so long for each byte, 10 MB/s, on top. */
    private static final long READ_NANOS = 100;

    private static final int MOST_DOUBLINGS = 10;

    /** What is known of one peer. */
    private static final class OfPeer {
        /** Bytes behind its link, a sum that changes when one of them moves, and when it did. */
        long behind;

        long sign;
        long lastSign;
        long moved;

        /** Bytes that stand still, to it and from it, and since when. */
        long out;

        long in;
        long since;

        /** Whether this stall has been told, and how many have. */
        boolean isTold;

        int times;

        void clear() {
            behind = 0;
            sign = 0;
            out = 0;
            in = 0;
            since = Long.MAX_VALUE;
        }
    }

    private final Engine engine;
    private final Peers peers;
    private final Counts counts;
    private final int rank;
    private final long limit;
    private final List<OfPeer> known = new ArrayList<>();

    /** When the last look was, and before when nothing counts. */
    private long looked = System.nanoTime();

    private long floor = looked;
    private long now;
    private volatile boolean due;

    /** @param limit nanoseconds; 0: nothing is told */
    Stalls(final Engine engine, final Peers peers, final Counts counts, final int rank, final long limit) {
        this.engine = engine;
        this.peers = peers;
        this.counts = counts;
        this.rank = rank;
        this.limit = limit;
    }

    /** Orders a look, unless one is ordered already. Any thread. */
    void order(final News news) {
        if (limit > 0 && !due) {
            due = true;
            news.tell(this::look);
        }
    }

    private void look() {
        due = false;
        now = System.nanoTime();
        if (now - looked > AWAY_NANOS) {
            floor = now;
        }
        looked = now;
        while (known.size() < peers.size()) {
            known.add(new OfPeer());
        }
        known.forEach(OfPeer::clear);
        engine.operations.forEachUnderWay(this::add);
        for (int peer = 0; peer < known.size(); peer++) {
            final Session session = peers.ofIndex(peer);
            if (session.failure == null && session.endpoint != null) {
                judge(session, known.get(peer));
            }
        }
    }

    private void add(final Operation op) {
        final OfPeer peer = known.get(op.session.peer());
        if (op instanceof SendOperation send) {
            final long left = send.payload.bytes() - send.sent;
            if (send.announced && send.peerOperation == 0) {
                peer.out += standsStill(send, 0, send.key == 0 ? 0 : left * READ_NANOS, peer) ? left : 0;
            } else {
                peer.behind += left;
                peer.sign = peer.sign * 31 + send.id() + send.sent;
            }
        } else if (op instanceof ReceiveOperation receive && receive.queue == null && receive.peerOperation != 0) {
            final long left = receive.bytes - receive.received;
            peer.in += standsStill(receive, receive.received, receive.received == 0 ? left * READ_NANOS : 0, peer)
                    ? left
                    : 0;
        }
    }

    /** Whether a message by itself has not moved for long. */
    private boolean standsStill(final Operation op, final long progress, final long more, final OfPeer peer) {
        if (op.since == 0 || op.progress != progress) {
            op.since = now;
            op.progress = progress;
        }
        final long still = Math.max(op.since, floor);
        if (now - still < limitOf(peer) + more) {
            return false;
        }
        peer.since = Math.min(peer.since, still);
        return true;
    }

    private long limitOf(final OfPeer peer) {
        return limit << Math.min(MOST_DOUBLINGS, peer.isTold ? peer.times - 1 : peer.times);
    }

    private void judge(final Session session, final OfPeer peer) {
        final long unsent = session.endpoint.unsent();
        peer.behind += unsent;
        // A long frame leaves for a while before anything of it can be acknowledged.
        peer.sign += session.endpoint.acknowledged() * 1_000_003 + unsent;
        if (peer.behind == 0 || peer.sign != peer.lastSign || peer.moved == 0) {
            peer.lastSign = peer.sign;
            peer.moved = now;
        }
        final long still = Math.max(peer.moved, floor);
        if (now - still >= limitOf(peer)) {
            peer.out += peer.behind;
            peer.since = Math.min(peer.since, still);
        }
        if (peer.out == 0 && peer.in == 0) {
            peer.isTold = false;
        } else if (!peer.isTold) {
            peer.isTold = true;
            peer.times++;
            counts.stalls++;
            if (engine.recorder != null) {
                engine.recorder.stalls(session, peer.out, peer.in, now - peer.since);
            }
            Log.LOGGER.warn(
                    "rank {}: {} have not moved for {} s: {}",
                    rank,
                    text(session, peer),
                    TimeUnit.NANOSECONDS.toSeconds(now - peer.since),
                    peer.out == 0
                            ? "the peer is outside of the library or stopped, or the network does not carry them"
                            : "the peer takes none of them, is outside of the library or stopped, or the network does not"
                                    + " carry them");
        }
    }

    private String text(final Session session, final OfPeer peer) {
        final String who =
                "rank %d (%s, over %s)".formatted(session.rank(), engine.links.host(session.rank()), session.transport);
        if (peer.in == 0) {
            return peer.out + " bytes for " + who;
        }
        return (peer.out == 0 ? "" : peer.out + " bytes for and ") + peer.in + " bytes from " + who;
    }

    /** Loaded only when there is something to say: a logging framework takes its time to start. */
    private static final class Log {
        static final Logger LOGGER = LoggerFactory.getLogger(Stalls.class);
    }
}
