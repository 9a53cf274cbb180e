package org.parley.transport;

/** A transport could not be opened or a link not be made. The text says what, where, what to do. */
public class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what was wrong, where, and what to do
     */
    public TransportException(final String message) {
        super(message);
    }

    /**
     * Makes one with a cause.
     *
     * @param message what was wrong, where, and what to do
     * @param cause what was first seen
     */
    public TransportException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
