package org.parley.launcher;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.parley.wireup.ControlFrame;

/**
 * One end of the pipe between an agent and who started it. A thread reads frames, another writes
 * them, so that nobody waits for a slow or stopped peer; whose silence {@link #tick} notices.
 */
final class AgentLink {
    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SUSPECT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** What a shell's start-up files may print before the agent begins. */
    private static final int LONGEST_NOISE = 64 * 1024;

    private static final int STACK = 128 * 1024;

    /** Told of what comes, on the reading thread. */
    interface Listener {
        void arrived(ControlFrame frame) throws IOException;

        /** Nothing will come any more. */
        void ended(String why);
    }

    /** What is to be thought of a peer that says nothing. */
    enum Silence {
        /** It has been heard of lately, or this has been said before. */
        NONE,
        /** It may be dead. */
        SUSPECTED,
        /** It is taken for dead. */
        DEAD
    }

    private final InputStream in;
    private final OutputStream out;
    private final Listener listener;
    private final ArrayDeque<ByteBuffer> unsent = new ArrayDeque<>();
    private final String name;
    private boolean closed;
    private volatile long heard = System.nanoTime();
    private long beaten = heard;
    private boolean suspected;

    /**
     * Makes one.
     *
     * @param name of the peer, for threads
     */
    AgentLink(final InputStream in, final OutputStream out, final String name, final Listener listener) {
        this.in = in;
        this.out = out;
        this.name = name;
        this.listener = listener;
    }

    /**
     * Begins to read and to write.
     *
     * @param awaitsPreamble whether the peer is an agent, which begins with {@link AgentFrame#PREAMBLE}
     */
    void start(final boolean awaitsPreamble) {
        thread(() -> read(awaitsPreamble), "parley-from-" + name);
        thread(this::write, "parley-to-" + name);
    }

    private static void thread(final Runnable what, final String name) {
        final Thread thread = new Thread(null, what, name, STACK);
        thread.setDaemon(true);
        thread.start();
    }

    /** Sends a frame, or whatever bytes, after all before. Any thread; never waits. */
    void send(final ByteBuffer frame) {
        synchronized (unsent) {
            if (!closed) {
                unsent.add(frame.duplicate());
                unsent.notifyAll();
            }
        }
    }

    /** Returns in how far the peer is silent, and keeps this end from being so. One thread. */
    Silence tick(final long now, final long silenceNanos) {
        if (now - beaten >= HEARTBEAT_NANOS) {
            beaten = now;
            synchronized (unsent) {
                if (unsent.isEmpty()) {
                    send(new ControlFrame.Builder(AgentFrame.HEARTBEAT).build());
                }
            }
        }
        final long silence = now - heard;
        if (silenceNanos > 0 && silence > silenceNanos) {
            return Silence.DEAD;
        }
        final boolean wasSuspected = suspected;
        suspected = silence > SUSPECT_NANOS;
        return suspected && !wasSuspected ? Silence.SUSPECTED : Silence.NONE;
    }

    /** This process, or the whole machine, has slept: that says nothing about peers. */
    void forgive(final long now) {
        heard = now;
    }

    long silentSeconds(final long now) {
        return TimeUnit.NANOSECONDS.toSeconds(now - heard);
    }

    /** Sends what is unsent and then ends this direction, which the peer takes for the end. */
    void close() {
        synchronized (unsent) {
            closed = true;
            unsent.notifyAll();
        }
    }

    private void write() {
        try (OutputStream stream = out) {
            for (ByteBuffer frame; (frame = next()) != null; ) {
                stream.write(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
                if (isIdle()) {
                    stream.flush();
                }
            }
        } catch (final IOException e) {
            // The reader hears of it too, and says so.
            close();
        }
    }

    private boolean isIdle() {
        synchronized (unsent) {
            return unsent.isEmpty();
        }
    }

    private ByteBuffer next() {
        synchronized (unsent) {
            while (unsent.isEmpty() && !closed) {
                try {
                    unsent.wait();
                } catch (final InterruptedException e) {
                    return null;
                }
            }
            return unsent.poll();
        }
    }

    private void read(final boolean awaitsPreamble) {
        String why;
        try (DataInputStream data = new DataInputStream(in)) {
            if (awaitsPreamble) {
                passPreamble(data);
            }
            for (; ; ) {
                final int length = data.readInt();
                if (length < 1 || length > ControlFrame.LIMIT) {
                    throw new IOException("a frame claims " + length + " bytes, allowed are " + ControlFrame.LIMIT);
                }
                final byte type = data.readByte();
                final byte[] body = data.readNBytes(length - 1);
                if (body.length < length - 1) {
                    throw new EOFException();
                }
                heard = System.nanoTime();
                if (type != AgentFrame.HEARTBEAT) {
                    listener.arrived(ControlFrame.arrived(type, ByteBuffer.wrap(body)));
                }
            }
        } catch (final EOFException e) {
            why = "";
        } catch (final IOException e) {
            why = String.valueOf(e.getMessage());
        }
        listener.ended(why);
    }

    private static void passPreamble(final DataInputStream data) throws IOException {
        final StringBuilder noise = new StringBuilder();
        int matched = 0;
        while (matched < AgentFrame.PREAMBLE.length) {
            final int next = data.read();
            if (next < 0 || noise.length() > LONGEST_NOISE) {
                final String said = Failures.clean(noise.toString().strip());
                if (said.isEmpty()) {
                    throw new EOFException();
                }
                throw new IOException("it did not start a Parley agent but said: "
                        + said.lines().findFirst().orElse(""));
            }
            if (next == AgentFrame.PREAMBLE[matched]) {
                matched++;
            } else {
                // No byte but the first and the last is zero, so a false begin restarts at zero only.
                matched = next == AgentFrame.PREAMBLE[0] ? 1 : 0;
                noise.append((char) next);
            }
        }
    }
}
