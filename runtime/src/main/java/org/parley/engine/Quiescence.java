package org.parley.engine;

import java.util.BitSet;
import java.util.List;
import org.parley.config.Options;
import org.parley.wireup.Petition;
import org.parley.wireup.Place;
import org.parley.wireup.Ruling;

/**
 * Which ranks are left alone for now, since the machine of one is to be moved: nothing new is sent to them, nor by them, over
 * links that leave a machine. Belongs to the holder of the progress word, but for {@link #isOn}. A rank that computes sends
 * nothing; its first call hears of this before it sends.
 */
public final class Quiescence {
    /** More are not named. */
    private static final int NAMED = 4;

    private final Place place;
    private final Peers peers;
    private final long limit;
    private final BitSet quiet = new BitSet();
    private long patience;
    private boolean asked;
    private volatile boolean isOn;

    Quiescence(final Place place, final Peers peers, final Options options) {
        this.place = place;
        this.peers = peers;
        this.limit = options.number(Options.QUIESCE_LIMIT);
    }

    /** The wait until nothing is under way any more. */
    private final class Drain implements Pending {
        private final long deadline;

        Drain(final long nanos) {
            deadline = System.nanoTime() + nanos;
        }

        @Override
        public boolean isDone() {
            return isDrained() || System.nanoTime() - deadline >= 0;
        }

        @Override
        public String describe() {
            return "quiesce: until what was sent is acknowledged";
        }
    }

    /**
     * Begins to leave this rank alone, and tells the others.
     *
     * @param nanos how long to wait at most
     * @return a wait until {@link #isDrained}, or until it has been as long
     */
    public Pending begin(final long nanos) {
        asked = true;
        place.ask(new Petition.Quiescence(limit));
        quiet.set(place.rank());
        patience = limit;
        apply();
        return new Drain(nanos);
    }

    /** Ends what {@link #begin} began. */
    public void end() {
        if (asked) {
            asked = false;
            place.ask(new Petition.Quiescence(0));
            quiet.clear(place.rank());
            apply();
        }
    }

    /** The job's arbiter has told who is left alone. */
    void told(final Ruling.Quiesced ruling) {
        quiet.clear();
        ruling.ranks().stream().filter(rank -> rank >= 0).forEach(quiet::set);
        patience = ruling.nanos();
        apply();
        if (quiet.get(place.rank())) {
            place.ask(new Petition.Drain(ruling.number(), left()));
        }
    }

    private void apply() {
        isOn = !quiet.isEmpty();
        peers.forEach(this::apply);
    }

    /** A session has an endpoint. */
    void apply(final Session session) {
        if (session.endpoint == null) {
            return;
        }
        if (quiet.get(place.rank()) || quiet.get(session.rank())) {
            session.endpoint.quiesce(patience);
        } else {
            session.endpoint.resume();
        }
    }

    /** Whether any rank is left alone. Any thread. */
    boolean isOn() {
        return isOn;
    }

    /** Returns a number that changes as long as peers acknowledge something, or may be waited for all the same. */
    long progress() {
        return isOn ? System.nanoTime() : peers.acknowledged();
    }

    /** Whether nothing of this rank is under way, nor may have to be sent again. */
    public boolean isDrained() {
        return peers.undrained().isEmpty();
    }

    private String left() {
        final List<Session> undrained = peers.undrained();
        final StringBuilder text = new StringBuilder();
        for (final Session session : undrained.subList(0, Math.min(NAMED, undrained.size()))) {
            text.append(text.isEmpty() ? "not all that it has sent is acknowledged by rank " : ", ")
                    .append(session.rank());
        }
        return text.append(undrained.size() > NAMED ? " and others" : "").toString();
    }
}
