package org.parley.wireup;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.parley.JobException;
import org.parley.transport.JobSecret;
import org.parley.transport.Protocol;

/**
 * A rank's end of its line to the launcher, or to rank 0 of a job that has none, and the thread that
 * reads it. The thread never touches the engine but through {@link Place.News} and answers for the rank
 * while it computes. When the launcher is gone it ends the process, so there are no orphans; when rank 0
 * is gone it only says so, for that process belongs to somebody else.
 */
final class ControlLink {
    private final Meeting meeting;
    private final String job;
    private JobSecret secret;
    private final int rank;
    private final int size;
    private final Runnable whenOrphaned;
    private SocketChannel channel;

    private boolean welcome;
    private boolean sharesCores;
    private boolean wantsMap;
    private Placement placement;
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
     * @param whenOrphaned what to do when the line of a member ends
     */
    ControlLink(final Meeting meeting, final String job, final int rank, final int size, final Runnable whenOrphaned) {
        this.meeting = meeting;
        this.job = job;
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
        awaitTrue(() -> welcome, nanos, meeting + " has not answered");
    }

    /** Returns the job's secret; after {@link #awaitWelcome}. */
    synchronized JobSecret secret() {
        return secret;
    }

    /** Waits for everybody's address. */
    synchronized byte[][] awaitEverybody(final long nanos) {
        awaitTrue(() -> everybody != null, nanos, "not all ranks have joined");
        return everybody;
    }

    private void awaitTrue(final BooleanSupplier isDone, final long nanos, final String what) {
        final long deadline = System.nanoTime() + nanos;
        while (!isDone.getAsBoolean()) {
            final long left = deadline - System.nanoTime();
            if (failure == null && left <= 0) {
                final String trouble = meeting.trouble();
                failure = what + " within " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s"
                        + (trouble.isEmpty() ? "" : ": " + trouble);
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

    private synchronized boolean isAwaited() {
        return failure == null;
    }

    private synchronized boolean isMember() {
        return welcome;
    }

    synchronized boolean sharesCores() {
        return sharesCores;
    }

    synchronized boolean wantsMap() {
        return wantsMap;
    }

    synchronized String host(final int other) {
        return placement == null || other < 0 || other >= size ? "?" : placement.host(other);
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

    /**
     * Sends a frame, if this is a member of the job. What cannot be sent is lost with the launcher,
     * which the thread notices.
     */
    void send(final ByteBuffer frame) {
        if (!isMember()) {
            return;
        }
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
        // All that a first proof loads is loaded now: who has connected is given seconds, which a slow machine needs
        // for it.
        JobSecret.create().proof(Rendezvous.RANK_SIDE, new byte[0], JobSecret.random(ControlFrame.NONCE_BYTES));
        try (SocketChannel socket = meeting.connect(this::isAwaited)) {
            channel = socket;
            secret = meeting.secret();
            join();
        } catch (final IOException | JobException e) {
            fail("no line to " + meeting + ": " + e.getMessage());
        } catch (final RuntimeException e) {
            // A mistake of the library: said to those who wait, and seen in full by who looks at uncaught exceptions.
            fail("the line to " + meeting + " broke: " + e);
            throw e;
        }
    }

    private void join() throws IOException {
        final ByteBuffer hello = new ControlFrame.Builder(ControlFrame.HELLO)
                .longNumber(ControlFrame.MAGIC)
                .number(Protocol.version())
                .number(rank)
                .number(size)
                .longNumber(ProcessHandle.current().pid())
                .bytes(JobSecret.random(ControlFrame.NONCE_BYTES))
                .text(Build.NAME)
                .text(job)
                .build();
        final byte[] helloBody = ControlFrame.bodyOf(hello);
        write(hello);
        final ControlFrame challenge = expect(ControlFrame.CHALLENGE);
        if (challenge.longNumber() != ControlFrame.MAGIC) {
            throw new IOException("what listens there is no launcher");
        }
        final byte[] challengeBody = challenge.raw();
        write(new ControlFrame.Builder(ControlFrame.PROOF)
                .bytes(secret.proof(Rendezvous.RANK_SIDE, helloBody, challengeBody))
                .build());
        final ControlFrame answer = expect(ControlFrame.WELCOME);
        final byte[] expected = secret.proof(Rendezvous.LAUNCHER_SIDE, helloBody, challengeBody);
        if (!JobSecret.isSame(expected, answer.bytes())) {
            throw new IOException("what listens there does not have the job's token");
        }
        welcomed(answer);
        serve();
    }

    private ControlFrame expect(final byte type) throws IOException {
        final ControlFrame frame = read();
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
        wantsMap = frame.number() != 0;
        final List<String> hosts = new ArrayList<>();
        for (int left = frame.number(); left > 0; left--) {
            hosts.add(frame.text());
        }
        final int count = frame.number();
        if (count != size) {
            throw new IOException("the launcher has " + count + " ranks, not " + size);
        }
        final int[] hostOf = new int[size];
        for (int i = 0; i < size; i++) {
            hostOf[i] = frame.number();
            if (hostOf[i] < 0 || hostOf[i] >= hosts.size()) {
                throw new IOException("rank " + i + " is on host " + hostOf[i] + " of " + hosts.size());
            }
        }
        placement = new Placement(hosts, hostOf);
        if (failure != null) {
            throw new IOException("the welcome came too late: " + failure);
        }
        welcome = true;
        notifyAll();
    }

    private ControlFrame read() throws IOException {
        final ByteBuffer header = fill(ControlFrame.HEADER);
        final int length = header.getInt(0);
        if (length < 1 || length > ControlFrame.LIMIT) {
            throw new IOException("a frame claims " + length + " bytes, allowed are " + ControlFrame.LIMIT);
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
                handle(read());
            }
        } catch (final IOException e) {
            if (meeting.ownsProcess()) {
                whenOrphaned.run();
            }
            // The rendezvous ends with rank 0's process; if that has left before, this is no news.
            final String cause = "has ended without leaving the job";
            fail("rank 0 " + cause);
            tell(() -> {
                news.died(0, cause);
                news.told(null);
            });
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
            case ControlFrame.RULING -> {
                final Ruling ruling = Ruling.read(frame);
                tell(() -> news.told(ruling));
            }
            case ControlFrame.STOPPING -> stopping = true;
            case ControlFrame.REPORT -> send(Report.make(listener(), frame.number() != 0));
            case ControlFrame.HEARTBEAT -> {
                send(ControlFrame.empty(ControlFrame.HEARTBEAT));
                final Place.News listener = listener();
                if (listener != null) {
                    listener.tick();
                }
            }
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
