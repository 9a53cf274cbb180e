package org.parley.wireup;

import java.io.IOException;

/** What a rank asks of the {@link Arbiter} of its job. */
public sealed interface Petition {
    /** On the wire: {@link Vote}. */
    int VOTE = 1;

    /** On the wire: {@link Revocation}. */
    int REVOCATION = 2;

    /** On the wire: {@link Suspicion}. */
    int SUSPICION = 3;

    /**
     * Its part in an agreement of a communicator's members.
     *
     * @param context the communicator's
     * @param members its members
     * @param sequence number of the agreement in the communicator, the same at all members
     * @param shrinks whether it is to make a communicator of those who are left
     * @param flags the agreement has the bits that are set in those of all
     * @param nextContext the first context that is free here
     */
    record Vote(int context, Members members, int sequence, boolean shrinks, int flags, int nextContext)
            implements Petition {}

    /**
     * Ends a communicator for all its members.
     *
     * @param context the communicator's
     * @param members its members
     */
    record Revocation(int context, Members members) implements Petition {}

    /**
     * A link has failed, and with it the peer, as far as can be told from here.
     *
     * @param rank the peer
     * @param cause what happened to the link
     */
    record Suspicion(int rank, String cause) implements Petition {}

    /**
     * Adds it to a frame.
     *
     * @param frame which
     * @return the frame
     */
    default ControlFrame.Builder write(final ControlFrame.Builder frame) {
        if (this instanceof Vote vote) {
            frame.number(VOTE)
                    .number(vote.context)
                    .number(vote.sequence)
                    .number(vote.shrinks ? 1 : 0)
                    .number(vote.flags)
                    .number(vote.nextContext)
                    .numbers(vote.members.runs());
        } else if (this instanceof Revocation revocation) {
            frame.number(REVOCATION).number(revocation.context).numbers(revocation.members.runs());
        } else {
            final Suspicion suspicion = (Suspicion) this;
            frame.number(SUSPICION).number(suspicion.rank).text(suspicion.cause);
        }
        return frame;
    }

    /**
     * Reads one from a frame.
     *
     * @param frame as {@link #write} made it
     * @param ranks how many the job has
     * @throws IOException if it is none
     */
    static Petition read(final ControlFrame frame, final int ranks) throws IOException {
        final int kind = frame.number();
        final int first = frame.number();
        switch (kind) {
            case VOTE -> {
                final int sequence = frame.number();
                final boolean shrinks = frame.number() != 0;
                final int flags = frame.number();
                final int nextContext = frame.number();
                return new Vote(first, Members.read(frame, ranks), sequence, shrinks, flags, nextContext);
            }
            case REVOCATION -> {
                return new Revocation(first, Members.read(frame, ranks));
            }
            case SUSPICION -> {
                if (first < 0 || first >= ranks) {
                    throw new IOException("a link to rank " + first + " of " + ranks + " ranks");
                }
                return new Suspicion(first, frame.text());
            }
            default -> throw new IOException("a petition of the unknown kind " + kind);
        }
    }
}
