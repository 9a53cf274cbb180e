package org.parley.transport.tcp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.HashMap;
import java.util.Map;
import org.parley.transport.TransportException;

/**
 * Tells by one call of the kernel which of many connections have something to read. Netty's epoll,
 * without its loop: whoever holds the progress word looks.
 */
final class Readiness implements AutoCloseable {
    /** Looks, and does not wait. */
    private static final IoHandlerContext NOW = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(final long now) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }
    };

    /** Takes each thread for the right one: they take turns. */
    private static final ThreadAwareExecutor HOLDER = new ThreadAwareExecutor() {
        @Override
        public boolean isExecutorThread(final Thread thread) {
            return true;
        }

        @Override
        public void execute(final Runnable task) {
            task.run();
        }
    };

    private final IoHandler epoll = EpollIoHandler.newFactory().newHandler(HOLDER);
    private final Map<TcpEndpoint, IoRegistration> watched = new HashMap<>();

    /** Watches a link from now on, if that is possible. */
    void add(final TcpEndpoint link) {
        if (link.wire().descriptor() < 0) {
            return;
        }
        try {
            final IoRegistration registration = epoll.register(
                    new Handle(link, new FileDescriptor(link.wire().descriptor())));
            registration.submit(EpollIoOps.EPOLLIN);
            watched.put(link, registration);
            link.isWatched(true);
        } catch (final Exception e) {
            throw new TransportException("tcp", "cannot watch " + link.wire().name() + ": " + e.getMessage(), e);
        }
    }

    /** Watches a link no longer; before its descriptor is closed. */
    void remove(final TcpEndpoint link) {
        final IoRegistration registration = watched.remove(link);
        if (registration != null) {
            registration.cancel();
            link.isWatched(false);
        }
    }

    /** Tells the links that have something to read. */
    void look() {
        epoll.run(NOW);
    }

    @Override
    public void close() {
        watched.values().forEach(IoRegistration::cancel);
        epoll.prepareToDestroy();
        epoll.destroy();
    }

    /** What is told of a link. */
    private record Handle(TcpEndpoint link, FileDescriptor fd) implements EpollIoHandle {
        @Override
        public void handle(final IoRegistration registration, final IoEvent event) {
            link.readable();
        }

        @Override
        public void close() {
            // The link's own.
        }
    }
}
