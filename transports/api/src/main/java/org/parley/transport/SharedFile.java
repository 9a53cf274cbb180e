package org.parley.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Supplier;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.UnsafeApi;

/**
 * Memory that processes share by mapping a file. Created files have mode 0600, must not exist before
 * (links are not followed), and hold their space from the start: a full file system is an error
 * here, with a text, and not a signal at the first store. Not thread-safe.
 */
public final class SharedFile implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int WRITE_CHUNK = 64 * 1024;

    private final Path path;
    private MappedByteBuffer map;

    private SharedFile(final Path path, final MappedByteBuffer map) {
        this.path = path;
        this.map = map;
    }

    /**
     * Makes a file of zeros, its pages present in memory and in this process.
     *
     * @param path where; must not exist
     * @param size bytes
     * @throws TransportException if there is no space, naming the place and what is free
     */
    public static SharedFile create(final Path path, final int size) {
        return uninterrupted(() -> make(path, size));
    }

    private static SharedFile make(final Path path, final int size) {
        boolean made = false;
        try (FileChannel channel = FileChannel.open(
                path,
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            made = true;
            final ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(size, WRITE_CHUNK));
            for (int written = 0; written < size; ) {
                zeros.clear().limit(Math.min(zeros.capacity(), size - written));
                written += channel.write(zeros);
            }
            final SharedFile file = new SharedFile(path, channel.map(FileChannel.MapMode.READ_WRITE, 0, size));
            file.touch();
            return file;
        } catch (final FileAlreadyExistsException e) {
            throw new TransportException(
                    path + " exists already: somebody else made it, or two jobs have one name; see whose it"
                            + " is, and remove it",
                    e);
        } catch (final IOException e) {
            if (made) {
                deleteQuietly(path);
            }
            throw new TransportException(
                    "shm",
                    "cannot reserve " + size + " bytes in " + path + ": " + Reason.of(e)
                            + spaceOf(path)
                            + "; free some space there or make it larger (in a container: --shm-size)",
                    e);
        }
    }

    /**
     * Maps a file that another rank made.
     *
     * @param path where; links are not followed
     * @throws TransportException if it cannot be mapped, and why
     */
    public static SharedFile open(final Path path) {
        return uninterrupted(() -> map(path));
    }

    private static SharedFile map(final Path path) {
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            final SharedFile file =
                    new SharedFile(path, channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size()));
            file.touch();
            return file;
        } catch (final NoSuchFileException e) {
            throw new PeerGoneException("shm", path + " is gone: who made it has left the job, or ended", e);
        } catch (final IOException e) {
            throw new TransportException("shm", "cannot map " + path + ": " + Reason.of(e), e);
        }
    }

    /** A channel closes itself when its thread is interrupted, which is the program's affair and not the file's. */
    private static SharedFile uninterrupted(final Supplier<SharedFile> what) {
        final boolean wasInterrupted = Thread.interrupted();
        try {
            return what.get();
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the native address of the first byte. */
    public long address() {
        return BufferUtil.address(map);
    }

    /** Returns the size in bytes. */
    public int size() {
        return map.capacity();
    }

    /** Removes the name; mappings stay. */
    public void unlink() {
        deleteQuietly(path);
    }

    /** Ends this process's mapping. */
    @Override
    public void close() {
        if (map != null) {
            IoUtil.unmap(map);
            map = null;
        }
    }

    /** Takes the page faults now rather than in the first messages. */
    private void touch() {
        long sum = 0;
        for (long at = address(), end = at + size(); at < end; at += PAGE) {
            sum += UnsafeApi.getByte(at);
        }
        if (sum == Long.MIN_VALUE) {
            throw new AssertionError("keeps the loads alive");
        }
    }

    private static String spaceOf(final Path path) {
        try {
            final FileStore store = Files.getFileStore(path.getParent());
            return " (" + store.getUsableSpace() + " of " + store.getTotalSpace() + " bytes free)";
        } catch (final IOException e) {
            return "";
        }
    }

    private static void deleteQuietly(final Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            // The job's folder is removed as a whole at the end; a file left until then does no harm.
            return;
        }
    }
}
