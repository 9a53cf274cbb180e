package org.parley.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a rank listens: what its peers need to call it. A transport may put more behind it. Immutable; any thread.
 *
 * <pre>
 *   job u64, rank i32, count u8, then for each socket: length u8 (4 or 16), address, port u16
 * </pre>
 *
 * @param job a number that follows from the job's name
 * @param rank who listens
 * @param sockets where
 */
public record RankAddress(long job, int rank, List<InetSocketAddress> sockets) {
    private static final int LARGEST = 13 + 255 * 19;

    /**
     * Returns the number that stands for a job's name.
     *
     * @param name the job's
     */
    public static long jobNumber(final String name) {
        try {
            final byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Returns the address of this rank.
     *
     * @param context where it is
     * @param sockets where it listens
     */
    public static RankAddress of(final TransportContext context, final List<InetSocketAddress> sockets) {
        return new RankAddress(jobNumber(context.job()), context.rank(), sockets);
    }

    /** Returns its bytes. */
    public byte[] encode() {
        return encode(new byte[0]);
    }

    /**
     * Returns its bytes, with those of a transport behind them.
     *
     * @param more the transport's
     */
    public byte[] encode(final byte[] more) {
        final ByteBuffer bytes = ByteBuffer.allocate(LARGEST + more.length);
        bytes.putLong(job).putInt(rank).put((byte) sockets.size());
        for (final InetSocketAddress socket : sockets) {
            final byte[] address = socket.getAddress().getAddress();
            bytes.put((byte) address.length).put(address).putShort((short) socket.getPort());
        }
        bytes.put(more);
        final byte[] result = new byte[bytes.position()];
        bytes.flip().get(result);
        return result;
    }

    /**
     * Reads one; what is behind it is left for the transport.
     *
     * @param transport whose address it is, for the text of an error
     * @param bytes what was said
     * @param more how many bytes the transport has put behind it
     * @throws TransportException if it is none
     */
    public static RankAddress decode(final String transport, final ByteBuffer bytes, final int more) {
        final int length = bytes.remaining();
        try {
            final long job = bytes.getLong();
            final int rank = bytes.getInt();
            final List<InetSocketAddress> sockets = new ArrayList<>();
            for (int left = bytes.get() & 0xff; left > 0; left--) {
                sockets.add(socket(transport, bytes));
            }
            if (bytes.remaining() != more || sockets.isEmpty()) {
                throw new TransportException(
                        transport,
                        "the peer's address has " + length + " bytes and " + sockets.size() + " sockets: it is none");
            }
            return new RankAddress(job, rank, List.copyOf(sockets));
        } catch (final BufferUnderflowException | UnknownHostException e) {
            throw new TransportException(transport, "the peer's address of " + length + " bytes is none", e);
        }
    }

    private static InetSocketAddress socket(final String transport, final ByteBuffer bytes)
            throws UnknownHostException {
        final int length = bytes.get();
        if (length != 4 && length != 16) {
            throw new TransportException(transport, "an address of " + length + " bytes is neither IPv4 nor IPv6");
        }
        final byte[] address = new byte[length];
        bytes.get(address);
        return new InetSocketAddress(InetAddress.getByAddress(address), bytes.getShort() & 0xffff);
    }

    /**
     * Checks that it is a peer's.
     *
     * @param transport whose address it is, for the text of an error
     * @param context where this rank is
     * @return itself
     * @throws TransportException if it is another job's, or no other rank's
     */
    public RankAddress checked(final String transport, final TransportContext context) {
        check(transport, context, job, rank);
        return this;
    }

    /**
     * Checks that what an address says of its owner is a peer's.
     *
     * @param transport whose address it is, for the text of an error
     * @param context where this rank is
     * @param job the number of the owner's job
     * @param rank the owner
     * @throws TransportException if it is another job's, or no other rank's
     */
    public static void check(final String transport, final TransportContext context, final long job, final int rank) {
        if (job != jobNumber(context.job())) {
            throw new TransportException(transport, "the peer belongs to another job");
        }
        if (rank < 0 || rank >= context.size() || rank == context.rank()) {
            throw new TransportException(
                    transport,
                    "rank " + rank + " is no peer of rank " + context.rank() + " in a job of " + context.size());
        }
    }
}
