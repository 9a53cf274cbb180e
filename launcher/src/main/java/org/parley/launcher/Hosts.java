package org.parley.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where ranks may run, in the spellings of mpirun and mpiexec: {@code h}, {@code h:4}, {@code h
 * slots=4}. So far all of it is this machine.
 */
final class Hosts {
    private static final List<String> HERE = List.of("localhost", "127.0.0.1", "::1");
    private static final String SLOTS = "slots=";

    private record Host(String name, int slots) {}

    private final List<Host> hosts = new ArrayList<>();

    private Hosts() {}

    /**
     * Reads the values of {@code --host}.
     *
     * @param lists each with commas
     */
    static Hosts of(final List<String> lists) {
        final Hosts result = new Hosts();
        for (final String list : lists) {
            for (final String part : list.split(",")) {
                result.add(part.strip(), "--host " + list);
            }
        }
        return result;
    }

    /** Reads a host file. */
    static Hosts ofFile(final Path file) {
        final Hosts result = new Hosts();
        try {
            for (final String line : Files.readAllLines(file)) {
                final String text = line.replaceFirst("#.*", "").strip();
                if (!text.isEmpty()) {
                    result.add(text, file + ": " + text);
                }
            }
        } catch (final IOException e) {
            throw new UsageException("cannot read the host file " + file + ": " + e);
        }
        if (result.hosts.isEmpty()) {
            throw new UsageException("the host file " + file + " names no host");
        }
        return result;
    }

    /** Returns how many ranks the hosts take; as many as said otherwise if none is named. */
    int slots(final int otherwise) {
        return hosts.isEmpty()
                ? otherwise
                : hosts.stream().mapToInt(Host::slots).sum();
    }

    private void add(final String text, final String where) {
        final String[] words = text.split("\\s+");
        String name = words[0];
        int slots = 1;
        final int colon = name.lastIndexOf(':');
        if (colon > 0 && name.indexOf(':') == colon) {
            slots = slots(name.substring(colon + 1), where);
            name = name.substring(0, colon);
        }
        for (int i = 1; i < words.length; i++) {
            if (words[i].startsWith(SLOTS)) {
                slots = slots(words[i].substring(SLOTS.length()), where);
            } else if (!words[i].startsWith("max")) {
                throw new UsageException(where + ": what is " + words[i] + "?");
            }
        }
        if (!HERE.contains(name) && !name.equals(Machine.hostName())) {
            throw new UsageException(
                    where + ": " + name + " is another machine, and jobs on several hosts are not" + " supported yet");
        }
        hosts.add(new Host(name, slots));
    }

    private static int slots(final String text, final String where) {
        try {
            final int slots = Integer.parseInt(text);
            if (slots > 0) {
                return slots;
            }
        } catch (final NumberFormatException e) {
            // Said below.
        }
        throw new UsageException(where + ": " + text + " is no number of slots");
    }
}
