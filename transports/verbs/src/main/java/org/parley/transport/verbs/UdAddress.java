package org.parley.transport.verbs;

import java.nio.ByteBuffer;
import org.agrona.UnsafeApi;
import org.parley.transport.JobSecret;
import org.parley.transport.TransportException;

/**
 * Where a rank takes datagrams.
 *
 * <pre>
 *   job u64, rank u32, port (see {@link FabricPort}), qpn u32, qkey u32, nonce 16 bytes
 * </pre>
 *
 * @param job a number that follows from the job's name
 * @param rank whose it is
 * @param port its port
 * @param qpn its queue pair
 * @param qkey what datagrams to it must have; anybody may see it on the wire
 * @param nonce bytes of this opening of the transport and no other, so that what was proven to it is proven to no other
 */
record UdAddress(long job, int rank, FabricPort port, int qpn, int qkey, byte[] nonce) {
    static final int NONCE_BYTES = 16;
    static final int BYTES = 8 + 4 + FabricPort.BYTES + 4 + 4 + NONCE_BYTES;

    private static final String HELLO = "ud hello";
    private static final String DATAGRAM = "ud datagram";

    byte[] encode() {
        final ByteBuffer bytes = ByteBuffer.allocate(BYTES).putLong(job).putInt(rank);
        port.encode(bytes);
        return bytes.putInt(qpn).putInt(qkey).put(nonce).array();
    }

    /**
     * Reads one.
     *
     * @throws TransportException if it is none
     */
    static UdAddress decode(final byte[] encoded) {
        if (encoded.length != BYTES) {
            throw new TransportException("ud", "the peer's address of " + encoded.length + " bytes is none");
        }
        final ByteBuffer bytes = ByteBuffer.wrap(encoded);
        final long job = bytes.getLong();
        final int rank = bytes.getInt();
        final FabricPort port = FabricPort.decode(bytes);
        final int qpn = bytes.getInt();
        final int qkey = bytes.getInt();
        final byte[] nonce = new byte[NONCE_BYTES];
        bytes.get(nonce);
        return new UdAddress(job, rank, port, qpn, qkey, nonce);
    }

    /** Returns what this rank's datagrams to another one begin with. */
    long token(final JobSecret secret, final UdAddress to) {
        final byte[] proof = secret.proof(DATAGRAM, encode(), to.encode());
        return UnsafeApi.getLong(proof, UnsafeApi.arrayBaseOffset(byte[].class));
    }

    /** Returns what this rank's hello to another one ends with. */
    byte[] proof(final JobSecret secret, final UdAddress to) {
        return secret.proof(HELLO, encode(), to.encode());
    }

    /** Says where that is, for people. */
    String text() {
        return "queue pair " + qpn + " at GID " + port.text();
    }
}
