package org.parley.wireup;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The one place of a job that knows in which order ranks fail, so that all survivors hear the same: keeps agreements
 * until every member that is still there has voted, passes on revocations, and finds out which end of a link that has
 * failed is to blame. Lives where ranks have their lines: in the launcher, in rank 0 of a job that has none, or in the
 * job of a JVM's threads. What it tells comes behind what it was told before, on the same lines. Used by one thread at a time.
 *
 * <p>A decision costs a vote up and a ruling down for each member. A vote of one who dies before the decision counts.
 */
public final class Arbiter {

    /** How ranks are told. */
    public interface Lines {
        /**
         * Tells ranks, some of which may be gone.
         *
         * @param ranks whom
         * @param ruling what
         */
        void tell(List<Integer> ranks, Ruling ruling);
    }

    /** Which agreement it is. */
    private record Key(int context, Members members, int sequence) {}

    private static final class Agreement {
        final BitSet voted = new BitSet();
        int missing;
        boolean shrinks;
        boolean isMixed;
        int flags = -1;
        int nextContext;
    }

    /**
     * A rank that is not to go on.
     *
     * @param rank which
     * @param cause why, to follow its name
     */
    public record Verdict(int rank, String cause) {}

    private record Suspected(int by, int rank, String cause) {
        boolean concerns(final int one) {
            return by == one || rank == one;
        }
    }

    /** How long a link that has failed waits for better evidence, of which end it was. */
    public static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Lines lines;
    private final BitSet gone = new BitSet();
    private final Map<Key, Agreement> agreements = new HashMap<>();
    private final List<Suspected> suspicions = new ArrayList<>();

    /**
     * Makes one.
     *
     * @param lines how ranks are told
     */
    public Arbiter(final Lines lines) {
        this.lines = lines;
    }

    /**
     * A rank asks.
     *
     * @param rank which
     * @param petition what for
     */
    public void ask(final int rank, final Petition petition) {
        if (petition instanceof Petition.Vote vote) {
            vote(rank, vote);
        } else if (petition instanceof Petition.Revocation revocation) {
            lines.tell(present(revocation.members()), new Ruling.Revoked(revocation.context(), rank));
        } else if (petition instanceof Petition.Suspicion suspicion && !gone.get(rank) && !gone.get(suspicion.rank())) {
            suspicions.add(new Suspected(rank, suspicion.rank(), suspicion.cause()));
        }
    }

    private void vote(final int rank, final Petition.Vote vote) {
        if (!vote.members().contains(rank)) {
            return;
        }
        final Key key = new Key(vote.context(), vote.members(), vote.sequence());
        Agreement agreement = agreements.get(key);
        if (agreement == null) {
            agreement = new Agreement();
            agreement.shrinks = vote.shrinks();
            agreement.missing = present(vote.members()).size();
            agreements.put(key, agreement);
        }
        if (agreement.voted.get(rank)) {
            return;
        }
        agreement.voted.set(rank);
        agreement.isMixed |= agreement.shrinks != vote.shrinks();
        agreement.flags &= vote.flags();
        agreement.nextContext = Math.max(agreement.nextContext, vote.nextContext());
        if (!gone.get(rank)) {
            agreement.missing--;
        }
        if (agreement.missing == 0) {
            agreements.remove(key);
            decide(key, agreement);
        }
    }

    private void decide(final Key key, final Agreement agreement) {
        final List<Integer> missing = new ArrayList<>();
        key.members.forEach(member -> {
            if (gone.get(member)) {
                missing.add(member);
            }
        });
        lines.tell(
                present(key.members),
                new Ruling.Agreed(
                        key.context, key.sequence, agreement.isMixed, agreement.flags, agreement.nextContext, missing));
    }

    private List<Integer> present(final Members members) {
        final List<Integer> result = new ArrayList<>();
        members.forEach(member -> {
            if (!gone.get(member)) {
                result.add(member);
            }
        });
        return result;
    }

    /**
     * A rank has failed or left, and the others have been told: nobody waits for it any more.
     *
     * @param rank which
     */
    public void gone(final int rank) {
        if (gone.get(rank)) {
            return;
        }
        gone.set(rank);
        suspicions.removeIf(suspected -> suspected.concerns(rank));
        for (final Map.Entry<Key, Agreement> entry : List.copyOf(agreements.entrySet())) {
            final Agreement agreement = entry.getValue();
            if (entry.getKey().members.contains(rank) && !agreement.voted.get(rank) && --agreement.missing == 0) {
                agreements.remove(entry.getKey());
                decide(entry.getKey(), agreement);
            }
        }
    }

    /**
     * Returns who is to go so that no link that has failed is left between two that stay: one that has lost most of its
     * links first, else the one that was told of first. Called when {@link #PATIENCE_NANOS} have passed since a suspicion.
     */
    public List<Verdict> blame() {
        final List<Verdict> result = new ArrayList<>();
        while (!suspicions.isEmpty()) {
            int most = 0;
            int worst = -1;
            for (final Suspected suspected : suspicions) {
                for (final int rank : new int[] {suspected.rank, suspected.by}) {
                    final int peers = peersLost(rank);
                    if (peers > most) {
                        most = peers;
                        worst = rank;
                    }
                }
            }
            final int rank = worst;
            final Suspected first = suspicions.stream()
                    .filter(suspected -> suspected.concerns(rank))
                    .findFirst()
                    .orElseThrow();
            final int other = first.by == rank ? first.rank : first.by;
            result.add(new Verdict(
                    rank, "was given up: the link between it and rank " + other + " has failed: " + first.cause));
            suspicions.removeIf(suspected -> suspected.concerns(rank));
        }
        return result;
    }

    private int peersLost(final int rank) {
        final BitSet peers = new BitSet();
        for (final Suspected suspected : suspicions) {
            if (suspected.concerns(rank)) {
                peers.set(suspected.by == rank ? suspected.rank : suspected.by);
            }
        }
        return peers.cardinality();
    }
}
