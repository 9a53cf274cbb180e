package org.parley.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Shell scripts of this package, and commands that end soon. */
final class Script {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_MILLIS = 2;

    private Script() {}

    /** Returns the words that run a script of this package, less its arguments. */
    static List<String> words(final String name) {
        try (InputStream in = Script.class.getResourceAsStream(name)) {
            return List.of("sh", "-c", new String(in.readAllBytes(), StandardCharsets.UTF_8), name);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Copies a file of this package. */
    static void copy(final String name, final Path to) throws IOException {
        try (InputStream in = Script.class.getResourceAsStream(name)) {
            Files.copy(in, to);
        }
    }

    static Process start(final List<String> words) {
        try {
            return new ProcessBuilder(words).redirectErrorStream(true).start();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the script's word that all is there; returns the process that runs it. */
    static ProcessHandle awaitReady(final Process process, final String what) {
        final StringBuilder seen = new StringBuilder();
        final InputStream out = process.getInputStream();
        await(
                () -> {
                    final boolean isEnding = !process.isAlive();
                    while (out.available() > 0) {
                        seen.append((char) out.read());
                    }
                    final boolean isReady = seen.toString().endsWith("ready\n");
                    if (isEnding && !isReady) {
                        throw new IllegalStateException(what + " did not start: " + seen);
                    }
                    return isReady;
                },
                what);
        return innermost(process.toHandle());
    }

    /** What is waited for. */
    interface Condition {
        boolean isMet() throws IOException;
    }

    /** Waits for something that comes soon. */
    static void await(final Condition condition, final String what) {
        await(condition, what, TimeUnit.NANOSECONDS.toSeconds(PATIENCE));
    }

    static void await(final Condition condition, final String what, final long seconds) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try {
            while (!condition.isMet()) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException(what + " did not start in time");
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + what + " started", e);
        }
    }

    /** Of commands that each start the next, the last. */
    static ProcessHandle innermost(final ProcessHandle process) {
        return process.children().findFirst().map(Script::innermost).orElse(process);
    }

    /** Runs a command that ends soon and well; returns what it printed. */
    static String run(final List<String> words) {
        return run(words, TimeUnit.NANOSECONDS.toSeconds(PATIENCE));
    }

    static String run(final List<String> words, final long seconds) {
        try {
            // Not by a pipe: nobody reads it before the end.
            final Path printed = Files.createTempFile("parley-testbed", "");
            try {
                final int code = run(words, printed, seconds);
                final String text = Files.readString(printed);
                if (code != 0) {
                    throw new IllegalStateException(
                            String.join(" ", words) + " ended with code " + code + ": " + text.strip());
                }
                return text;
            } finally {
                Files.delete(printed);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int run(final List<String> words, final Path printed, final long seconds) throws IOException {
        final Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        process.getOutputStream().close();
        try {
            if (process.waitFor(seconds, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new IllegalStateException("has not ended: " + String.join(" ", words));
    }
}
