package org.parley.transport.shm;

import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.parley.transport.RecordRing;
import org.parley.transport.SharedFile;
import org.parley.transport.SharedRegion;
import org.parley.transport.TransportException;

/**
 * The shared file of one ordered pair of ranks: a ring of frames, and slots through which both ends
 * take part in copying exposed memory.
 *
 * <pre>
 *   0         magic u64                64   activity u64: receiver adds 1 per transfer begun
 *   8         ring size u32            0    the ring, of which it leaves 128 bytes to us
 *   12        sender rank u32                ({@link RecordRing})
 *   16        receiver rank u32        size - 4096 slots, 64 bytes each
 *   20        sender process id u32
 *   24        native address, in the sender, of 8 bytes with the nonce: proof for process_vm_readv
 *   32        nonce u64
 *   40        the sender's process: {@link SharedRegion#PROCESS} there u64
 * </pre>
 */
final class Segment implements AutoCloseable {
    static final long MAGIC = 0x3130_5945_4c52_4150L; // "PARLEY01", little endian
    static final int SLOTS = 64;

    private static final int CAPACITY = 8;
    private static final int SENDER = 12;
    private static final int RECEIVER = 16;
    private static final int PID = 20;
    private static final int PROOF = 24;
    private static final int NONCE = 32;
    private static final int PROCESS = 40;
    private static final int ACTIVITY = 64;
    private static final int SLOT_BYTES = SLOTS * TransferSlot.BYTES;

    private final SharedFile file;
    private final long base;
    private final RecordRing ring;

    private Segment(final SharedFile file, final int capacity) {
        this.file = file;
        this.base = file.address();
        this.ring = new RecordRing(base, capacity, SLOT_BYTES);
    }

    static Path path(final Path folder, final int sender, final int receiver) {
        return folder.resolve("ring-" + sender + "-" + receiver);
    }

    static Segment create(
            final Path folder,
            final int sender,
            final int receiver,
            final int capacity,
            final long proof,
            final long nonce) {
        final SharedFile file = SharedFile.create(path(folder, sender, receiver), capacity);
        final long base = file.address();
        UnsafeApi.putInt(base + CAPACITY, capacity);
        UnsafeApi.putInt(base + SENDER, sender);
        UnsafeApi.putInt(base + RECEIVER, receiver);
        UnsafeApi.putInt(base + PID, (int) ProcessHandle.current().pid());
        UnsafeApi.putLong(base + PROOF, proof);
        UnsafeApi.putLong(base + NONCE, nonce);
        UnsafeApi.putLong(base + PROCESS, SharedRegion.PROCESS);
        UnsafeApi.putLongRelease(null, base, MAGIC);
        return new Segment(file, capacity);
    }

    /** Maps the segment of a peer and removes its name: from now on nothing is left to clean. */
    static Segment accept(final Path folder, final int sender, final int receiver) {
        final SharedFile file = SharedFile.open(path(folder, sender, receiver));
        final long base = file.address();
        final int size = file.size();
        final int capacity = size < SLOT_BYTES ? 0 : UnsafeApi.getInt(base + CAPACITY);
        if (size < SLOT_BYTES
                || UnsafeApi.getLongVolatile(null, base) != MAGIC
                || capacity != size
                || Integer.bitCount(capacity) != 1
                || UnsafeApi.getInt(base + SENDER) != sender
                || UnsafeApi.getInt(base + RECEIVER) != receiver) {
            file.close();
            throw new TransportException("shm", path(folder, sender, receiver) + " is no segment of this version");
        }
        file.unlink();
        return new Segment(file, capacity);
    }

    RecordRing ring() {
        return ring;
    }

    int senderPid() {
        return UnsafeApi.getInt(base + PID);
    }

    long senderProcess() {
        return UnsafeApi.getLong(base + PROCESS);
    }

    long proofAddress() {
        return UnsafeApi.getLong(base + PROOF);
    }

    long nonce() {
        return UnsafeApi.getLong(base + NONCE);
    }

    /** Changes whenever the receiver began to fetch exposed memory. */
    long activity() {
        return UnsafeApi.getLongVolatile(null, base + ACTIVITY);
    }

    void noteActivity() {
        UnsafeApi.getAndAddLong(null, base + ACTIVITY, 1);
    }

    long slot(final int index) {
        return base + file.size() - (long) (SLOTS - index) * TransferSlot.BYTES;
    }

    @Override
    public void close() {
        file.close();
    }
}
