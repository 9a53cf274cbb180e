package org.parley.launcher;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** What the user asks for cannot be; the text is one sentence that says why and what to do. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(final String message) {
        super(message);
    }

    /** Returns what is wrong with a file, for people. */
    static String reason(final IOException e) {
        if (e instanceof NoSuchFileException || e instanceof FileNotFoundException) {
            return "there is no such file";
        }
        return e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
    }
}
