package org.parley.launcher;

/** What the user asks for cannot be; the text is one sentence that says why and what to do. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(final String message) {
        super(message);
    }
}
