package org.parley.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A stand-in for libibverbs, built here by gcc: queue pairs between processes of this machine, over shared memory at native
 * speed. One of these is a fabric: processes that have its {@link #environment} find its devices and reach each other.
 * {@code testbed/verbs-shim/README.md} has its options, counters and faults.
 *
 * <p>Any thread.
 */
public final class VerbsShim implements AutoCloseable {
    private static final Path HEADER = Path.of("/usr/include/infiniband/verbs.h");

    /** A compiler takes a second, and its turn on a machine that does much else. */
    private static final long BUILD_SECONDS = 600;

    private static final List<String> FILES = List.of(
            "build",
            "fabric.h",
            "fabric.c",
            "options.c",
            "queue.c",
            "send.c",
            "receive.c",
            "objects.c",
            "device.c",
            "libibverbs.map",
            "verbs-perf.c",
            "verbs-check.c");

    private final Path folder;
    private final Map<String, String> environment = new LinkedHashMap<>();

    private VerbsShim(final Path folder, final Map<String, String> options) {
        this.folder = folder;
        environment.put("VERBS_SHIM", folder.toString());
        environment.put("LD_LIBRARY_PATH", programs().toString());
        options.forEach((name, value) -> environment.put("VERBS_SHIM_" + name.toUpperCase(Locale.ROOT), value));
    }

    /** What gcc made, once for this JVM. */
    private static final class Build {
        static final Path FOLDER = make();
        static final Optional<String> FAULT = tryRead();

        private static Path make() {
            try {
                final Path sources = Files.createTempDirectory("verbs-shim-");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(sources)));
                for (final String file : FILES) {
                    try (InputStream in = VerbsShim.class.getResourceAsStream("verbs-shim/" + file)) {
                        Files.copy(in, sources.resolve(file));
                    }
                }
                final Path programs = sources.resolve("built");
                Script.run(List.of("sh", sources.resolve("build").toString(), programs.toString()), BUILD_SECONDS);
                return programs;
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static Optional<String> tryRead() {
            try (VerbsShim trial = new VerbsShim(newFolder(), Map.of())) {
                trial.perf("read_lat", "-n", "1");
                return Optional.empty();
            } catch (final IllegalStateException e) {
                return Optional.of("processes may not read each other's memory here: " + e.getMessage());
            }
        }
    }

    /**
     * Says what this machine lacks for it.
     *
     * @return the reason why there can be none, or nothing
     */
    public static Optional<String> lacks() {
        if (!Network.isOnPath("gcc") || !Files.exists(HEADER)) {
            return Optional.of(
                    "verbs without hardware need gcc and " + HEADER + " (Debian: apt-get install gcc libibverbs-dev)");
        }
        return Build.FAULT;
    }

    /**
     * Makes a fabric of its own.
     *
     * @param options of every process in it, by name in lower case, as {@code "like", "qemu"} or {@code "max_mr", "65536"}
     * @return it
     */
    public static VerbsShim of(final Map<String, String> options) {
        final VerbsShim shim = new VerbsShim(newFolder(), options);
        shim.run(programs().resolve("verbs-perf").toString(), "devices"); // makes what /sys would have
        return shim;
    }

    private static Path newFolder() {
        try {
            final Path memory = Path.of("/dev/shm");
            return Files.isWritable(memory)
                    ? Files.createTempDirectory(memory, "verbs-shim-")
                    : Files.createTempDirectory("verbs-shim-");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Where {@code libibverbs.so.1}, {@code verbs-perf} and {@code verbs-check} are.
     *
     * @return the folder
     */
    public static Path programs() {
        return Build.FOLDER;
    }

    /**
     * What a process needs to be in this fabric.
     *
     * @return variables of the environment, among them the folder of the fabric, {@code VERBS_SHIM}
     */
    public Map<String, String> environment() {
        return Map.copyOf(environment);
    }

    /**
     * Where the fabric's files are.
     *
     * @return the folder; in it {@code sys/class/infiniband}, as /sys has it
     */
    public Path folder() {
        return folder;
    }

    /**
     * Changes an option of every process of the fabric, a few milliseconds later.
     *
     * @param option its name in lower case
     * @param value its value
     */
    public void set(final String option, final long value) {
        write("set", option, value);
    }

    /**
     * Changes an option of one process of the fabric, a few milliseconds later.
     *
     * @param pid the process
     * @param option its name in lower case
     * @param value its value
     */
    public void set(final long pid, final String option, final long value) {
        write("set." + pid, option, value);
    }

    private void write(final String file, final String option, final long value) {
        try {
            final Path ready = Files.createTempFile(folder, "new", "");
            Files.writeString(ready, option + "=" + value + "\n");
            Files.move(
                    ready, folder.resolve(file), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What processes counted that have ended, or closed a device.
     *
     * @return counters by name, by process
     */
    public Map<Long, Map<String, Long>> counters() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("counters."))
                    .collect(Collectors.toMap(VerbsShim::pid, VerbsShim::read, (one, other) -> one, TreeMap::new));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Long pid(final Path file) {
        return Long.valueOf(file.getFileName().toString().replace("counters.", ""));
    }

    private static Map<String, Long> read(final Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> line.split("="))
                    .collect(Collectors.toMap(words -> words[0], words -> Long.valueOf(words[1])));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs the comparison partner, a C program, in this fabric.
     *
     * @param arguments as {@code "send_lat", "-n", "1000"}
     * @return what it printed
     */
    public String perf(final String... arguments) {
        final List<String> words =
                new ArrayList<>(List.of(programs().resolve("verbs-perf").toString()));
        words.addAll(List.of(arguments));
        return run(words.toArray(String[]::new));
    }

    /** Runs a command in this fabric that ends soon and well; returns what it printed. */
    String run(final String... command) {
        final List<String> words = new ArrayList<>(List.of("env"));
        environment.forEach((name, value) -> words.add(name + "=" + value));
        words.addAll(List.of(command));
        return Script.run(words);
    }

    /** Removes the fabric; its processes should have ended. */
    @Override
    public void close() {
        delete(folder);
    }

    private static void delete(final Path tree) {
        try (Stream<Path> files = Files.walk(tree)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
