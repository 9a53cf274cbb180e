package org.parley.testbed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Asks QEMU to do something to its machine, in the QEMU Machine Protocol (QMP). One thread's at a time. */
final class Monitor implements AutoCloseable {
    private final SocketChannel channel;
    private final BufferedReader answers;

    /**
     * Connects.
     *
     * @param socket where QEMU listens
     * @throws UncheckedIOException if it does not (yet)
     */
    Monitor(final Path socket) {
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(socket));
            answers = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
            answers.readLine();
        } catch (final IOException e) {
            throw new UncheckedIOException(socket + ": " + e.getMessage(), e);
        }
        ask("qmp_capabilities", "");
    }

    /**
     * Asks for something.
     *
     * @param command its name
     * @param arguments members of an object in JSON, such as {@code "name": "card", "up": true}
     * @return the answer in JSON
     * @throws IllegalStateException if QEMU refuses
     */
    String ask(final String command, final String arguments) {
        final String line = "{\"execute\": \"" + command + "\", \"arguments\": {" + arguments + "}}\n";
        try {
            channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
            String answer = answers.readLine();
            // What it tells unasked comes between.
            while (answer != null && answer.contains("\"event\": ")) {
                answer = answers.readLine();
            }
            if (answer == null || answer.startsWith("{\"error\": ")) {
                throw new IllegalStateException("QEMU refuses " + line.strip() + ": " + answer);
            }
            return answer;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
