package org.parley.wireup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.parley.JobException;
import org.parley.transport.Reason;

/** The sockets that a {@link Rendezvous} listens at. */
final class Doors implements AutoCloseable {
    private static final int LEAST_BACKLOG = 128;

    private final List<ServerSocketChannel> servers = new ArrayList<>();

    /**
     * Opens them.
     *
     * @param selector learns of who comes; closed if there are no doors to watch
     * @param addresses where to listen
     * @param expected how many may come at once
     * @throws JobException if one cannot be opened, naming it
     */
    Doors(final Selector selector, final List<? extends SocketAddress> addresses, final int expected) {
        for (final SocketAddress address : addresses) {
            try {
                final ServerSocketChannel server = address instanceof UnixDomainSocketAddress
                        ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        : ServerSocketChannel.open();
                servers.add(server);
                server.bind(address, Math.max(LEAST_BACKLOG, expected));
                server.configureBlocking(false);
                server.register(selector, SelectionKey.OP_ACCEPT);
            } catch (final IOException e) {
                closeAll(selector);
                throw new JobException("cannot make the job's rendezvous " + address + ": " + Reason.of(e), e);
            }
        }
    }

    /** Returns where they are, of those in a network. */
    List<InetSocketAddress> addresses() {
        return servers.stream()
                .map(server -> (InetSocketAddress) server.socket().getLocalSocketAddress())
                .toList();
    }

    /** What could be opened is not kept when another could not. */
    private void closeAll(final Selector selector) {
        try {
            selector.close();
            close();
        } catch (final IOException e) {
            // What cannot be opened is what matters.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        for (final ServerSocketChannel server : servers) {
            server.close();
        }
    }
}
