package org.parley.transport.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.agrona.UnsafeApi;
import org.parley.transport.JobSecret;
import org.parley.transport.RankAddress;

/**
 * Where a rank takes datagrams. It has another one each time its queue pair is made anew; job, rank, door and nonce stay.
 *
 * <pre>
 *   door (see {@link RankAddress}), port (see {@link FabricPort}), qpn u32, qkey u32, moves u32, nonce 16 bytes
 * </pre>
 *
 * @param door whose it is, and where hellos reach it that its queue pair does not get (see {@link UdDoor})
 * @param port its port
 * @param qpn its queue pair
 * @param qkey what datagrams to it must have; anybody may see it on the wire
 * @param moves how often it has moved before: of two addresses of one rank the one with more is in force
 * @param nonce bytes of this opening of the transport and no other, so that what was proven to it is proven to no other
 */
record UdAddress(RankAddress door, FabricPort port, int qpn, int qkey, int moves, byte[] nonce) {
    static final int NONCE_BYTES = 16;

    /** Sockets of a door: all that is said of a rank fits into the shortest datagram. */
    static final int MOST_SOCKETS = 4;

    private static final int OWN_BYTES = FabricPort.BYTES + 3 * Integer.BYTES + NONCE_BYTES;
    private static final String HELLO = "ud hello";
    private static final String DATAGRAM = "ud datagram";

    byte[] encode() {
        final ByteBuffer bytes = ByteBuffer.allocate(OWN_BYTES);
        port.encode(bytes);
        return door.encode(
                bytes.putInt(qpn).putInt(qkey).putInt(moves).put(nonce).array());
    }

    /**
     * Reads one.
     *
     * @throws org.parley.transport.TransportException if it is none
     */
    static UdAddress decode(final byte[] encoded) {
        final ByteBuffer bytes = ByteBuffer.wrap(encoded);
        final RankAddress door = RankAddress.decode("ud", bytes, OWN_BYTES);
        final FabricPort port = FabricPort.decode(bytes);
        final int qpn = bytes.getInt();
        final int qkey = bytes.getInt();
        final int moves = bytes.getInt();
        final byte[] nonce = new byte[NONCE_BYTES];
        bytes.get(nonce);
        return new UdAddress(door, port, qpn, qkey, moves, nonce);
    }

    int rank() {
        return door.rank();
    }

    List<InetSocketAddress> sockets() {
        return door.sockets();
    }

    /** Whether it is an address of the same opening of the transport. */
    boolean isOfSame(final UdAddress other) {
        return Arrays.equals(nonce, other.nonce);
    }

    /** Whether it is in force, and the other one, of the same opening, is not any more. */
    boolean replaces(final UdAddress other) {
        return isOfSame(other) && moves - other.moves > 0;
    }

    /** Returns what this rank's datagrams to another one begin with. */
    long token(final JobSecret secret, final UdAddress to) {
        final byte[] proof = secret.proof(DATAGRAM, encode(), to.encode());
        return UnsafeApi.getLong(proof, UnsafeApi.arrayBaseOffset(byte[].class));
    }

    /**
     * Returns what this rank's hello to another one ends with. It holds whether that has moved or not: who says hello may not know.
     *
     * @param to the other's nonce
     */
    byte[] proof(final JobSecret secret, final byte[] to) {
        return secret.proof(HELLO, encode(), to);
    }

    /** Says where that is, for people. */
    String text() {
        return "queue pair " + qpn + " at GID " + port.text();
    }
}
