package org.parley.launcher;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Programs of the machine that the launcher uses where they are. */
final class Tools {
    private static final Path SETSID = find("setsid");
    private static final Path SETPRIV = find("setpriv");

    private Tools() {}

    /** Returns where a program is, or null. */
    static Path find(final String name) {
        if (name.indexOf('/') >= 0) {
            final Path path = Path.of(name);
            return Files.isExecutable(path) && !Files.isDirectory(path) ? path : null;
        }
        final String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        for (final String folder : path.split(":")) {
            final Path candidate = Path.of(folder.isEmpty() ? "." : folder, name);
            if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    /** Whether ranks have process groups of their own. */
    static boolean hasSessions() {
        return SETSID != null;
    }

    /** Returns what starts a program in a session, and so a process group, of its own. */
    static List<String> ownSession() {
        return SETSID == null ? List.of() : List.of(SETSID.toString());
    }

    /** Returns what starts a program that the kernel kills when the calling thread ends. */
    static List<String> dieWithParent() {
        return SETPRIV == null ? List.of() : List.of(SETPRIV.toString(), "--pdeathsig", "KILL");
    }
}
