package org.parley.launcher;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.parley.transport.JobSecret;
import org.parley.wireup.ControlFrame;
import org.parley.wireup.Placement;

/**
 * What every host of a job has to know to run its ranks.
 *
 * @param job the job's name
 * @param secret what its ranks know and nobody else
 * @param placement which rank is on which host
 * @param targets each host as the remote shell knows it
 * @param launching how agents are started
 * @param command what each rank runs
 * @param isJava whether that is a JVM which the launcher has put together
 * @param home where Parley is that the command speaks of
 * @param copied entries of the command's class path that are copied to other hosts, and their names there
 * @param environment variables that ranks get besides those of who starts them
 * @param folder where ranks run
 * @param wantedFolder where they are to run: on other hosts that may not be there
 * @param isFolderAsked whether the user has named it
 * @param bindToCore whether each rank has a core of its own
 * @param wantsMap whether ranks tell over which transports they reach each other
 * @param isPreflight whether hosts are to be examined, not used
 * @param silenceNanos after how long without a sign a rank, or a host, is dead; 0: never
 * @param showsPrompts whether the begin of a line is shown when nothing follows for a moment
 */
record Plan(
        String job,
        JobSecret secret,
        Placement placement,
        List<String> targets,
        Launching launching,
        List<String> command,
        boolean isJava,
        String home,
        Map<String, String> copied,
        Map<String, String> environment,
        Path folder,
        Path wantedFolder,
        boolean isFolderAsked,
        boolean bindToCore,
        boolean wantsMap,
        boolean isPreflight,
        long silenceNanos,
        boolean showsPrompts) {
    private static final String ARCHIVE = "-XX:SharedArchiveFile=";
    private static final String CLASS_PATH = "-cp";

    /** Whether lines are kept whole, because several write. */
    boolean keepsLines() {
        return placement.size() > 1;
    }

    /**
     * Returns the plan for another host.
     *
     * @param folderThere where ranks run there
     * @param homeThere where Parley is there
     * @param javaThere where the JDK is there
     * @param staging where files of the program have been copied to
     */
    Plan on(final Path folderThere, final String homeThere, final String javaThere, final Staging staging) {
        final List<String> words = new ArrayList<>();
        for (int i = 0; i < command.size(); i++) {
            final String word = command.get(i);
            if (!isJava) {
                words.add(word);
            } else if (i == 0) {
                words.add(Path.of(javaThere, "bin", "java").toString());
            } else if (word.startsWith(ARCHIVE)) {
                final Path archive = Library.rankArchive();
                if (archive != null && Files.exists(archive)) {
                    words.add(ARCHIVE + archive);
                }
            } else if (command.get(i - 1).equals(CLASS_PATH)) {
                final List<String> entries = new ArrayList<>();
                for (final String entry : word.split(File.pathSeparator)) {
                    final String name = copied.get(entry);
                    entries.add(name == null ? moved(entry, homeThere) : staging.place(name));
                }
                words.add(String.join(File.pathSeparator, entries));
            } else {
                words.add(word);
            }
        }
        return copy(launching, words, folderThere, homeThere);
    }

    /** Returns the plan with another fan-out. */
    Plan flat(final int fanout) {
        return copy(
                new Launching(launching.shell(), launching.home(), launching.java(), fanout, launching.timeoutNanos()),
                command,
                folder,
                home);
    }

    private Plan copy(
            final Launching otherLaunching,
            final List<String> otherCommand,
            final Path otherFolder,
            final String otherHome) {
        return new Plan(
                job,
                secret,
                placement,
                targets,
                otherLaunching,
                otherCommand,
                isJava,
                otherHome,
                copied,
                environment,
                otherFolder,
                wantedFolder,
                isFolderAsked,
                bindToCore,
                wantsMap,
                isPreflight,
                silenceNanos,
                showsPrompts);
    }

    private String moved(final String path, final String homeThere) {
        return !home.isEmpty() && path.startsWith(home + "/") ? homeThere + path.substring(home.length()) : path;
    }

    ControlFrame.Builder write(final ControlFrame.Builder frame) {
        frame.text(job).bytes(secret.bytes());
        Facts.texts(frame, placement.hosts());
        frame.number(placement.size());
        for (int rank = 0; rank < placement.size(); rank++) {
            frame.number(placement.hostOf(rank));
        }
        Facts.texts(frame, targets);
        launching.write(frame);
        Facts.texts(frame, command).number(isJava ? 1 : 0).text(home);
        write(frame, copied);
        write(frame, environment);
        return frame.text(wantedFolder.toString())
                .number(isFolderAsked ? 1 : 0)
                .number(bindToCore ? 1 : 0)
                .number(wantsMap ? 1 : 0)
                .number(isPreflight ? 1 : 0)
                .longNumber(silenceNanos)
                .number(showsPrompts ? 1 : 0);
    }

    static Plan read(final ControlFrame frame) throws IOException {
        final String job = frame.text();
        final byte[] secret = frame.bytes();
        final List<String> hosts = Facts.texts(frame);
        final int[] hostOf =
                frame.numbers().stream().mapToInt(Integer::intValue).toArray();
        for (final int host : hostOf) {
            if (host < 0 || host >= hosts.size()) {
                throw new IOException("a rank is on host " + host + " of " + hosts.size());
            }
        }
        final List<String> targets = Facts.texts(frame);
        final Launching launching = Launching.read(frame);
        final List<String> command = Facts.texts(frame);
        final boolean isJava = frame.number() != 0;
        final String home = frame.text();
        final Map<String, String> copied = texts(frame);
        final Map<String, String> environment = texts(frame);
        if (secret.length != JobSecret.BYTES || targets.size() != hosts.size()) {
            throw new IOException("the plan contradicts itself");
        }
        final Path folder = folder(frame.text());
        return new Plan(
                job,
                new JobSecret(secret),
                new Placement(hosts, hostOf),
                targets,
                launching,
                command,
                isJava,
                home,
                copied,
                environment,
                folder,
                folder,
                frame.number() != 0,
                frame.number() != 0,
                frame.number() != 0,
                frame.number() != 0,
                frame.longNumber(),
                frame.number() != 0);
    }

    private static Path folder(final String text) throws IOException {
        try {
            return Path.of(text);
        } catch (final InvalidPathException e) {
            throw new IOException("the plan's folder is none: " + e.getMessage(), e);
        }
    }

    private static void write(final ControlFrame.Builder frame, final Map<String, String> texts) {
        frame.number(texts.size());
        texts.forEach((key, value) -> frame.text(key).text(value));
    }

    private static Map<String, String> texts(final ControlFrame frame) throws IOException {
        final Map<String, String> result = new LinkedHashMap<>();
        for (int left = frame.number(); left > 0; left--) {
            final String key = frame.text();
            result.put(key, frame.text());
        }
        return result;
    }
}
