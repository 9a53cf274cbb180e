package org.parley;

/**
 * The rank could not join its job, or the job was stopped. The text says which step failed, with
 * which address, and what to do.
 */
public final class JobException extends ParleyException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what was wrong, where, and what to do
     */
    public JobException(final String message) {
        super(message);
    }

    /**
     * Makes one with a cause.
     *
     * @param message what was wrong, where, and what to do
     * @param cause what was first seen
     */
    public JobException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
