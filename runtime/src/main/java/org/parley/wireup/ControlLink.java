package org.parley.wireup;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.parley.JobException;

/**
 * A rank's end of its line to the launcher, and the thread that reads it. The thread never touches
 * the engine but through {@link Place.News}, answers for the rank while it computes, and ends the
 * process when the launcher is gone: there are no orphans.
 */
final class ControlLink {
    private static final long LISTEN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final SocketAddress address;
    private final Path tokenFile;
    private Token token;
    private final int rank;
    private final int size;
    private final Runnable whenOrphaned;
    private SocketChannel channel;

    private boolean welcome;
    private boolean sharesCores;
    private String[] hosts;
    private byte[][] everybody;
    private String failure;
    private volatile boolean stopping;
    private volatile boolean resting;

    /** Made when the rank has joined; before that, reads block. */
    private Selector selector;

    private Place.News news;
    private final List<Runnable> earlyNews = new ArrayList<>();

    /**
     * Starts the thread, which joins.
     *
     * @param whenOrphaned ends the process: the launcher is gone
     */
    ControlLink(
            final SocketAddress address,
            final Path tokenFile,
            final int rank,
            final int size,
            final Runnable whenOrphaned) {
        this.address = address;
        this.tokenFile = tokenFile;
        this.rank = rank;
        this.size = size;
        this.whenOrphaned = whenOrphaned;
        final Thread thread = new Thread(null, this::run, "parley-control", 256 * 1024);
        thread.setDaemon(true);
        thread.start();
    }

    // --- for the rank's own threads ---------------------------------------------------------

    /** Waits until this is a member of the job. */
    synchronized void awaitWelcome(final long nanos) {
        awaitTrue(() -> welcome, nanos, "the launcher has not answered");
    }

    /** Waits for everybody's address. */
    synchronized byte[][] awaitEverybody(final long nanos) {
        awaitTrue(() -> everybody != null, nanos, "not all ranks have joined");
        return everybody;
    }

    private void awaitTrue(final java.util.function.BooleanSupplier isDone, final long nanos, final String what) {
        final long deadline = System.nanoTime() + nanos;
        while (!isDone.getAsBoolean()) {
            final long left = deadline - System.nanoTime();
            if (failure == null && left <= 0) {
                failure = what + " within " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s";
            }
            if (failure != null) {
                throw new JobException("rank " + rank + " cannot join its job: " + failure);
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new JobException("interrupted while joining the job", e);
            }
        }
    }

    synchronized boolean sharesCores() {
        return sharesCores;
    }

    synchronized String host(final int other) {
        return hosts == null || other < 0 || other >= hosts.length ? "?" : hosts[other];
    }

    void listen(final Place.News listener) {
        final List<Runnable> early;
        synchronized (this) {
            news = listener;
            early = List.copyOf(earlyNews);
            earlyNews.clear();
        }
        early.forEach(Runnable::run);
    }

    /** Whether the launcher is ending the job, so that failures are a consequence, not a cause. */
    boolean isStopping() {
        return stopping;
    }

    /** Sends a frame. What cannot be sent is lost with the launcher, which the thread notices. */
    void send(final ByteBuffer frame) {
        try {
            write(frame);
        } catch (final IOException e) {
            return;
        }
    }

    private void write(final ByteBuffer frame) throws IOException {
        // The channel has a lock for writers of its own: frames stay whole.
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    // --- the thread ------------------------------------------------------------------------

    private void run() {
        try (SocketChannel socket = connect()) {
            channel = socket;
            token = Token.read(tokenFile);
            join();
        } catch (final IOException | JobException e) {
            fail("no line to the launcher at " + address + ": " + e.getMessage());
        }
    }

    /** The launcher starts its ranks before it listens, so a short wait is part of the start. */
    private SocketChannel connect() throws IOException {
        for (final long began = System.nanoTime(); ; ) {
            try {
                return SocketChannel.open(address);
            } catch (final IOException e) {
                if (System.nanoTime() - began > LISTEN_NANOS) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private void join() throws IOException {
        final ByteBuffer hello = new ControlFrame.Builder(ControlFrame.HELLO)
                .longNumber(ControlFrame.MAGIC)
                .number(ControlFrame.PROTOCOL)
                .number(rank)
                .number(size)
                .longNumber(ProcessHandle.current().pid())
                .bytes(Token.random(ControlFrame.NONCE_BYTES))
                .text(Build.NAME)
                .build();
        final byte[] helloBody = ControlFrame.bodyOf(hello);
        write(hello);
        final ControlFrame challenge = expect(ControlFrame.CHALLENGE);
        if (challenge.longNumber() != ControlFrame.MAGIC) {
            throw new IOException("what listens there is no launcher");
        }
        final byte[] challengeBody = challenge.raw();
        write(new ControlFrame.Builder(ControlFrame.PROOF)
                .bytes(token.proof(Rendezvous.RANK_SIDE, helloBody, challengeBody))
                .build());
        final ControlFrame answer = expect(ControlFrame.WELCOME);
        final byte[] expected = token.proof(Rendezvous.LAUNCHER_SIDE, helloBody, challengeBody);
        if (!Token.isSame(expected, answer.bytes())) {
            throw new IOException("what listens there does not have the job's token");
        }
        welcomed(answer);
        serve();
    }

    private ControlFrame expect(final byte type) throws IOException {
        final ControlFrame frame = read(ControlFrame.LIMIT);
        if (frame.type() == ControlFrame.REFUSED) {
            throw new IOException("refused: " + frame.text());
        }
        if (frame.type() != type) {
            throw new IOException("what listens there does not speak our protocol");
        }
        return frame;
    }

    private synchronized void welcomed(final ControlFrame frame) throws IOException {
        sharesCores = frame.number() != 0;
        final int count = frame.number();
        if (count != size) {
            throw new IOException("the launcher has " + count + " ranks, not " + size);
        }
        hosts = new String[size];
        for (int i = 0; i < size; i++) {
            hosts[i] = frame.text();
        }
        welcome = true;
        notifyAll();
    }

    private ControlFrame read(final int limit) throws IOException {
        final ByteBuffer header = fill(ControlFrame.HEADER);
        final int length = header.getInt(0);
        if (length < 1 || length > limit) {
            throw new IOException("a frame claims " + length + " bytes, allowed are " + limit);
        }
        return ControlFrame.arrived(header.get(4), fill(length - 1));
    }

    private ByteBuffer fill(final int bytes) throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining()) {
            final int count = channel.read(buffer);
            if (count < 0) {
                throw new EOFException("the launcher has closed the line");
            }
            if (count == 0) {
                awaitInput();
            }
        }
        return buffer.flip();
    }

    private synchronized void fail(final String why) {
        if (failure == null) {
            failure = why;
        }
        notifyAll();
    }

    /**
     * Takes the thread out of its wait when the JVM begins to end, which would wait 0.3 s for a thread in native
     * code. The line stays open, so that nothing that the launcher still says fails.
     */
    private void rest() {
        resting = true;
        selector.wakeup();
    }

    private void awaitInput() throws IOException {
        selector.select();
        selector.selectedKeys().clear();
        while (resting) {
            LockSupport.park();
        }
    }

    private void serve() throws IOException {
        selector = Selector.open();
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
        Runtime.getRuntime().addShutdownHook(new Thread(this::rest, "parley-rest"));
        try {
            for (; ; ) {
                handle(read(ControlFrame.LIMIT));
            }
        } catch (final IOException e) {
            whenOrphaned.run();
        }
    }

    private void handle(final ControlFrame frame) throws IOException {
        switch (frame.type()) {
            case ControlFrame.EVERYBODY -> takeEverybody(frame);
            case ControlFrame.HOPELESS -> fail(frame.text());
            case ControlFrame.LEFT -> {
                for (int left = frame.number(); left > 0; left--) {
                    final int other = frame.number();
                    if (other != rank) {
                        tell(() -> news.left(other));
                    }
                }
            }
            case ControlFrame.DIED -> {
                final int other = frame.number();
                final String cause = frame.text();
                fail("rank " + other + " " + cause);
                tell(() -> news.died(other, cause));
            }
            case ControlFrame.STOPPING -> stopping = true;
            case ControlFrame.REPORT -> send(Report.make(listener()));
            case ControlFrame.HEARTBEAT -> send(ControlFrame.empty(ControlFrame.HEARTBEAT));
            default -> {
                // Of a later version that still speaks this protocol: not needed here.
            }
        }
    }

    private synchronized void takeEverybody(final ControlFrame frame) throws IOException {
        final int count = frame.number();
        if (count != size) {
            throw new IOException("addresses of " + count + " ranks, not " + size);
        }
        final byte[][] addresses = new byte[size][];
        for (int i = 0; i < size; i++) {
            addresses[i] = frame.bytes();
        }
        everybody = addresses;
        notifyAll();
    }

    private void tell(final Runnable what) {
        synchronized (this) {
            if (news == null) {
                earlyNews.add(what);
                return;
            }
        }
        what.run();
    }

    private synchronized Place.News listener() {
        return news;
    }
}
