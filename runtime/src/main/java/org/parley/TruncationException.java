package org.parley;

/**
 * A message was longer than the buffer of the receive that matched it (MPI-3.1 section 3.2.4,
 * MPI_ERR_TRUNCATE). The message is not lost: the next receive that matches gets it.
 */
public final class TruncationException extends ParleyException {
    private static final long serialVersionUID = 1L;
    private final long messageBytes;

    /**
     * Makes one.
     *
     * @param message which message, and both sizes
     * @param messageBytes bytes that a buffer must hold to receive it
     */
    public TruncationException(final String message, final long messageBytes) {
        super(message);
        this.messageBytes = messageBytes;
    }

    /** Returns the message's size in bytes. */
    public long messageBytes() {
        return messageBytes;
    }
}
