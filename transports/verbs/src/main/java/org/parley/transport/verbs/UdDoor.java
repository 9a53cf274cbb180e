package org.parley.transport.verbs;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.parley.transport.Interfaces;
import org.parley.transport.NewsQueue;
import org.parley.transport.RankAddress;
import org.parley.transport.Reason;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;

/**
 * A UDP socket that takes hellos and nothing else, for peers whose datagrams over the fabric lead to where this rank was: where both ends of
 * a pair have moved at one time, each knows only where the other one has been. Its own thread waits there, and believes what is proven.
 */
final class UdDoor implements AutoCloseable {
    private static final int LONGEST = 512;
    private static final int LOOK_MILLIS = 1000;
    private static final long CLOSE_MILLIS = 2000;

    /** More than this are not kept for a rank that has no time; they will be said again. */
    private static final int MOST = 64;

    private final TransportContext context;
    private final byte[] nonce;
    private final DatagramSocket socket;
    private final RankAddress address;
    private final NewsQueue<UdAddress> news = new NewsQueue<>();
    private final AtomicInteger untaken = new AtomicInteger();
    private final Thread thread;
    private long looked = System.nanoTime();
    private volatile boolean isTimeToLook;

    /**
     * Opens it.
     *
     * @param context where the rank is
     * @param nonce this rank's
     * @throws TransportException if there can be no socket
     */
    UdDoor(final TransportContext context, final byte[] nonce) {
        this.context = context;
        this.nonce = nonce;
        final List<InetAddress> all =
                Interfaces.choose(Interfaces.ofThisMachine(), "", context.localSize() == context.size());
        final List<InetAddress> told = all.subList(0, Math.min(all.size(), UdAddress.MOST_SOCKETS));
        try {
            socket = new DatagramSocket(
                    told.size() == 1 ? new InetSocketAddress(told.get(0), 0) : new InetSocketAddress(0));
            socket.setSoTimeout(LOOK_MILLIS);
        } catch (final SocketException e) {
            throw new TransportException("ud", "rank " + context.rank() + " cannot have a socket: " + Reason.of(e), e);
        }
        address = RankAddress.of(
                context,
                told.stream()
                        .map(mine -> new InetSocketAddress(mine, socket.getLocalPort()))
                        .toList());
        thread = new Thread(this::run, "parley-ud-door-" + context.rank());
        thread.setDaemon(true);
        thread.start();
    }

    RankAddress address() {
        return address;
    }

    private void run() {
        final DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
        while (!socket.isClosed()) {
            packet.setLength(LONGEST);
            if (receives(packet)) {
                hear(Arrays.copyOf(packet.getData(), packet.getLength()));
            }
            final long now = System.nanoTime();
            if (now - looked > TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)) {
                looked = now;
                isTimeToLook = true;
            }
        }
    }

    private boolean receives(final DatagramPacket packet) {
        try {
            socket.receive(packet);
            return true;
        } catch (final IOException e) {
            // Nothing came in time, or the socket is closed.
            return false;
        }
    }

    private void hear(final byte[] words) {
        try {
            final UdAddress theirs = untaken.get() < MOST ? Hello.read(words, context, nonce) : null;
            if (theirs != null) {
                untaken.incrementAndGet();
                news.tell(theirs);
            }
        } catch (final TransportException e) {
            // Of a stranger: there is nobody to tell.
            return;
        }
    }

    /** Gives all that came to somebody; the holder's. */
    void take(final Consumer<UdAddress> taker) {
        for (UdAddress theirs; (theirs = news.next()) != null; ) {
            untaken.decrementAndGet();
            taker.accept(theirs);
        }
    }

    /** Whether about a second has passed since this was asked. */
    boolean isTimeToLook() {
        if (!isTimeToLook) {
            return false;
        }
        isTimeToLook = false;
        return true;
    }

    /** Says a hello at a peer's door, at each of its sockets; it may be lost. Any thread. */
    void knock(final byte[] hello, final List<InetSocketAddress> sockets) {
        for (final InetSocketAddress peer : sockets) {
            try {
                socket.send(new DatagramPacket(hello, hello.length, peer));
            } catch (final IOException e) {
                // No way to this one, or not now.
                continue;
            }
        }
    }

    @Override
    public void close() {
        socket.close();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
