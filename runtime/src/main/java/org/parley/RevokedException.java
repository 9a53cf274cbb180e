package org.parley;

/**
 * The communicator of an operation has been revoked by one of its members (MPI_ERR_REVOKED of MPI's proposal for user-level
 * failure mitigation): {@link Communicator#shrink} makes one of those that are left.
 */
public final class RevokedException extends ParleyException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message which communicator, and who revoked it
     */
    public RevokedException(final String message) {
        super(message);
    }
}
