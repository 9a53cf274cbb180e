package org.parley;

/** An operation could not be done; subclasses say which kind of cause it was. Unchecked. */
public class ParleyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what was wrong, where, and what to do
     */
    public ParleyException(final String message) {
        super(message);
    }

    /**
     * Makes one with a cause.
     *
     * @param message what was wrong, where, and what to do
     * @param cause what was first seen
     */
    public ParleyException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
