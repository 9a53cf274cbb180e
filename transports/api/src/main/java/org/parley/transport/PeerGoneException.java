package org.parley.transport;

/** A peer cannot be connected to because it has left the job, or ended. */
public final class PeerGoneException extends TransportException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one.
     *
     * @param message what is missing, and where
     * @param cause what was first seen
     */
    public PeerGoneException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
