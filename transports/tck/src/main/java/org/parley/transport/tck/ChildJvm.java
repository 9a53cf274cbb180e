package org.parley.transport.tck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM of its own for what would harm, or needs more than, the one that runs the tests. */
public final class ChildJvm implements AutoCloseable {
    private static final List<String> FLAGS = List.of(
            "--add-opens",
            "java.base/jdk.internal.misc=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=/dev/stdout");

    private static final long PATIENCE_SECONDS = 200;

    private final Process process;
    private final Path output;

    private ChildJvm(final Process process, final Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts one with the tests' class path and flags.
     *
     * @param shell what comes before the JVM, in a shell, such as {@code umask 000}; may be empty
     * @param options more options of the JVM
     * @param environment more variables
     * @param program class with a main method
     * @param arguments its arguments
     * @throws IOException if it cannot be started
     */
    public static ChildJvm start(
            final String shell,
            final List<String> options,
            final Map<String, String> environment,
            final Class<?> program,
            final String... arguments)
            throws IOException {
        final List<String> command = new ArrayList<>();
        command.add("sh");
        command.add("-c");
        command.add((shell.isEmpty() ? "" : shell + " && ") + "exec \"$@\"");
        command.add("sh");
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        return start(command, environment);
    }

    /**
     * Starts one in a mount namespace of its own, with a small file system of memory in a folder.
     * Needs root, and a kernel that lets it.
     *
     * @param folder where the file system is mounted, for that JVM only
     * @param size its size, such as {@code 1m}
     * @param program class with a main method
     * @param arguments its arguments
     * @throws IOException if it cannot be started
     */
    public static ChildJvm startWithSmallFileSystem(
            final Path folder, final String size, final Class<?> program, final String... arguments)
            throws IOException {
        final String mount = "exec unshare -m sh -c 'mount -t tmpfs -o size=" + size + " tmpfs " + folder
                + " && exec \"$@\"' sh \"$@\"";
        return start(mount, List.of(), Map.of(), program, arguments);
    }

    /** Says why no small file system can be mounted here, or returns null if it can. */
    public static String whyNoMount() {
        return whyNot("mount -t tmpfs -o size=1m tmpfs /mnt", "-m");
    }

    /** Says why no processes can be started with ids of their own here, or returns null if they can. */
    public static String whyNoProcessNamespace() {
        return whyNot("true", "-pf", "--mount-proc");
    }

    private static String whyNot(final String tried, final String... how) {
        final List<String> command = new ArrayList<>(List.of("unshare"));
        command.addAll(List.of(how));
        command.addAll(List.of("sh", "-c", tried));
        try (ChildJvm child = start(command, Map.of())) {
            return child.await() == 0
                    ? null
                    : "unshare " + String.join(" ", how) + " does not work here: "
                            + child.output().strip();
        } catch (final IOException e) {
            return "unshare does not work here: " + e.getMessage();
        }
    }

    private static ChildJvm start(final List<String> command, final Map<String, String> environment)
            throws IOException {
        final Path output = Files.createTempFile("parley-test", ".out");
        final ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        try {
            return new ChildJvm(builder.start(), output);
        } catch (final IOException e) {
            Files.delete(output);
            throw e;
        }
    }

    /** Returns the process. */
    public Process process() {
        return process;
    }

    /**
     * Waits for the end.
     *
     * @return the exit code
     */
    public int await() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the process did not end within " + PATIENCE_SECONDS + " s: " + output());
            }
            return process.exitValue();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for a process", e);
        }
    }

    /**
     * Waits for the end.
     *
     * @throws AssertionError if it failed, with what it printed
     */
    public void awaitSuccess() {
        final int code = await();
        if (code != 0) {
            throw new AssertionError("the process ended with code " + code + ": " + output());
        }
    }

    /** Returns what it has printed so far. */
    public String output() {
        try {
            return Files.readString(output);
        } catch (final IOException e) {
            return "(its output cannot be read: " + e + ")";
        }
    }

    /** Kills the process if it runs, and removes its output. */
    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(output);
    }
}
