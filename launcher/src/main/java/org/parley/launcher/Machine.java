package org.parley.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Facts about this machine, from the files in which Linux tells them. */
final class Machine {
    private Machine() {}

    static String cpu() {
        final String model = line("/proc/cpuinfo", "model name");
        return model.isEmpty() ? System.getProperty("os.arch") : model;
    }

    static String memory() {
        return line("/proc/meminfo", "MemTotal") + ", " + line("/proc/meminfo", "MemAvailable") + " available";
    }

    /** Returns how much room a folder's file system has. */
    static String space(final Path folder) {
        try {
            final FileStore store = Files.getFileStore(folder);
            return store.getUsableSpace() / 1_000_000 + " of " + store.getTotalSpace() / 1_000_000 + " MB free ("
                    + store.type() + ")";
        } catch (final IOException e) {
            return "cannot be examined: " + e;
        }
    }

    /** Returns a file's first line, or an empty text. */
    static String firstLine(final String file) {
        return line(file, "", "");
    }

    /** Returns the value of the first line {@code key: value} of a file, or an empty text. */
    static String line(final String file, final String key) {
        return line(file, key, ":");
    }

    private static String line(final String file, final String key, final String separator) {
        try {
            for (final String line : Files.readAllLines(Path.of(file))) {
                if (line.startsWith(key)) {
                    return line.substring(line.indexOf(separator) + separator.length())
                            .strip();
                }
            }
            return "";
        } catch (final IOException | UncheckedIOException e) {
            return "";
        }
    }
}
