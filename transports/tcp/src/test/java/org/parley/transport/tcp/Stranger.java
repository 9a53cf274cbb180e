package org.parley.transport.tcp;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.JobSecret;
import org.parley.transport.RankAddress;
import org.parley.transport.tck.TestRank;

/** Somebody who calls a rank by a plain socket and says what a test wants. */
final class Stranger implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;
    private static final int ANSWER_BYTES = Short.BYTES + JobSecret.PROOF_BYTES;

    private final Socket socket = new Socket();
    private final DataInputStream in;

    Stranger(final TestRank called) throws IOException {
        final InetSocketAddress address = RankAddress.decode("tcp", ByteBuffer.wrap(called.address()), 0)
                .sockets()
                .get(0);
        socket.connect(address, PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(socket.getInputStream());
    }

    static byte[] hello(final TestRank called, final int version, final int from) {
        return hello(called, version, from, 1);
    }

    /** Says a hello for a later link. */
    static byte[] hello(final TestRank called, final int version, final int from, final int epoch) {
        final RankAddress address = RankAddress.decode("tcp", ByteBuffer.wrap(called.address()), 0);
        return new Greeting(
                        Connector.MAGIC,
                        version,
                        false,
                        Verdict.WELCOME,
                        address.job(),
                        from,
                        address.rank(),
                        4711,
                        epoch,
                        JobSecret.random(Greeting.NONCE_BYTES))
                .encode();
    }

    void say(final byte[] bytes) throws IOException {
        try {
            socket.getOutputStream().write(bytes);
        } catch (final SocketException e) {
            // It was hung up on before it had said everything.
            return;
        }
    }

    byte[] hear(final int bytes) throws IOException {
        final byte[] heard = new byte[bytes];
        in.readFully(heard);
        return heard;
    }

    Greeting hearGreeting() throws IOException {
        return Greeting.decode(Connector.MAGIC, hear(Greeting.BYTES));
    }

    /** Says a hello and the proof that belongs to it; returns the verdict. */
    Verdict greet(final byte[] hello, final JobSecret secret) throws IOException {
        say(hello);
        final byte[] challenge = hear(Greeting.BYTES);
        say(secret.proof(Handshake.CALLER, hello, challenge));
        return hearVerdict();
    }

    Verdict hearVerdict() throws IOException {
        return Verdict.of(ByteBuffer.wrap(hear(ANSWER_BYTES)).getShort());
    }

    /** Waits until the other side has hung up. */
    boolean isHungUpOn() throws IOException {
        try {
            while (in.read() >= 0) {
                Thread.onSpinWait();
            }
            return true;
        } catch (final EOFException | SocketException e) {
            return true;
        }
    }

    /** Ends with a reset instead of an end of stream. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Says no more, but still hears. */
    void shutdownOutput() throws IOException {
        try {
            socket.shutdownOutput();
        } catch (final SocketException e) {
            // It was hung up on.
            return;
        }
    }

    void hangUp() throws IOException {
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
