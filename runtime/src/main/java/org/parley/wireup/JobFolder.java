package org.parley.wireup;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.parley.JobException;

/**
 * The folder of a job on one machine, in shared memory: {@code parley-USER-JOB}, mode 0700. A file
 * {@code owner} names the process it belongs to by pid, start time and boot, so that what a killed
 * job left can be told from what a living one uses.
 */
public final class JobFolder implements AutoCloseable {
    private static final String PREFIX = "parley-";
    private static final String OWNER = "owner";

    private final Path path;

    private JobFolder(final Path path) {
        this.path = path;
    }

    /**
     * Makes the folder of a job that this process owns.
     *
     * @param job the job's name
     * @throws JobException if there is no place for it
     */
    public static JobFolder create(final String job) {
        final Path path = of(job);
        try {
            Files.createDirectory(
                    path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.writeString(
                    path.resolve(OWNER), Owner.of(ProcessHandle.current()).encode());
        } catch (final IOException e) {
            deleteTree(path);
            throw new JobException(
                    "cannot make the job's folder "
                            + path
                            + ": "
                            + e
                            + "; see that there is space and that you may write there",
                    e);
        }
        return new JobFolder(path);
    }

    /**
     * Returns where the folder of a job of this user is.
     *
     * @param job the job's name
     */
    public static Path of(final String job) {
        return root().resolve(PREFIX + System.getProperty("user.name") + "-" + job);
    }

    /**
     * Returns where job folders are: shared memory, or the temporary folder where there is none.
     */
    public static Path root() {
        final Path shared = Path.of("/dev/shm");
        return Files.isDirectory(shared) && Files.isWritable(shared)
                ? shared
                : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** Returns the folder. */
    public Path path() {
        return path;
    }

    /** Removes the folder and all in it. */
    @Override
    public void close() {
        deleteTree(path);
    }

    /**
     * Says whether a path is a job's folder whose owner is gone.
     *
     * @param path a folder in {@link #root()}
     */
    public static boolean isAbandoned(final Path path) {
        if (!path.getFileName().toString().startsWith(PREFIX) || Files.isSymbolicLink(path)) {
            return false;
        }
        try {
            return !Owner.decode(Files.readString(path.resolve(OWNER))).isAlive();
        } catch (final IOException | IllegalArgumentException e) {
            // Somebody else's, or being made right now, or no folder of ours.
            return false;
        }
    }

    /**
     * Removes what killed jobs have left.
     *
     * @return the folders that were removed
     */
    public static List<Path> removeAbandoned() {
        final List<Path> removed = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root(), PREFIX + "*")) {
            for (final Path folder : folders) {
                if (isAbandoned(folder)) {
                    deleteTree(folder);
                    removed.add(folder);
                }
            }
        } catch (final IOException e) {
            return removed;
        }
        return removed;
    }

    /**
     * Removes a folder with its files.
     *
     * @param path the folder; links are not followed
     */
    public static void deleteTree(final Path path) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (final Path file : files) {
                Files.deleteIfExists(file);
            }
        } catch (final IOException e) {
            // What cannot be listed cannot be removed; the next line says so if it matters.
        }
        try {
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot remove " + path, e);
        }
    }

    /**
     * A process that cannot be taken for another.
     *
     * @param pid process id
     * @param start start time, milliseconds since the epoch; 0 if unknown
     * @param boot the machine's boot id
     */
    record Owner(long pid, long start, String boot) {
        static Owner of(final ProcessHandle process) {
            return new Owner(process.pid(), startOf(process), bootId());
        }

        boolean isAlive() {
            return boot.equals(bootId())
                    && ProcessHandle.of(pid).map(p -> startOf(p) == start).orElse(false);
        }

        String encode() {
            return pid + " " + start + " " + boot + "\n";
        }

        static Owner decode(final String text) {
            final String[] parts = text.strip().split(" ");
            if (parts.length != 3) {
                throw new IllegalArgumentException("no owner: " + text);
            }
            return new Owner(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2]);
        }

        private static long startOf(final ProcessHandle process) {
            return process.info()
                    .startInstant()
                    .map(java.time.Instant::toEpochMilli)
                    .orElse(0L);
        }

        private static String bootId() {
            try {
                return Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                        .strip();
            } catch (final IOException e) {
                return "unknown";
            }
        }
    }
}
