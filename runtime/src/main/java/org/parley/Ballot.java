package org.parley;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.parley.engine.Engine;
import org.parley.engine.Survivors;
import org.parley.wireup.Members;
import org.parley.wireup.Petition;
import org.parley.wireup.Ruling;

/** The agreements of a communicator's members that no failure can prevent. */
final class Ballot {
    private Ballot() {}

    /** Votes, and waits for all members that are still there. */
    static Ruling.Agreed vote(
            final Communicator communicator, final int sequence, final boolean shrinks, final int flags) {
        final Engine engine = communicator.engine();
        engine.enter();
        try {
            final Members members = Members.of(communicator.members, communicator.size());
            final Survivors.Agreement agreement = engine.survivors()
                    .vote(new Petition.Vote(
                            communicator.context(),
                            members,
                            sequence,
                            shrinks,
                            flags,
                            engine.survivors().nextContext()));
            engine.await(agreement);
            if (agreement.failure() != null) {
                throw Failures.here(agreement.failure());
            }
            final Ruling.Agreed result = agreement.result();
            if (result.isMixed()) {
                throw new ParleyException("some members of the communicator call shrink, others agree");
            }
            if (shrinks) {
                engine.survivors().useContext(result.nextContext());
            }
            return result;
        } finally {
            engine.exit();
        }
    }

    /** Returns the members that are not gone, by rank in the world. */
    static int[] left(final Communicator communicator, final List<Integer> gone) {
        final Set<Integer> set = new HashSet<>(gone);
        return IntStream.range(0, communicator.size())
                .map(member -> communicator.members == null ? member : communicator.members[member])
                .filter(member -> !set.contains(member))
                .toArray();
    }
}
