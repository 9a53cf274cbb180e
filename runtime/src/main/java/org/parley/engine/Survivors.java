package org.parley.engine;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Int2ObjectHashMap;
import org.parley.JobException;
import org.parley.ParleyException;
import org.parley.PeerFailedException;
import org.parley.RevokedException;
import org.parley.config.Options;
import org.parley.wireup.Members;
import org.parley.wireup.Petition;
import org.parley.wireup.Place;
import org.parley.wireup.Ruling;

/**
 * What becomes of communicators when members fail: which of them are closed to messages, and what their members agree on
 * through the job's {@link org.parley.wireup.Arbiter}. A communicator has two contexts; the one of collectives is closed as
 * soon as a member has failed, both when it is revoked. Belongs to the holder of the progress word, but for {@link #told}.
 */
public final class Survivors {
    /** Who has revoked a communicator, by its context. */
    private final Int2IntHashMap revokedBy = new Int2IntHashMap(-1);

    /** What the members of a communicator agree on, once they do. */
    public static final class Agreement implements Pending {
        private final Petition.Vote vote;
        private final int rank;
        private Ruling.Agreed result;
        private ParleyException failure;

        private Agreement(final Petition.Vote vote, final int rank) {
            this.vote = vote;
            this.rank = rank;
        }

        private boolean isOf(final Ruling.Agreed ruling) {
            return ruling.context() == vote.context() && ruling.sequence() == vote.sequence();
        }

        @Override
        public boolean isDone() {
            return result != null || failure != null;
        }

        @Override
        public String describe() {
            return (vote.shrinks() ? "shrink" : "agree")
                    + (vote.context() == 0 ? "" : ", communicator " + vote.context() / 2);
        }

        @Override
        public void needs(final Needs needs) {
            vote.members().forEach(needs::of);
            needs.not(rank);
        }

        /** Returns why there is none, or null. */
        public ParleyException failure() {
            return failure;
        }

        /** Returns what was agreed. */
        public Ruling.Agreed result() {
            return result;
        }
    }

    private final Engine engine;
    private final Place place;
    private final boolean continues;

    /** By context, why nothing more is received or sent under it. */
    private final Int2ObjectHashMap<ParleyException> closed = new Int2ObjectHashMap<>();

    private final List<WeakReference<Group>> groups = new ArrayList<>();
    private final List<Agreement> agreements = new ArrayList<>();
    private int losses;
    private int nextContext = 2;

    /** Why the arbiter cannot be asked, or null. */
    private ParleyException alone;

    /** Why this rank is no longer part of its job, or null. */
    private ParleyException fenced;

    Survivors(final Engine engine, final Place place, final Options options) {
        this.engine = engine;
        this.place = place;
        this.continues = options.text(Options.FAULT_TOLERANCE).equals(Options.CONTINUE);
    }

    /** Returns the next context that no communicator of this rank has; contexts come in pairs. */
    public int nextContext() {
        return nextContext;
    }

    /** Takes contexts, up to and with {@code context} + 1, that all members agreed on. */
    public void useContext(final int context) {
        nextContext = context + 2;
    }

    /** Returns how often something has failed that operations may have waited for. */
    public int losses() {
        return losses;
    }

    /** Whether the job goes on without ranks that fail. */
    public boolean continues() {
        return continues;
    }

    /** Keeps an eye on a communicator, which may have been revoked before it was made here. */
    public void add(final Group group) {
        groups.removeIf(other -> other.get() == null);
        groups.add(new WeakReference<>(group));
        final ParleyException revoked = fenced != null ? fenced : closed.get(group.context());
        if (revoked != null) {
            group.close(revoked);
        }
        final Session failed = group.unacknowledged(engine.peers());
        if (failed != null) {
            closeCollectives(group, engine.failed(failed));
        }
    }

    private List<Group> groups() {
        return groups.stream().map(WeakReference::get).filter(Objects::nonNull).toList();
    }

    /** Whether nobody will receive what comes under a context. */
    boolean isClosed(final int context) {
        return !closed.isEmpty() && closed.containsKey(context);
    }

    /** Returns what {@link Frame#REFUSED} is to say of a closed context: the member that has failed, or -1 - who revoked it. */
    long refusedFor(final int context) {
        final int by = revokedBy.get(context & ~1);
        return by < 0 && closed.get(context) instanceof PeerFailedException failed
                ? failed.rank()
                : -1 - Math.max(0, by);
    }

    /** Returns why a peer has refused a message. Of a revocation this rank may hear so before the arbiter tells it. */
    ParleyException refusal(final Session peer, final int context, final long reason) {
        if (reason < 0) {
            revoked(context & ~1, (int) (-1 - reason));
        }
        final ParleyException known = closed.get(context);
        return known != null
                ? known
                : new PeerFailedException(
                        (int) reason, "rank " + reason + " has failed, as rank " + peer.rank() + " was told");
    }

    private void close(final int context, final ParleyException cause) {
        losses++;
        if (closed.putIfAbsent(context, cause) != null) {
            return;
        }
        final List<ScheduleRun> runs = new ArrayList<>();
        engine.operations.forEachRun(context, runs::add);
        runs.forEach(run -> run.abort(cause));
        engine.close(context, cause);
    }

    /** Returns a failed peer that receives from any source of a group may be waiting for, or null. */
    Session dead(final Group group) {
        final Session first = engine.peers().dead();
        return first != null && continues ? group.unacknowledged(engine.peers()) : first;
    }

    /** Whether nothing can come from any source of a group any more, or what is waited for might have been a failed peer's. */
    boolean isDeserted(final Group group) {
        return dead(group) != null || group.isDeserted(engine.peers());
    }

    /** Returns why nothing can come any more from a peer; for null, from any of a group. */
    ParleyException noneCanCome(final Session session, final Group group) {
        if (session != null) {
            return engine.failed(session);
        }
        if (group.closed() != null) {
            return group.closed();
        }
        final Session dead = dead(group);
        return dead != null
                ? engine.failed(dead)
                : new ParleyException("nothing can come from any source: all other ranks of the communicator are gone");
    }

    // --- failures --------------------------------------------------------------------------

    /** A rank has failed: collectives of its communicators end at all other members, which might wait for each other. */
    void failed(final Session session, final PeerFailedException cause) {
        losses++;
        for (final Group group : groups()) {
            if (group.contains(session.rank())) {
                closeCollectives(group, cause);
            }
        }
    }

    private void closeCollectives(final Group group, final ParleyException cause) {
        group.breakBy(cause);
        close(group.context() + 1, cause);
    }

    /** A link to a peer has failed, of which this rank alone may know. */
    void suspects(final Session session, final String cause) {
        if (continues && alone == null) {
            place.ask(new Petition.Suspicion(session.rank(), cause));
        }
    }

    /** Returns the members of a communicator that have failed, by rank in it. */
    public List<Integer> failed(final Group group) {
        return group.failed(engine.peers());
    }

    /**
     * Lets receives from any source wait for those that are left.
     *
     * @return the members whose failures are known now, by rank in the communicator
     */
    public List<Integer> acknowledge(final Group group) {
        final List<Integer> failed = failed(group);
        group.acknowledge(failed);
        return failed;
    }

    // --- what the arbiter is asked ---------------------------------------------------------

    /**
     * Ends a communicator here and, as soon as they hear of it, at all other members.
     *
     * @param group the communicator's
     * @param members the same, for the arbiter
     */
    public void revoke(final Group group, final Members members) {
        if (group.closed() == null) {
            checkInJob();
            place.ask(new Petition.Revocation(group.context(), members));
            revoked(group.context(), place.rank());
        }
    }

    /**
     * Votes; the result comes later, and never without a vote of all members that are there.
     *
     * @param vote this rank's
     */
    public Agreement vote(final Petition.Vote vote) {
        checkInJob();
        final Agreement agreement = new Agreement(vote, place.rank());
        agreements.add(agreement);
        place.ask(vote);
        return agreement;
    }

    private void checkInJob() {
        final ParleyException cause = fenced != null ? fenced : alone;
        if (cause != null) {
            throw new JobException(cause.getMessage(), cause);
        }
    }

    // --- what it tells ---------------------------------------------------------------------

    /** Acts on what the arbiter has told; null: it cannot be asked any more. */
    void told(final Ruling ruling) {
        if (ruling instanceof Ruling.Agreed agreed) {
            agreements.stream().filter(one -> one.isOf(agreed)).forEach(one -> one.result = agreed);
            agreements.removeIf(Agreement::isDone);
        } else if (ruling instanceof Ruling.Revoked revoked) {
            revoked(revoked.context(), revoked.by());
        } else if (ruling instanceof Ruling.Fenced fence) {
            fenced =
                    new JobException("this rank " + fence.cause() + "; the others go on without it, and it should end");
            groups().forEach(group -> closeAll(group, fenced));
            endAgreements(fenced);
        } else {
            alone = new JobException(
                    "the ranks can agree on nothing more, for rank 0, which counts their votes, is gone");
            endAgreements(alone);
        }
    }

    private void endAgreements(final ParleyException cause) {
        agreements.forEach(one -> one.failure = cause);
        agreements.clear();
    }

    private void revoked(final int context, final int by) {
        if (revokedBy.get(context) >= 0) {
            return;
        }
        revokedBy.put(context, by);
        final ParleyException cause = new RevokedException(
                (context == 0 ? "the world" : "communicator " + context / 2) + " was revoked by rank " + by);
        for (final Group group : groups()) {
            if (group.context() == context) {
                closeAll(group, cause);
            }
        }
        // Of those that are still to be made here, or never will be: another must not get its context.
        nextContext = Math.max(nextContext, context + 2);
        close(context, cause);
        close(context + 1, cause);
    }

    private void closeAll(final Group group, final ParleyException cause) {
        group.close(cause);
        close(group.context() + 1, cause);
        close(group.context(), cause);
    }
}
