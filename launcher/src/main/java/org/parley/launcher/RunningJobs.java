package org.parley.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.parley.wireup.JobFolder;

/** The jobs whose launchers are on this machine, and how one of them is found by what a user calls it. */
final class RunningJobs {
    private RunningJobs() {}

    /** Returns the names of those of this user that can be looked at. */
    static List<String> names() {
        return JobFolder.jobs().stream()
                .filter(job -> Files.exists(StatusServer.socketIn(JobFolder.of(job)), LinkOption.NOFOLLOW_LINKS))
                .toList();
    }

    /**
     * Finds a job's socket.
     *
     * @param job its name, or its folder
     * @throws UsageException if there is none, saying why as far as that can be known
     */
    static Path socketOf(final String job) {
        final Path folder = job.contains("/") ? Path.of(job) : JobFolder.of(job);
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            if (JobFolder.isAbandoned(folder)) {
                throw new UsageException(
                        "job " + job + " has ended: " + folder + " is what it has left, and parley clean removes that");
            }
            if (!Files.isReadable(folder)) {
                throw new UsageException(folder + " is " + ownerOf(folder) + "'s: only they can look at their job");
            }
            final Path socket = StatusServer.socketIn(folder);
            if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
                throw new UsageException("there is no launcher at " + folder + " that could be asked: job " + job
                        + " was started without parley run, on another host, or only just now");
            }
            return socket;
        }
        final Path others = job.contains("/") ? null : JobFolder.ofOthers(job);
        if (others != null) {
            throw new UsageException("job " + job + " is " + ownerOf(others) + "'s: only they can look at it");
        }
        final List<String> names = names();
        throw new UsageException("there is no job " + job + " whose launcher is on this machine; "
                + (names.isEmpty() ? "none is, of this user" : "of this user there are: " + String.join(", ", names)));
    }

    private static String ownerOf(final Path folder) {
        try {
            return Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).getName();
        } catch (final IOException e) {
            return "somebody else";
        }
    }
}
