package org.parley.launcher;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.parley.JobException;
import org.parley.wireup.ControlFrame;

/**
 * Files of the program on a host that does not have them: in a folder of mode 0700 that is removed
 * with the job. They come in pieces, in order.
 */
final class Staging implements AutoCloseable {
    private final Path folder;
    private boolean isMade;

    Staging(final String job) {
        folder = Path.of(System.getProperty("java.io.tmpdir"))
                .resolve("parley-" + System.getProperty("user.name") + "-" + job + "-program");
    }

    /**
     * Returns where an entry of a class path is here.
     *
     * @param name what it is called among those that are copied
     */
    String place(final String name) {
        return folder.resolve(name).toString();
    }

    /** Makes the frame that carries a piece of a file, or an empty folder. */
    static ControlFrame.Builder frame(final String name, final boolean isFolder, final byte[] bytes, final int length) {
        return new ControlFrame.Builder(AgentFrame.FILE)
                .number(AgentFrame.ALL)
                .text(name)
                .number(isFolder ? 1 : 0)
                .bytes(bytes, 0, length);
    }

    /** Returns for how many bytes a piece counts: a file or folder itself for one. */
    static long cost(final int length) {
        return Math.max(1, length);
    }

    /**
     * Takes a piece.
     *
     * @return for how many bytes it counts
     */
    long write(final ControlFrame frame) throws IOException {
        final String name = frame.text();
        final Path file = folder.resolve(name).normalize();
        if (!file.startsWith(folder) || file.equals(folder)) {
            throw new IOException("the file " + name + " is outside of its folder");
        }
        try {
            if (!isMade) {
                Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                isMade = true;
            }
            if (frame.number() != 0) {
                Files.createDirectories(file);
                return cost(0);
            }
            Files.createDirectories(file.getParent());
            final byte[] bytes = frame.bytes();
            Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return cost(bytes.length);
        } catch (final FileAlreadyExistsException e) {
            throw new JobException("cannot copy the program: " + folder + " is there already", e);
        } catch (final IOException e) {
            throw new JobException("cannot copy the program to " + file + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (isMade) {
            delete(folder);
        }
    }

    private static void delete(final Path path) {
        try {
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                    entries.forEach(Staging::delete);
                }
            }
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            // What cannot be removed is in the temporary folder, whose owner looks after it.
            return;
        }
    }
}
