package org.parley.launcher;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.parley.transport.Reason;
import org.parley.wireup.ControlFrame;

/**
 * Sends the program's class path to all other hosts, in pieces and no faster than the slowest takes
 * them. One thread.
 */
final class ProgramCopy {
    private static final int PIECE = 64 * 1024;
    private static final String ALL = "*";
    private static final long WINDOW = 4 << 20;

    private record Source(Path path, String name) {}

    private final Consumer<ControlFrame.Builder> way;
    private final Map<Integer, Long> taken = new HashMap<>();
    private final List<Source> sources = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private final byte[] buffer = new byte[PIECE];
    private Iterator<Source> next;
    private Source current;
    private InputStream stream;
    private long sent;

    ProgramCopy(final Plan plan, final List<Integer> hosts, final Consumer<ControlFrame.Builder> way) {
        this.way = way;
        hosts.forEach(host -> taken.put(host, 0L));
        plan.copied().forEach(this::add);
        next = sources.iterator();
    }

    /** A host has taken so many bytes, or files counted as one byte. */
    void taken(final int host, final long bytes) {
        taken.computeIfPresent(host, (h, before) -> before + bytes);
    }

    /**
     * Sends what may be sent now.
     *
     * @return whether all hosts have all
     */
    boolean isDone() throws IOException {
        while (sent - slowest() < WINDOW && sendPiece()) {
            continue;
        }
        return current == null && !next.hasNext() && slowest() == sent;
    }

    private long slowest() {
        return taken.values().stream().mapToLong(Long::longValue).min().orElse(sent);
    }

    private boolean sendPiece() throws IOException {
        if (stream == null) {
            if (!next.hasNext()) {
                return false;
            }
            current = next.next();
            final boolean isFolder = Files.isDirectory(current.path);
            send(isFolder, 0);
            if (isFolder) {
                current = null;
                return true;
            }
            stream = Files.newInputStream(current.path);
        }
        final int count = stream.readNBytes(buffer, 0, PIECE);
        if (count > 0) {
            send(false, count);
        } else {
            stream.close();
            stream = null;
            current = null;
        }
        return true;
    }

    private void send(final boolean isFolder, final int length) {
        way.accept(Staging.frame(current.name, isFolder, buffer, length));
        sent += Staging.cost(length);
    }

    // --- what there is ---------------------------------------------------------------------

    /**
     * Returns what entries of a class path, jars, folders, or all jars of a folder, are called where they are copied to.
     */
    static Map<String, String> names(final List<String> entries) {
        final Map<String, String> result = new LinkedHashMap<>();
        for (final String entry : entries) {
            final String folder = result.size() + "/";
            if (entry.endsWith(ALL)) {
                result.putIfAbsent(entry, folder + ALL);
            } else if (Files.isDirectory(Path.of(entry))) {
                result.putIfAbsent(entry, folder);
            } else if (Files.exists(Path.of(entry))) {
                result.putIfAbsent(entry, folder + Path.of(entry).getFileName());
            }
        }
        return result;
    }

    private void add(final String entry, final String name) {
        final String folder = name.substring(0, name.indexOf('/') + 1);
        if (entry.endsWith(ALL)) {
            addAll(Path.of(entry.substring(0, entry.length() - 1)), folder, 1);
        } else if (name.equals(folder)) {
            addAll(Path.of(entry), folder, Integer.MAX_VALUE);
        } else {
            addJar(Path.of(entry), folder, name.substring(folder.length()));
        }
    }

    private void addAll(final Path folder, final String into, final int depth) {
        try (Stream<Path> files = Files.walk(folder, depth, FileVisitOption.FOLLOW_LINKS)) {
            files.filter(file -> !file.equals(folder))
                    .filter(file -> depth > 1
                            || file.toString()
                                    .toLowerCase(java.util.Locale.ROOT)
                                    .endsWith(".jar"))
                    .forEach(file -> put(file, into + folder.relativize(file)));
        } catch (final IOException e) {
            throw new UsageException("cannot read " + folder + " of the class path: " + Reason.of(e));
        }
    }

    /** A jar with those that its manifest names beside it. */
    private void addJar(final Path jar, final String into, final String name) {
        if (!put(jar, into + name)) {
            return;
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            final String more = file.getManifest() == null
                    ? null
                    : file.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            for (final String word : more == null ? new String[0] : more.strip().split("\\s+")) {
                final Path other = jar.resolveSibling(word).normalize();
                final boolean isBelow =
                        !word.contains(":") && !Path.of(word).normalize().startsWith("..");
                if (isBelow && !word.startsWith(File.separator) && Files.isRegularFile(other)) {
                    addJar(
                            other,
                            into,
                            Path.of(name).resolveSibling(word).normalize().toString());
                }
            }
        } catch (final IOException e) {
            throw new UsageException("cannot read " + jar + " of the class path: " + Reason.of(e));
        }
    }

    private boolean put(final Path path, final String name) {
        if (!names.add(name)) {
            return false;
        }
        sources.add(new Source(path, name));
        return true;
    }
}
