package org.parley.wireup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** This machine's name. Any thread. */
public final class HostName {
    private HostName() {}

    /** Returns it, without asking the network. */
    public static String own() {
        try {
            final String name =
                    Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            return name.isEmpty() ? "localhost" : name;
        } catch (final IOException e) {
            return "localhost";
        }
    }
}
