package org.parley.transport.verbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import jdk.net.ExtendedSocketOptions;
import org.parley.transport.Interfaces;
import org.parley.transport.Reason;
import org.parley.transport.TransportException;

/** The thread that makes connections, and its sockets. {@link #execute} and {@link #close} are anybody's, all else its own. */
final class ControlThread implements AutoCloseable {
    private static final long TICK_MILLIS = 50;
    private static final long CLOSE_MILLIS = 2000;

    /** A machine that is gone is found out after half a minute. */
    private static final int KEEP_ALIVE_SECONDS = 7;

    private static final int PROBES = 3;

    private final Selector selector;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<ServerSocketChannel> listening = new ArrayList<>();
    private final List<ControlLink> links = new ArrayList<>();
    private volatile boolean closed;

    ControlThread(final int rank, final LongConsumer tick) {
        try {
            selector = Selector.open();
        } catch (final IOException e) {
            throw new TransportException("rc", "rank " + rank + " cannot have a selector: " + Reason.of(e), e);
        }
        thread = new Thread(() -> run(tick), "parley-rc-" + rank);
        thread.setDaemon(true);
    }

    /**
     * Listens; before {@link #start}.
     *
     * @param address where
     * @param accepted makes the link of a channel that was accepted
     * @return the socket
     */
    InetSocketAddress listen(
            final InetSocketAddress address,
            final int backlog,
            final BiFunction<SocketChannel, String, ControlLink> accepted)
            throws IOException {
        final ServerSocketChannel server = ServerSocketChannel.open();
        listening.add(server);
        server.bind(address, backlog).configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT, accepted);
        return (InetSocketAddress) server.getLocalAddress();
    }

    void start() {
        thread.start();
    }

    void execute(final Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    private void run(final LongConsumer tick) {
        try {
            while (!closed) {
                // Of what has happened up to here, all is known at the tick. What is done between may take seconds, and
                // who
                // was ready meanwhile was not silent.
                final long now = System.nanoTime();
                selector.select(TICK_MILLIS);
                for (Runnable task; (task = tasks.poll()) != null; ) {
                    task.run();
                }
                for (final SelectionKey key : selector.selectedKeys()) {
                    if (key.isValid()) {
                        ready(key);
                    }
                }
                selector.selectedKeys().clear();
                List.copyOf(links).forEach(link -> link.tick(now));
                links.removeIf(ControlLink::isOver);
                tick.accept(now);
            }
        } catch (final IOException e) {
            // No selector any more: links that stand go on without.
            closed = true;
        }
        closeAll();
    }

    @SuppressWarnings("unchecked")
    private void ready(final SelectionKey key) {
        if (key.attachment() instanceof ControlLink link) {
            link.ready();
        } else {
            accept((ServerSocketChannel) key.channel(), (BiFunction<SocketChannel, String, ControlLink>)
                    key.attachment());
        }
    }

    private void accept(
            final ServerSocketChannel server, final BiFunction<SocketChannel, String, ControlLink> accepted) {
        try {
            final SocketChannel channel = server.accept();
            if (channel != null) {
                prepare(channel);
                final ControlLink link = accepted.apply(channel, Interfaces.nameOf(channel.getRemoteAddress()));
                register(channel, link, SelectionKey.OP_READ);
                link.connected();
            }
        } catch (final IOException e) {
            // The caller is gone again.
            return;
        }
    }

    /** Begins to connect; the link is told what comes of it. */
    void connect(final SocketChannel channel, final InetSocketAddress address, final ControlLink link) {
        try {
            prepare(channel);
            register(channel, link, SelectionKey.OP_CONNECT);
            if (channel.connect(address)) {
                channel.keyFor(selector).interestOps(SelectionKey.OP_READ);
                link.connected();
            }
        } catch (final IOException e) {
            link.end(Reason.of(e));
        }
    }

    private void register(final SocketChannel channel, final ControlLink link, final int operations)
            throws ClosedChannelException {
        link.key(channel.register(selector, operations, link));
        links.add(link);
    }

    private static void prepare(final SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        set(channel, ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS);
        set(channel, ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_SECONDS);
        set(channel, ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
    }

    private static void set(final SocketChannel channel, final SocketOption<Integer> option, final int value)
            throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        if (!thread.isAlive()) {
            closeAll();
            return;
        }
        try {
            thread.join(CLOSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeAll() {
        try {
            for (final ServerSocketChannel server : listening) {
                server.close();
            }
            links.forEach(ControlLink::close);
            selector.close();
        } catch (final IOException e) {
            // What the process holds ends with it.
            return;
        }
    }
}
