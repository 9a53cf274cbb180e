package org.parley;

/**
 * A rank that an operation needs has failed or has left the job. The text names rank, host,
 * transport and the first cause.
 */
public final class PeerFailedException extends ParleyException {
    private static final long serialVersionUID = 1L;
    private final int rank;

    /**
     * Makes one.
     *
     * @param rank the failed rank, counted in the job's world
     * @param message rank, host, transport and cause
     */
    public PeerFailedException(final int rank, final String message) {
        super(message);
        this.rank = rank;
    }

    /** Returns the failed rank, counted in the job's world. */
    public int rank() {
        return rank;
    }
}
