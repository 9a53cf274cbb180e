package org.parley.wireup;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.parley.JobException;
import org.parley.transport.Reason;

/**
 * The folder of a job on one machine, in shared memory: {@code parley-USER-JOB}, mode 0700. A file
 * {@code owner} names the process, or processes, it belongs to in a way that no later process can be taken for it,
 * so that what a killed job left can be told from what a living one uses. Any thread.
 */
public final class JobFolder implements AutoCloseable {
    private static final String PREFIX = "parley-";
    private static final String OWNER = "owner";
    private static final String PRIVATE = "rwx------";
    private static final FileAttribute<?> PRIVATE_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE));

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
            Files.createDirectory(path, PRIVATE_FOLDER);
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

    /**
     * Enters the folder of a job that this process shares with others of this machine; the first makes it, the last that
     * ends removes it.
     *
     * @param job the job's name
     * @return the folder
     * @throws JobException if there is no place for it, or somebody else has it
     */
    static Path join(final String job) {
        final Path path = of(job);
        final PosixFileAttributes found;
        try {
            try {
                Files.createDirectory(path, PRIVATE_FOLDER);
            } catch (final FileAlreadyExistsException e) {
                // By another rank, perhaps.
            }
            found = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            final boolean isMine = found.isDirectory()
                    && found.owner().equals(Files.getOwner(Path.of("/proc/self")))
                    && PosixFilePermissions.toString(found.permissions()).equals(PRIVATE);
            if (!isMine) {
                throw new JobException(
                        path + " is in the way of job " + job + ": it is no folder of mode 0700 of this user");
            }
            change(path, owners -> owners.add(Owner.self()));
            if (!Files.exists(path.resolve(OWNER), LinkOption.NOFOLLOW_LINKS)) {
                // The last of those before us was just removing it.
                return join(job);
            }
        } catch (final IOException e) {
            throw cannotMake(path, e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> leave(path), "parley-folder"));
        return path;
    }

    private static void leave(final Path path) {
        try {
            change(path, owners -> owners.removeIf(owner -> owner.equals(Owner.self()) || owner.isGone()));
        } catch (final IOException e) {
            // Another has removed it.
            return;
        }
    }

    /** Changes the list of owners, which no other changes meanwhile, and removes the folder of none. */
    private static void change(final Path path, final Consumer<List<Owner>> how) throws IOException {
        try (FileChannel file = FileChannel.open(
                path.resolve(OWNER),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS)) {
            file.lock();
            final ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(bytes, 0);
            final List<Owner> owners = Owner.decodeAll(new String(bytes.array(), StandardCharsets.UTF_8));
            how.accept(owners);
            final StringBuilder text = new StringBuilder();
            owners.forEach(owner -> text.append(owner.encode()));
            file.truncate(0);
            file.write(StandardCharsets.UTF_8.encode(text.toString()), 0);
            if (owners.isEmpty()) {
                delete(path);
            }
        }
    }

    private static JobException cannotMake(final Path path, final IOException e) {
        return new JobException(
                "cannot make the job's folder " + path + ": " + Reason.of(e)
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

    /** Returns the names of this user's jobs on this machine that have not ended. */
    public static List<String> jobs() {
        final String own = of("").getFileName().toString();
        return folders(own + "*").stream()
                .filter(folder -> Files.isReadable(folder.resolve(OWNER)) && !isAbandoned(folder))
                .map(folder -> folder.getFileName().toString().substring(own.length()))
                .sorted()
                .toList();
    }

    /**
     * Returns the folder of another user's job, or null if there is none of that name.
     *
     * @param job the job's name
     */
    public static Path ofOthers(final String job) {
        return folders(PREFIX + "*").stream()
                .filter(folder -> folder.getFileName().toString().endsWith("-" + job))
                .findFirst()
                .orElse(null);
    }

    private static List<Path> folders(final String pattern) {
        final List<Path> result = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root(), pattern)) {
            folders.forEach(result::add);
        } catch (final IOException e) {
            // What cannot be listed is not there for this user.
            return result;
        }
        return result;
    }

    /** Returns the folders of jobs whose owner is gone, as far as this user may see them. */
    public static List<Path> abandoned() {
        final List<Path> result = folders(PREFIX + "*");
        result.removeIf(folder -> !isAbandoned(folder));
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
            final List<Owner> owners = Owner.decodeAll(Files.readString(path.resolve(OWNER)));
            return !owners.isEmpty() && owners.stream().allMatch(Owner::isGone);
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

        static List<Owner> decodeAll(final String text) {
            return new ArrayList<>(text.lines().map(Owner::decode).toList());
        }

        private static Owner decode(final String text) {
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
