package org.parley.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;

/** The sessions with the ranks that this one has to do with, made on first use, and which are gone. */
final class Peers {
    private final List<Session> sessions = new ArrayList<>();
    private final Int2ObjectHashMap<Session> sessionOfRank = new Int2ObjectHashMap<>();
    private final List<Session> leaving = new ArrayList<>();
    private final List<Session> failed = new ArrayList<>();

    Session ofRank(final int rank) {
        Session session = sessionOfRank.get(rank);
        if (session == null) {
            session = new Session(sessions.size(), rank);
            sessions.add(session);
            sessionOfRank.put(rank, session);
        }
        return session;
    }

    Session ofIndex(final int peer) {
        return sessions.get(peer);
    }

    /** Returns how many there are; their indexes are below. */
    int size() {
        return sessions.size();
    }

    /** Those that have left, and whose last frames may still be on their way. */
    List<Session> leaving() {
        return leaving;
    }

    /** Returns a number that grows as long as any peer acknowledges something. */
    long acknowledged() {
        long sum = 0;
        for (final Session session : sessions) {
            sum += session.endpoint == null ? 0 : session.endpoint.acknowledged();
        }
        return sum;
    }

    /** Notes that a peer is gone; false if that was known. */
    boolean end(final Session session, final String cause, final boolean hasFailed) {
        leaving.remove(session);
        if (session.failure != null) {
            return false;
        }
        if (hasFailed) {
            failed.add(session);
        }
        session.failure = cause;
        return true;
    }

    /** Notes that a peer that is known to be gone has failed after all; false if that was known, too. */
    boolean failedLater(final Session session, final String cause) {
        if (session.failure == null || failed.contains(session)) {
            return false;
        }
        failed.add(session);
        session.failure = cause;
        return true;
    }

    boolean hasFailed(final int rank) {
        return !failed.isEmpty() && failed.contains(sessionOfRank.get(rank));
    }

    /** Shows every session. */
    void forEach(final Consumer<Session> action) {
        List.copyOf(sessions).forEach(action);
    }

    /** Whether the frames for all peers that are not gone have left; or have been acknowledged, too. */
    boolean areFlushed(final boolean acknowledged) {
        for (final Session session : sessions) {
            if (session.endpoint != null
                    && session.failure == null
                    && !(acknowledged ? session.endpoint.isAcknowledged() : session.endpoint.isSent())) {
                return false;
            }
        }
        return true;
    }

    boolean isGone(final int rank) {
        final Session session = sessionOfRank.get(rank);
        return session != null && session.failure != null;
    }

    /** Returns the first peer that has failed, rather than left, or null. */
    Session dead() {
        return failed.isEmpty() ? null : failed.get(0);
    }
}
