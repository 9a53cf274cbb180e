package org.parley.transport.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.parley.transport.RankAddress;
import org.parley.transport.TransportContext;

/**
 * What peers need to call a rank: where it listens for the control link, and its port on the fabric.
 *
 * <pre>
 *   address (see {@link RankAddress}), port (see {@link FabricPort})
 * </pre>
 *
 * @param link where it listens
 * @param port its port on the fabric
 */
record RcAddress(RankAddress link, FabricPort port) {

    byte[] encode() {
        final ByteBuffer bytes = ByteBuffer.allocate(FabricPort.BYTES);
        port.encode(bytes);
        return link.encode(bytes.array());
    }

    /**
     * Reads a peer's.
     *
     * @throws org.parley.transport.TransportException if it is none
     */
    static RcAddress decode(final byte[] encoded, final TransportContext context) {
        final ByteBuffer bytes = ByteBuffer.wrap(encoded);
        final RankAddress link =
                RankAddress.decode("rc", bytes, FabricPort.BYTES).checked("rc", context);
        return new RcAddress(link, FabricPort.decode(bytes));
    }

    int rank() {
        return link.rank();
    }

    List<InetSocketAddress> sockets() {
        return link.sockets();
    }
}
