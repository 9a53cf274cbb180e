package org.parley.transport.shm;

import java.nio.file.Path;
import java.util.function.IntConsumer;
import org.agrona.UnsafeApi;
import org.parley.transport.SharedFile;
import org.parley.transport.SharedRegion;
import org.parley.transport.TransportException;

/**
 * Where peers announce that they made a ring to us: a bit per rank, and a counter that the owner
 * watches, so that an idle look costs one load of a line in its own cache.
 *
 * <pre>
 *   0   magic u64        64   counter u64
 *   8   nonce u64        128  bits, one per rank of the job
 *   16  the owner's process: {@link SharedRegion#PROCESS} there u64, id u32
 * </pre>
 */
final class Mailbox implements AutoCloseable {
    private static final int NONCE = 8;
    private static final int PROCESS = 16;
    private static final int PID = 24;
    private static final int COUNTER = 64;
    private static final int BITS = 128;

    private final SharedFile file;
    private final long base;
    private final int words;
    private long seen;

    private Mailbox(final SharedFile file, final int ranks) {
        this.file = file;
        this.base = file.address();
        this.words = words(ranks);
    }

    static Path path(final Path folder, final int rank) {
        return folder.resolve("box-" + rank);
    }

    static Mailbox create(final Path folder, final int rank, final int ranks, final long nonce) {
        final SharedFile file = SharedFile.create(path(folder, rank), BITS + words(ranks) * Long.BYTES);
        UnsafeApi.putLong(file.address() + NONCE, nonce);
        UnsafeApi.putLong(file.address() + PROCESS, SharedRegion.PROCESS);
        UnsafeApi.putInt(file.address() + PID, (int) ProcessHandle.current().pid());
        UnsafeApi.putLongRelease(null, file.address(), Segment.MAGIC);
        return new Mailbox(file, ranks);
    }

    /** Maps a peer's mailbox; the nonce proves that it is the one whose address we hold. */
    static Mailbox open(final Path folder, final int rank, final int ranks, final long nonce) {
        final SharedFile file = SharedFile.open(path(folder, rank));
        if (file.size() != BITS + words(ranks) * Long.BYTES
                || UnsafeApi.getLongVolatile(null, file.address()) != Segment.MAGIC
                || UnsafeApi.getLong(file.address() + NONCE) != nonce) {
            file.close();
            throw new TransportException(
                    "shm",
                    path(folder, rank) + " is not the mailbox of rank " + rank
                            + " of this job (its nonce differs): the ranks do not share this folder");
        }
        return new Mailbox(file, ranks);
    }

    /** Returns what names the owner's process. */
    long process() {
        return UnsafeApi.getLong(base + PROCESS);
    }

    /** Returns the owner's process id. */
    int pid() {
        return UnsafeApi.getInt(base + PID);
    }

    /** Sender: announces the ring from {@code rank} to the owner. */
    void announce(final int rank) {
        UnsafeApi.getAndBitwiseOrLong(null, base + BITS + (rank >> 6) * (long) Long.BYTES, 1L << (rank & 63));
        UnsafeApi.getAndAddLong(null, base + COUNTER, 1);
    }

    /** Owner: whether anything was announced since the last {@link #take}. */
    boolean hasMail() {
        return UnsafeApi.getLongVolatile(null, base + COUNTER) != seen;
    }

    /** Owner: takes what was announced. */
    void take(final IntConsumer rank) {
        seen = UnsafeApi.getLongVolatile(null, base + COUNTER);
        for (int word = 0; word < words; word++) {
            final long at = base + BITS + word * (long) Long.BYTES;
            long bits = UnsafeApi.getLongVolatile(null, at) == 0 ? 0 : UnsafeApi.getAndSetLong(null, at, 0);
            while (bits != 0) {
                rank.accept(word * 64 + Long.numberOfTrailingZeros(bits));
                bits &= bits - 1;
            }
        }
    }

    void unlink() {
        file.unlink();
    }

    @Override
    public void close() {
        file.close();
    }

    private static int words(final int ranks) {
        return (ranks + 63) / 64;
    }
}
