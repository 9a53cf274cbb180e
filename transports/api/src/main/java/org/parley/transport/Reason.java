package org.parley.transport;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Why the system refused something, in words for people: no class's name, no path said twice. Any thread. */
public final class Reason {
    private Reason() {}

    /**
     * Puts an exception into words.
     *
     * @param e what was thrown
     */
    public static String of(final IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "it is there already";
        }
        if (e instanceof CharacterCodingException) {
            return "it is not text in UTF-8";
        }
        if (e instanceof FileSystemException file && file.getReason() != null) {
            return file.getReason();
        }
        if (e instanceof FileNotFoundException && e.getMessage() != null) {
            // Which tells the reason in parentheses, behind the name.
            return e.getMessage().replaceFirst("(?s)^.*\\((.*)\\)$", "$1");
        }
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
