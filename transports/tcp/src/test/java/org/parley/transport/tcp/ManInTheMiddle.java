package org.parley.transport.tcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.parley.transport.Greeting;
import org.parley.transport.JobSecret;
import org.parley.transport.RankAddress;
import org.parley.transport.tck.TestRank;

/** Stands where one rank calls another: sees all that they say, and may change it. */
final class ManInTheMiddle implements AutoCloseable {

    /** What is done with a connection, from its first byte on. */
    interface Plan {
        void play(ManInTheMiddle who, Socket caller, Socket called) throws IOException;
    }

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final TestRank called;
    private final Plan plan;
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
    private final Thread thread = new Thread(this::play, "man in the middle");

    ManInTheMiddle(final TestRank called, final Plan plan) throws IOException {
        this.called = called;
        this.plan = plan;
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns what the called rank's address is to those who are to be deceived. */
    byte[] address() {
        final RankAddress theirs = RankAddress.decode("tcp", ByteBuffer.wrap(called.address()), 0);
        return new RankAddress(
                        theirs.job(), theirs.rank(), List.of((InetSocketAddress) listening.getLocalSocketAddress()))
                .encode();
    }

    /** A rank that finds no time to answer is called again. */
    private void play() {
        try {
            while (true) {
                playOnce();
            }
        } catch (final IOException e) {
            // It has been closed.
            return;
        }
    }

    private void playOnce() throws IOException {
        try (Socket caller = listening.accept();
                Socket rank = new Socket()) {
            try {
                rank.connect(RankAddress.decode("tcp", ByteBuffer.wrap(called.address()), 0)
                        .sockets()
                        .get(0));
                plan.play(this, caller, rank);
            } catch (final IOException e) {
                // A rank that notices hangs up.
                return;
            }
        }
    }

    private Thread pumpBack(final Socket rank, final Socket caller) {
        final Thread back = new Thread(() -> pump(rank, caller), "man in the middle, back");
        back.setDaemon(true);
        back.start();
        return back;
    }

    /**
     * Passes on what the caller says to introduce itself, so many bytes behind that, and all that is answered; then
     * resets both connections.
     */
    void relayAndReset(final Socket caller, final Socket rank, final int bytes) throws IOException {
        pumpBack(rank, caller);
        final byte[] some = new byte[64 * 1024];
        int left = Greeting.BYTES + JobSecret.PROOF_BYTES + bytes;
        for (int length; (length = caller.getInputStream().read(some, 0, Math.min(some.length, left))) > 0; ) {
            rank.getOutputStream().write(some, 0, length);
            left -= length;
        }
        caller.setSoLinger(true, 0);
        rank.setSoLinger(true, 0);
    }

    /** Passes on everything, both ways, until both have ended. */
    void relay(final Socket caller, final Socket rank) {
        final Thread back = pumpBack(rank, caller);
        pump(caller, rank);
        try {
            // Its sockets are closed when this returns.
            back.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pump(final Socket from, final Socket to) {
        try {
            final InputStream in = from.getInputStream();
            final OutputStream out = to.getOutputStream();
            final byte[] some = new byte[64 * 1024];
            for (int length; (length = in.read(some)) > 0; ) {
                hear(some, length);
                out.write(some, 0, length);
            }
            to.shutdownOutput();
        } catch (final IOException e) {
            // One of them has gone: so is the other's connection.
            return;
        }
    }

    private synchronized void hear(final byte[] some, final int length) {
        heard.write(some, 0, length);
    }

    /** Passes on one message; returns it. */
    byte[] pass(final Socket from, final Socket to, final int length) throws IOException {
        final byte[] message = from.getInputStream().readNBytes(length);
        to.getOutputStream().write(message);
        return message;
    }

    /** Whether something has gone by. */
    synchronized boolean hasHeard(final String text) {
        return heard.toString(StandardCharsets.ISO_8859_1).contains(text);
    }

    synchronized int heardBytes() {
        return heard.size();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
