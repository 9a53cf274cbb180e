package org.parley.launcher.doctor;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs other commands of this Parley: what they find is what users will find.
 *
 * @param parley the command
 * @param settings words {@code --set key=value} that all are given
 * @param seconds how long each may take
 */
record Jobs(Path parley, List<String> settings, int seconds) {
    /** A job that is over its time needs some to end in order. */
    private static final int GRACE_SECONDS = 10;

    private static final int TIMED_OUT = 124;
    private static final String FAILED = "FAILED  ";

    /**
     * How a command ended.
     *
     * @param code its exit code
     * @param out what it printed
     * @param err what it said
     */
    record Result(int code, String out, String err) {

        /** Returns why it failed, in a sentence or two. */
        String reason() {
            final List<String> lines = err.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .toList();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).startsWith(FAILED)) {
                    return lines.get(i).substring(FAILED.length())
                            + (i + 1 < lines.size() ? ": " + lines.get(i + 1) : "");
                }
            }
            return lines.isEmpty() ? "it ended with " + code : lines.get(lines.size() - 1);
        }
    }

    /** Runs a command to its end, or to the end of its time. */
    Result run(final List<String> words) {
        final List<String> command = new ArrayList<>(List.of(parley.toString()));
        command.addAll(words);
        try {
            final Path out = Files.createTempFile("parley-doctor", "out");
            final Path err = Files.createTempFile("parley-doctor", "err");
            try {
                final Process process = new ProcessBuilder(command)
                        .redirectInput(new File("/dev/null"))
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                final boolean isOver = process.waitFor(seconds + GRACE_SECONDS, TimeUnit.SECONDS);
                if (!isOver) {
                    process.descendants().forEach(ProcessHandle::destroy);
                    process.destroy();
                }
                return new Result(
                        isOver ? process.exitValue() : TIMED_OUT,
                        Files.readString(out),
                        isOver ? Files.readString(err) : "no end within " + seconds + " s");
            } finally {
                Files.deleteIfExists(out);
                Files.deleteIfExists(err);
            }
        } catch (final IOException e) {
            return new Result(1, "", "cannot run " + parley + ": " + e.getMessage());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result(1, "", "interrupted");
        }
    }

    /** Runs {@code parley COMMAND} with two ranks, on this machine or on it and a peer. */
    Result pair(final String peer, final String command, final String... words) {
        final List<String> all = new ArrayList<>(List.of(command, "--timeout", String.valueOf(seconds)));
        all.addAll(List.of("--host", peer.isEmpty() ? "localhost:2" : "localhost:1," + peer + ":1"));
        all.addAll(settings);
        all.addAll(List.of(words));
        return run(all);
    }

    /** Runs {@code parley doctor} of a host for what is on it alone. */
    Result remote(final String host) {
        final List<String> all = new ArrayList<>(List.of("run", "--timeout", String.valueOf(seconds)));
        all.addAll(settings);
        all.addAll(List.of("--host", host + ":1", "-n", "1", "--exec"));
        all.addAll(List.of(parley.toString(), "doctor", "--local", "--json"));
        all.addAll(settings);
        return run(all);
    }
}
