package org.parley.benchmarks;

/** The user asked for what there is not; the message is one sentence for him. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(final String message) {
        super(message);
    }
}
