package org.parley.transport;

/** A peer cannot be connected to because it has left the job, or ended. */
public final class PeerGoneException extends TransportException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one.
     *
     * @param transport the name of the transport that finds it gone
     * @param reason what is missing, and where
     * @param cause what was first seen
     */
    public PeerGoneException(final String transport, final String reason, final Throwable cause) {
        super(transport, reason, cause);
    }
}
