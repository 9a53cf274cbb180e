package org.parley.transport;

/** A transport could not be opened or a link not be made. The text says what, where, what to do. */
public class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    /**
     * Makes one.
     *
     * @param message what was wrong, where, and what to do
     */
    public TransportException(final String message) {
        this(message, (Throwable) null);
    }

    /**
     * Makes one with a cause.
     *
     * @param message what was wrong, where, and what to do
     * @param cause what was first seen
     */
    public TransportException(final String message, final Throwable cause) {
        super(message, cause);
        this.reason = message;
    }

    /**
     * Makes one whose text begins with a transport's name.
     *
     * @param transport its name
     * @param reason what was wrong, where, and what to do
     */
    public TransportException(final String transport, final String reason) {
        this(transport, reason, null);
    }

    /**
     * Makes one with a cause whose text begins with a transport's name.
     *
     * @param transport its name
     * @param reason what was wrong, where, and what to do
     * @param cause what was first seen
     */
    public TransportException(final String transport, final String reason, final Throwable cause) {
        super(transport + ": " + reason, cause);
        this.reason = reason;
    }

    /** Returns the text without the transport's name, for lists that have the name already. */
    public final String reason() {
        return reason;
    }
}
