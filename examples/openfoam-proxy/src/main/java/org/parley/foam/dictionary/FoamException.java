package org.parley.foam.dictionary;

import java.nio.file.Path;

/** What a user can mend: an error in a case, with the file, the line and the word. The message says it all. */
public final class FoamException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * An error at a place in a file.
     *
     * @param file where it is; null if in none.
     * @param line counted from 1; 0 for the file as a whole.
     * @param message what is wrong, with the word, and what to do.
     */
    public FoamException(final Path file, final int line, final String message) {
        super((file == null ? "" : file + (line > 0 ? ":" + line : "") + ": ") + message);
    }

    /**
     * An error of no file.
     *
     * @param message what is wrong and what to do.
     */
    public FoamException(final String message) {
        this(null, 0, message);
    }
}
