package org.parley.transport.verbs;

import java.nio.ByteBuffer;

/**
 * One end's half of a connection, as it goes over the control link.
 *
 * <pre>
 *   qpn u32, psn u32, port (see {@link FabricPort}), receives u32, length u32, reads u32,
 *   proof address u64, proof key u32, proof 16 bytes
 * </pre>
 *
 * @param qpn its queue pair
 * @param psn number of the first packet that it sends
 * @param port its port
 * @param receives how many receives it has posted
 * @param length bytes of the longest message that they take
 * @param reads RDMA READs that it has under way, and answers, at most
 * @param proofAddress where the peer may read {@link #proof}
 * @param proofKey the key to it
 * @param proof what the peer must find there
 */
record Offer(
        int qpn,
        int psn,
        FabricPort port,
        int receives,
        int length,
        int reads,
        long proofAddress,
        int proofKey,
        byte[] proof) {
    static final int BYTES = 4 + 4 + FabricPort.BYTES + 4 + 4 + 4 + 8 + 4 + Adapter.PROOF_BYTES;

    byte[] encode() {
        final ByteBuffer bytes = ByteBuffer.allocate(BYTES).putInt(qpn).putInt(psn);
        port.encode(bytes);
        return bytes.putInt(receives)
                .putInt(length)
                .putInt(reads)
                .putLong(proofAddress)
                .putInt(proofKey)
                .put(proof)
                .array();
    }

    /** Reads one; throws a {@link org.parley.transport.TransportException} if it is none. */
    static Offer decode(final ByteBuffer bytes) {
        final int qpn = bytes.getInt();
        final int psn = bytes.getInt();
        final FabricPort port = FabricPort.decode(bytes);
        final int receives = bytes.getInt();
        final int length = bytes.getInt();
        final int reads = bytes.getInt();
        final long proofAddress = bytes.getLong();
        final int proofKey = bytes.getInt();
        final byte[] proof = new byte[Adapter.PROOF_BYTES];
        bytes.get(proof);
        return new Offer(qpn, psn, port, receives, length, reads, proofAddress, proofKey, proof);
    }
}
