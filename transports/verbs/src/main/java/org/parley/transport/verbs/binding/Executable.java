package org.parley.transport.verbs.binding;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What of this process's memory holds code. */
final class Executable {
    private static final Path MAPS = Path.of("/proc/self/maps");

    private Executable() {}

    /** Whether a function of a mapped file may begin at an address; where that cannot be known, any but 0. */
    static boolean contains(final long address) {
        if (address == 0) {
            return false;
        }
        try (Stream<String> lines = Files.lines(MAPS)) {
            return lines.anyMatch(line -> isCodeAt(line, address));
        } catch (final IOException e) {
            return true;
        }
    }

    private static boolean isCodeAt(final String line, final long address) {
        final int dash = line.indexOf('-');
        final int blank = line.indexOf(' ');
        final long from = Long.parseUnsignedLong(line.substring(0, dash), 16);
        final long to = Long.parseUnsignedLong(line.substring(dash + 1, blank), 16);
        return from <= address && address < to && line.charAt(blank + 3) == 'x' && line.indexOf('/') > 0;
    }
}
