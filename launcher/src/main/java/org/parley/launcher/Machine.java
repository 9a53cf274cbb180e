package org.parley.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Facts about this machine, from the files in which Linux tells them. */
final class Machine {
    private static final String RDMA = "/sys/class/infiniband";

    private Machine() {}

    /** Returns its name, without asking the network for it. */
    static String hostName() {
        final String name = firstLine("/proc/sys/kernel/hostname");
        return name.isEmpty() ? "localhost" : name;
    }

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

    /** Returns the RDMA devices with driver and the state of each port. */
    static List<String> rdmaDevices() {
        final List<String> result = new ArrayList<>();
        final Path root = Path.of(RDMA);
        if (!Files.isDirectory(root)) {
            return result;
        }
        for (final Path device : list(root)) {
            final StringBuilder text = new StringBuilder(device.getFileName().toString());
            final Path driver = device.resolve("device/driver");
            if (Files.exists(driver)) {
                try {
                    text.append(" (").append(driver.toRealPath().getFileName()).append(')');
                } catch (final IOException e) {
                    // The device is going away; its name is still worth telling.
                    text.append(" (unknown driver)");
                }
            }
            for (final Path port : list(device.resolve("ports"))) {
                text.append(" port ").append(port.getFileName()).append(' ');
                text.append(firstLine(port.resolve("state").toString()).replaceFirst(".*: ", ""));
                text.append(' ').append(firstLine(port.resolve("rate").toString()));
            }
            result.add(text.toString());
        }
        return result;
    }

    private static List<Path> list(final Path folder) {
        final List<Path> result = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            entries.forEach(result::add);
        } catch (final IOException e) {
            return result;
        }
        result.sort(null);
        return result;
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
