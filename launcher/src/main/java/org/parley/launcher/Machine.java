package org.parley.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Facts about this machine, from the files in which Linux tells them. */
final class Machine {
    private Machine() {}

    /** Returns its name, without asking the network for it. */
    static String hostName() {
        final String name = firstLine("/proc/sys/kernel/hostname");
        return name.isEmpty() ? "localhost" : name;
    }

    /** Returns a file's first line, or an empty text. */
    static String firstLine(final String file) {
        try (var lines = Files.lines(Path.of(file))) {
            return lines.findFirst().orElse("").strip();
        } catch (final IOException | java.io.UncheckedIOException e) {
            return "";
        }
    }

    /** Returns the value of a line of this process' {@code /proc/self/status}, or an empty text. */
    static String statusLine(final String key) {
        return line("/proc/self/status", key);
    }

    /** Returns the value of the first line {@code key: value} of a file, or an empty text. */
    static String line(final String file, final String key) {
        try (var lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(key))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse("");
        } catch (final IOException | java.io.UncheckedIOException e) {
            return "";
        }
    }
}
