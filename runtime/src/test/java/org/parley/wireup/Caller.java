package org.parley.wireup;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.parley.transport.JobSecret;
import org.parley.transport.Protocol;
import org.parley.wireup.ControlFrame.Builder;

/** Somebody at the rendezvous' door, who can say anything. */
final class Caller implements AutoCloseable {
    private final JobSecret secret;
    private final SocketChannel channel;

    Caller(Path folder) throws IOException {
        this(
                UnixDomainSocketAddress.of(Rendezvous.addressIn(folder).substring(AtLauncher.SCHEME.length())),
                Token.read(Rendezvous.tokenFileIn(folder)));
    }

    Caller(SocketAddress address, JobSecret secret) throws IOException {
        this.secret = secret;
        this.channel = SocketChannel.open(address);
    }

    static ByteBuffer hello(int protocol, int rank, int size) {
        return hello("test", protocol, rank, size);
    }

    static ByteBuffer hello(String job, int protocol, int rank, int size) {
        return new Builder(ControlFrame.HELLO)
                .longNumber(ControlFrame.MAGIC)
                .number(protocol)
                .number(rank)
                .number(size)
                .longNumber(4711 + rank)
                .bytes(JobSecret.random(ControlFrame.NONCE_BYTES))
                .text(Build.NAME)
                .text(job)
                .build();
    }

    /** Says hello and proves it with a token; returns the answer. */
    ControlFrame join(int rank, int size, JobSecret token) throws IOException {
        ByteBuffer hello = hello(Protocol.version(), rank, size);
        byte[] body = ControlFrame.bodyOf(hello);
        send(hello);
        ControlFrame challenge = receive();
        send(new Builder(ControlFrame.PROOF)
                .bytes(token.proof(Rendezvous.RANK_SIDE, body, challenge.raw()))
                .build());
        return receive();
    }

    ControlFrame join(int rank, int size) throws IOException {
        return join(rank, size, secret);
    }

    void contribute(String options, String address) throws IOException {
        send(new Builder(ControlFrame.CONTRIBUTE)
                .text(options)
                .bytes(address.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .build());
    }

    void send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    void send(byte... bytes) throws IOException {
        send(ByteBuffer.wrap(bytes));
    }

    /** Returns the next frame that is no heartbeat. */
    ControlFrame receive() throws IOException {
        ControlFrame frame;
        do {
            ByteBuffer header = fill(ControlFrame.HEADER);
            frame = ControlFrame.arrived(header.get(4), fill(header.getInt(0) - 1));
        } while (frame.type() == ControlFrame.HEARTBEAT);
        return frame;
    }

    private ByteBuffer fill(int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException();
            }
        }
        return buffer.flip();
    }

    /** Waits until the other side closes. */
    void awaitEnd() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        try {
            while (channel.read(buffer.clear()) >= 0) {
                continue;
            }
        } catch (IOException e) {
            // Closed with what we have sent unread: the same to us.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
