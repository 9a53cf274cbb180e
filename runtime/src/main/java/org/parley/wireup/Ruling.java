package org.parley.wireup;

import java.io.IOException;
import java.util.List;

/** What the {@link Arbiter} of a job tells ranks. */
public sealed interface Ruling {
    /** On the wire: {@link Agreed}. */
    int AGREED = 1;

    /** On the wire: {@link Revoked}. */
    int REVOKED = 2;

    /** On the wire: {@link Fenced}. */
    int FENCED = 3;

    /**
     * An agreement: the same for all who take part.
     *
     * @param context the communicator's
     * @param sequence number of the agreement in the communicator
     * @param isMixed whether some wanted to shrink and others not, which is an error of the program
     * @param flags the bits that all have set
     * @param nextContext a context that is free at all
     * @param gone members that had failed or left, by rank in the world
     */
    record Agreed(int context, int sequence, boolean isMixed, int flags, int nextContext, List<Integer> gone)
            implements Ruling {}

    /**
     * A communicator has been revoked.
     *
     * @param context the communicator's
     * @param by the rank that did
     */
    record Revoked(int context, int by) implements Ruling {}

    /**
     * The rank that is told has been taken for dead, and the others go on without it.
     *
     * @param cause why
     */
    record Fenced(String cause) implements Ruling {}

    /**
     * Adds it to a frame.
     *
     * @param frame which
     * @return the frame
     */
    default ControlFrame.Builder write(final ControlFrame.Builder frame) {
        if (this instanceof Agreed agreed) {
            return frame.number(AGREED)
                    .number(agreed.context)
                    .number(agreed.sequence)
                    .number(agreed.isMixed ? 1 : 0)
                    .number(agreed.flags)
                    .number(agreed.nextContext)
                    .numbers(agreed.gone);
        }
        if (this instanceof Revoked revoked) {
            return frame.number(REVOKED).number(revoked.context).number(revoked.by);
        }
        return frame.number(FENCED).text(((Fenced) this).cause);
    }

    /**
     * Reads one from a frame.
     *
     * @param frame as {@link #write} made it
     * @throws IOException if it is none
     */
    static Ruling read(final ControlFrame frame) throws IOException {
        final int kind = frame.number();
        switch (kind) {
            case AGREED -> {
                final int context = frame.number();
                final int sequence = frame.number();
                final boolean isMixed = frame.number() != 0;
                final int flags = frame.number();
                final int nextContext = frame.number();
                return new Agreed(context, sequence, isMixed, flags, nextContext, frame.numbers());
            }
            case REVOKED -> {
                final int context = frame.number();
                return new Revoked(context, frame.number());
            }
            case FENCED -> {
                return new Fenced(frame.text());
            }
            default -> throw new IOException("a ruling of the unknown kind " + kind);
        }
    }
}
