package org.parley.wireup;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.parley.JobException;

/**
 * The folder of a job on one machine, in shared memory: {@code parley-USER-JOB}, mode 0700. A file
 * {@code owner} names the process it belongs to in a way that no later process can be taken for it,
 * so that what a killed job left can be told from what a living one uses. Any thread.
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
        } catch (final IOException e) {
            throw cannotMake(path, e);
        }
        try {
            Files.writeString(path.resolve(OWNER), Owner.self().encode());
        } catch (final IOException e) {
            delete(path);
            throw cannotMake(path, e);
        }
        return new JobFolder(path);
    }

    private static JobException cannotMake(final Path path, final IOException e) {
        return new JobException(
                "cannot make the job's folder " + path + ": " + e
                        + "; see that there is space and that you may write there",
                e);
    }

    /**
     * Returns where the folder of a job of this user is.
     *
     * @param job the job's name
     */
    public static Path of(final String job) {
        return root().resolve(PREFIX + System.getProperty("user.name") + "-" + job);
    }

    /** Returns where job folders are: shared memory, or the temporary folder where there is none. */
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
        delete(path);
    }

    /** Returns the folders of jobs whose owner is gone, as far as this user may see them. */
    public static List<Path> abandoned() {
        final List<Path> result = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root(), PREFIX + "*")) {
            for (final Path folder : folders) {
                if (isAbandoned(folder)) {
                    result.add(folder);
                }
            }
        } catch (final IOException e) {
            // What cannot be listed has nothing that could be removed.
            return result;
        }
        return result;
    }

    /**
     * Removes what killed jobs have left.
     *
     * @return the folders that are gone now
     */
    public static List<Path> removeAbandoned() {
        final List<Path> result = abandoned();
        result.removeIf(folder -> !delete(folder));
        return result;
    }

    /**
     * Says whether a path is a job's folder whose owner is gone.
     *
     * @param path a folder in {@link #root()}
     */
    public static boolean isAbandoned(final Path path) {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try {
            return Owner.decode(Files.readString(path.resolve(OWNER))).isGone();
        } catch (final IOException | IllegalArgumentException e) {
            // Somebody else's, or being made right now, or no folder of ours.
            return false;
        }
    }

    /**
     * Removes a folder with all in it. No link is followed, not even one that is put in the place
     * of the folder meanwhile: root may be the one who cleans up.
     *
     * @return whether it is gone
     */
    private static boolean delete(final Path path) {
        try (DirectoryStream<Path> parent = Files.newDirectoryStream(path.getParent())) {
            if (parent instanceof SecureDirectoryStream<Path> secure) {
                delete(secure, path.getFileName());
                return true;
            }
            // No Linux: files first, then the folder.
            try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
                for (final Path file : files) {
                    Files.deleteIfExists(file);
                }
            }
            return Files.deleteIfExists(path);
        } catch (final IOException e) {
            return false;
        }
    }

    private static void delete(final SecureDirectoryStream<Path> parent, final Path name) throws IOException {
        try (SecureDirectoryStream<Path> folder = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            for (final Path entry : folder) {
                final Path file = entry.getFileName();
                final boolean isFolder = folder.getFileAttributeView(
                                file, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .readAttributes()
                        .isDirectory();
                if (isFolder) {
                    delete(folder, file);
                } else {
                    folder.deleteFile(file);
                }
            }
        }
        parent.deleteDirectory(name);
    }

    /**
     * A process that cannot be taken for another.
     *
     * @param pid process id
     * @param start when it started, in the kernel's ticks since the boot: exact, and no clock's
     *     setting moves it
     * @param boot the boot's id
     * @param namespace where the process id counts: containers may share the folder, not the ids
     */
    record Owner(long pid, long start, String boot, String namespace) {
        private static final int FIELDS = 4;

        /** Of {@code /proc/PID/stat}, counted from the state, the first behind the name. */
        private static final int START_FIELD = 19;

        static Owner self() {
            final long pid = ProcessHandle.current().pid();
            return new Owner(pid, startOf(pid), bootId(), processNamespace());
        }

        /** Whether it is certain that the process is gone. */
        boolean isGone() {
            if (!boot.equals(bootId())) {
                return true;
            }
            return namespace.equals(processNamespace()) && startOf(pid) != start;
        }

        String encode() {
            return pid + " " + start + " " + boot + " " + namespace + "\n";
        }

        static Owner decode(final String text) {
            final String[] parts = text.strip().split(" ");
            if (parts.length != FIELDS) {
                throw new IllegalArgumentException("no owner: " + text);
            }
            return new Owner(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2], parts[3]);
        }

        /** Returns -1 for a process that is not there, 0 where the machine does not tell. */
        private static long startOf(final long pid) {
            try {
                final String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
                // The name, in parentheses, may hold anything.
                final String[] fields =
                        stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                // A zombie, which nobody may ever collect in a container, is gone.
                return "Z".equals(fields[0]) ? -1 : Long.parseLong(fields[START_FIELD]);
            } catch (final IOException | RuntimeException e) {
                return ProcessHandle.of(pid).isPresent() ? 0 : -1;
            }
        }

        private static String bootId() {
            try {
                return Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                        .strip();
            } catch (final IOException e) {
                return "unknown";
            }
        }

        private static String processNamespace() {
            try {
                return Files.readSymbolicLink(FileSystems.getDefault().getPath("/proc/self/ns/pid"))
                        .toString();
            } catch (final IOException | UnsupportedOperationException e) {
                return "unknown";
            }
        }
    }
}
