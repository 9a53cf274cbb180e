package org.parley.launcher.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files in which Linux tells of itself.
 *
 * @param root what they are under: {@code /}, or a picture of another machine's
 */
record Kernel(Path root) {

    Path path(final String file) {
        return root.resolve(file);
    }

    boolean has(final String file) {
        return Files.exists(path(file));
    }

    /** Returns a file's text without white space around; empty if there is none. */
    String text(final String file) {
        try {
            return Files.readString(path(file)).strip();
        } catch (final IOException e) {
            return "";
        }
    }

    /** Returns what follows a word at the beginning of a line; empty if no line has it. */
    String line(final String file, final String word) {
        return text(file)
                .lines()
                .filter(line -> line.startsWith(word))
                .map(line -> line.substring(word.length()).strip())
                .findFirst()
                .orElse("");
    }

    /** Returns the names in a folder in order; none if there is no folder. */
    List<String> names(final String folder) {
        final List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path(folder))) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (final IOException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    /** Returns the last name of what a link leads to; empty if there is no link. */
    String linked(final String link) {
        try {
            return path(link).toRealPath().getFileName().toString();
        } catch (final IOException e) {
            return "";
        }
    }
}
