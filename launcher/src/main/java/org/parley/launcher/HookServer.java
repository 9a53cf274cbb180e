package org.parley.launcher;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.parley.wireup.ControlFrame;

/**
 * A socket in the job's folder, which only the job's user can enter: each connection asks one thing of the job, and is
 * answered. Threads of its own read and write; what is asked is passed on by them.
 */
final class HookServer implements AutoCloseable {
    private static final byte REQUEST = 1;
    private static final byte ANSWER = 2;
    private static final int VERSION = 1;

    /** The longest frame of either kind. */
    private static final int LONGEST = 1 << 20;

    /** Who may ask at one time. */
    private static final int MOST = 32;

    private static final int STACK = 128 * 1024;

    /**
     * What is asked.
     *
     * @param quiesces whether ranks are to be left alone, or no longer
     * @param host on which host; empty: on all
     * @param nanos how long an answer may take
     */
    record Request(boolean quiesces, String host, long nanos) {}

    /**
     * What came of it.
     *
     * @param isDone whether all of it is done
     * @param text for people
     */
    record Answer(boolean isDone, String text) {}

    private final BiConsumer<Request, Consumer<Answer>> asked;
    private final Semaphore places = new Semaphore(MOST);
    private ServerSocketChannel door;

    /** @param asked does what is asked; called on threads of this */
    HookServer(final BiConsumer<Request, Consumer<Answer>> asked) {
        this.asked = asked;
    }

    /**
     * Opens the socket.
     *
     * @param folder the job's
     * @param says told if nobody can ask, and why
     */
    void open(final Path folder, final Consumer<String> says) {
        try {
            door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            door.bind(UnixDomainSocketAddress.of(socketIn(folder)));
        } catch (final IOException | RuntimeException e) {
            says.accept("parley: nobody can quiesce this job by parley quiesce: " + e.getMessage());
            return;
        }
        thread(this::accept);
    }

    private static Path socketIn(final Path folder) {
        return folder.resolve("hook");
    }

    private static void thread(final Runnable what) {
        final Thread thread = new Thread(null, what, "parley-hook", STACK);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            for (; ; ) {
                final SocketChannel channel = door.accept();
                if (places.tryAcquire()) {
                    thread(() -> serve(channel));
                } else {
                    channel.close();
                }
            }
        } catch (final IOException e) {
            // close() was called, or there are no descriptors left: then nobody else asks.
            return;
        }
    }

    private void serve(final SocketChannel channel) {
        try (channel) {
            final ControlFrame frame = read(channel, REQUEST);
            final Request request = new Request(frame.number() != 0, frame.text(), Math.max(0, frame.longNumber()));
            final CompletableFuture<Answer> answer = new CompletableFuture<>();
            asked.accept(request, answer::complete);
            final Answer given = answer.get();
            write(
                    channel,
                    new ControlFrame.Builder(ANSWER)
                            .number(VERSION)
                            .number(given.isDone ? 1 : 0)
                            .text(given.text));
        } catch (final IOException | ExecutionException e) {
            // Who asked asks no more.
            return;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            places.release();
        }
    }

    /**
     * Asks a job.
     *
     * @param folder the job's
     * @return null if the job has ended meanwhile
     * @throws IOException if it cannot be asked, or is of another version
     */
    static Answer ask(final Path folder, final Request request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socketIn(folder)))) {
            write(
                    channel,
                    new ControlFrame.Builder(REQUEST)
                            .number(VERSION)
                            .number(request.quiesces ? 1 : 0)
                            .text(request.host)
                            .longNumber(request.nanos));
            final ControlFrame frame = read(channel, ANSWER);
            return new Answer(frame.number() != 0, frame.text());
        } catch (final EOFException e) {
            return null;
        }
    }

    private static void write(final SocketChannel channel, final ControlFrame.Builder frame) throws IOException {
        for (final ByteBuffer bytes = frame.build(); bytes.hasRemaining(); ) {
            channel.write(bytes);
        }
    }

    private static ControlFrame read(final SocketChannel channel, final byte type) throws IOException {
        final DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
        final int length = in.readInt();
        if (length < 1 || length > LONGEST) {
            throw new IOException("a frame claims " + length + " bytes, allowed are " + LONGEST);
        }
        final byte[] bytes = new byte[length];
        in.readFully(bytes);
        final ControlFrame frame = ControlFrame.arrived(
                bytes[0], ByteBuffer.wrap(bytes, 1, length - 1).slice());
        if (frame.type() != type || frame.number() != VERSION) {
            throw new IOException("the job's launcher is of another version of Parley: ask with that one");
        }
        return frame;
    }

    @Override
    public void close() {
        try {
            if (door != null) {
                door.close();
            }
        } catch (final IOException e) {
            // The process ends, and with it the socket.
            return;
        }
    }
}
