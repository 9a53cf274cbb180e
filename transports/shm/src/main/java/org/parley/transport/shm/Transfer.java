package org.parley.transport.shm;

/** A fetch of exposed memory that this rank, the receiver, has begun. */
final class Transfer {
    /** The receiver looks at its rings again after so many bytes. */
    private static final long STEP_BYTES = 4L << 20;

    private final Inbound source;
    private final PeerMemory peer;

    /** Where the source can be read by loads, or 0. */
    private final long mapped;

    private final long slot;
    private final long remoteAddress;
    private final long localAddress;
    private final long token;

    Transfer(
            final Inbound source,
            final PeerMemory peer,
            final long mapped,
            final long slot,
            final long remoteAddress,
            final long localAddress,
            final long token) {
        this.source = source;
        this.peer = peer;
        this.mapped = mapped;
        this.slot = slot;
        this.remoteAddress = remoteAddress;
        this.localAddress = localAddress;
        this.token = token;
    }

    long token() {
        return token;
    }

    Inbound source() {
        return source;
    }

    /** Copies from the bottom; true once all chunks, the sender's too, are in place. */
    boolean step(final CrossMemory memory) {
        final long chunk = TransferSlot.chunk(slot);
        final long length = TransferSlot.length(slot);
        long bytes = 0;
        for (long number; bytes < STEP_BYTES && (number = TransferSlot.takeBottom(slot)) >= 0; ) {
            final long offset = number * chunk;
            final long piece = Math.min(chunk, length - offset);
            final long from = mapped == 0 ? 0 : mapped + offset;
            if (peer.read(memory, from, remoteAddress + offset, localAddress + offset, piece)) {
                TransferSlot.copied(slot);
            } else {
                TransferSlot.fail(slot);
            }
            bytes += piece;
        }
        return TransferSlot.isCopied(slot);
    }

    /** Ends it where it is: neither side takes another chunk. */
    void abandon() {
        TransferSlot.abandon(slot);
    }

    /** After the last step: null, or what went wrong. */
    String failure() {
        return TransferSlot.isFailed(slot)
                ? "shm: the kernel refused to copy memory of rank " + source.rank() + " (process "
                        + source.segment().senderPid() + "): process_vm_readv failed"
                : null;
    }
}
