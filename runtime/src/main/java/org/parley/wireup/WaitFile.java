package org.parley.wireup;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.parley.JobException;
import org.parley.transport.Reason;

/**
 * What a rank waits for, in a file of the job's folder, so that it can be told after the rank was
 * killed. Written only when a wait has become a long one.
 *
 * <pre>
 *   0            4                       2048                    4096
 *  +------------+-----------------------+-----------------------+
 *  | which      | length, text          | length, text          |
 *  +------------+-----------------------+-----------------------+
 * </pre>
 *
 * <p>{@code which} is 0: no long wait so far, 1 or 2: waits for the first or second text, -1 or -2:
 * that wait is over. A text is written where the last one is not, and {@code which} after it: a
 * process may die at any point. Little-endian; one writer.
 */
public final class WaitFile {
    private static final int SIZE = 4096;
    private static final int[] PLACES = {Integer.BYTES, SIZE / 2};
    private static final int LONGEST = SIZE / 2 - 2 * Integer.BYTES;

    /**
     * A rank's last long wait.
     *
     * @param what what it waited for
     * @param isOver whether it had ended
     */
    public record Wait(String what, boolean isOver) {}

    private final MappedByteBuffer map;
    private int which;

    private WaitFile(final MappedByteBuffer map) {
        this.map = map;
    }

    private static Path of(final Path folder, final int rank) {
        return folder.resolve("wait-" + rank);
    }

    /** Makes a rank's file. */
    static WaitFile create(final Path folder, final int rank) {
        final Path path = of(folder, rank);
        try (FileChannel channel = FileChannel.open(
                path,
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            // Space is taken by writing: a full file system is an error here, not a signal later.
            channel.write(ByteBuffer.allocate(SIZE));
            final MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
            map.order(ByteOrder.LITTLE_ENDIAN);
            return new WaitFile(map);
        } catch (final IOException e) {
            throw new JobException("cannot make " + path + ": " + Reason.of(e), e);
        }
    }

    /** Notes what the rank waits for; null: it waits no longer. */
    void write(final String what) {
        if (what == null) {
            map.putInt(0, -Math.abs(which));
            return;
        }
        final byte[] text = what.getBytes(StandardCharsets.UTF_8);
        final int next = Math.abs(which) == 1 ? 2 : 1;
        final int place = PLACES[next - 1];
        final int length = Math.min(text.length, LONGEST);
        map.putInt(place, length);
        map.put(place + Integer.BYTES, text, 0, length);
        which = next;
        map.putInt(0, next);
    }

    /**
     * Reads a rank's file.
     *
     * @param folder the job's folder
     * @param rank which
     * @return its last long wait, or null if there was none, or no such file
     */
    public static Wait read(final Path folder, final int rank) {
        final ByteBuffer file;
        try {
            file = ByteBuffer.wrap(Files.readAllBytes(of(folder, rank)));
        } catch (final IOException e) {
            return null;
        }
        file.order(ByteOrder.LITTLE_ENDIAN);
        final int which = file.limit() == SIZE ? file.getInt(0) : 0;
        if (which == 0 || Math.abs(which) > PLACES.length) {
            return null;
        }
        final int place = PLACES[Math.abs(which) - 1];
        final int length = Math.max(0, Math.min(LONGEST, file.getInt(place)));
        return new Wait(new String(file.array(), place + Integer.BYTES, length, StandardCharsets.UTF_8), which < 0);
    }
}
