package org.parley.wireup;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A message between launcher, or rank 0 of a job that has none, and rank, and, with types of their own,
 * between launcher and agents.
 *
 * <pre>
 *   0               4      5
 *  +---------------+------+----------------------------------+
 *  | length = 1+n  | type | body, n bytes                    |
 *  +---------------+------+----------------------------------+
 * </pre>
 *
 * <p>Numbers are big-endian. A text or a run of bytes has its length, 4 bytes, before it; every
 * length is compared with what is there before anything is allocated.
 */
public final class ControlFrame {
    /** First bytes of both ends' first frames: {@code PARLEYLK}. */
    static final long MAGIC = 0x5041524c45594c4bL;

    static final int HEADER = 5;

    /** The longest frame once both sides know each other, without header. */
    public static final int LIMIT = 64 << 20;

    /** The longest frame before that, without header. */
    static final int HANDSHAKE_LIMIT = 4096;

    static final int NONCE_BYTES = 32;

    /** rank to launcher: magic, protocol, rank, size, pid, nonce, build, job. */
    static final byte HELLO = 1;

    /** launcher to rank: magic, protocol, nonce, build. */
    static final byte CHALLENGE = 2;

    /** rank to launcher: that it knows the token. */
    static final byte PROOF = 3;

    /** launcher to rank: that it knows the token; whether cores are shared and a map is wanted; hosts, by rank. */
    static final byte WELCOME = 4;

    /** launcher to rank: why not; the link ends. */
    static final byte REFUSED = 5;

    /** rank to launcher: options in force, address. */
    static final byte CONTRIBUTE = 6;

    /** launcher to rank: everybody's address. */
    static final byte EVERYBODY = 7;

    /** launcher to rank: why the wire-up will not succeed. */
    static final byte HOPELESS = 8;

    /** rank to launcher: it leaves, and its counters; launcher to rank: who has left. */
    static final byte LEFT = 9;

    /** rank to launcher: an exception ends it; launcher to rank: who has died, of what. */
    static final byte DIED = 10;

    /** rank to launcher: end the job. */
    static final byte ABORT = 11;

    /** launcher to rank: the job ends, whatever fails now is of no interest. */
    static final byte STOPPING = 12;

    /** launcher to rank: report, 1: with stacks; rank to launcher: the report. */
    static final byte REPORT = 13;

    /** rank to launcher, if it is wanted: over which transport each rank is reached. */
    static final byte MAP = 15;

    /** Either way; a rank answers. */
    static final byte HEARTBEAT = 14;

    /** rank to launcher: a {@link Petition}. */
    static final byte PETITION = 16;

    /** launcher to rank: a {@link Ruling}. */
    static final byte RULING = 17;

    private final byte type;
    private final ByteBuffer body;

    private ControlFrame(final byte type, final ByteBuffer body) {
        this.type = type;
        this.body = body;
    }

    /**
     * Wraps the body of a frame that has arrived.
     *
     * @param type its type
     * @param body what follows that
     */
    public static ControlFrame arrived(final byte type, final ByteBuffer body) {
        return new ControlFrame(type, body);
    }

    /** Returns what kind of message it is. */
    public byte type() {
        return type;
    }

    /**
     * Reads a number of 4 bytes.
     *
     * @throws IOException if there is none
     */
    public int number() throws IOException {
        try {
            return body.getInt();
        } catch (final BufferUnderflowException e) {
            throw tooShort();
        }
    }

    /**
     * Reads how many numbers follow, and these.
     *
     * @throws IOException if there are not so many
     */
    public List<Integer> numbers() throws IOException {
        final int count = number();
        if (count < 0 || count > body.remaining() / Integer.BYTES) {
            throw tooShort();
        }
        final List<Integer> result = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            result.add(body.getInt());
        }
        return result;
    }

    /**
     * Reads a number of 8 bytes.
     *
     * @throws IOException if there is none
     */
    public long longNumber() throws IOException {
        try {
            return body.getLong();
        } catch (final BufferUnderflowException e) {
            throw tooShort();
        }
    }

    /**
     * Reads a run of bytes.
     *
     * @throws IOException if its length exceeds what is there
     */
    public byte[] bytes() throws IOException {
        final int length = number();
        if (length < 0 || length > body.remaining()) {
            throw tooShort();
        }
        final byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }

    /**
     * Reads a text.
     *
     * @throws IOException if its length exceeds what is there
     */
    public String text() throws IOException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Returns the whole body, from its first byte on. */
    public byte[] raw() {
        final byte[] all = new byte[body.limit()];
        body.duplicate().rewind().get(all);
        return all;
    }

    private IOException tooShort() {
        return new IOException("a frame of type " + type + " is shorter than its contents");
    }

    /** Writes a frame. */
    public static final class Builder {
        private ByteBuffer buffer;

        /**
         * Begins one.
         *
         * @param type what kind of message
         */
        public Builder(final byte type) {
            buffer = ByteBuffer.allocate(256);
            buffer.putInt(0).put(type);
        }

        /**
         * Adds a number of 4 bytes.
         *
         * @param value the number
         */
        public Builder number(final int value) {
            room(Integer.BYTES).putInt(value);
            return this;
        }

        /**
         * Adds how many numbers follow, and these.
         *
         * @param values the numbers
         */
        public Builder numbers(final List<Integer> values) {
            number(values.size());
            values.forEach(this::number);
            return this;
        }

        /**
         * Adds a number of 8 bytes.
         *
         * @param value the number
         */
        public Builder longNumber(final long value) {
            room(Long.BYTES).putLong(value);
            return this;
        }

        /**
         * Adds a run of bytes.
         *
         * @param value the bytes
         */
        public Builder bytes(final byte[] value) {
            return bytes(value, 0, value.length);
        }

        /**
         * Adds a run of bytes.
         *
         * @param value the bytes
         * @param offset where they begin
         * @param length how many
         */
        public Builder bytes(final byte[] value, final int offset, final int length) {
            room(Integer.BYTES + length).putInt(length).put(value, offset, length);
            return this;
        }

        /**
         * Adds a text.
         *
         * @param value the text
         */
        public Builder text(final String value) {
            return bytes(value.getBytes(StandardCharsets.UTF_8));
        }

        /** Returns the frame, ready to be written. */
        public ByteBuffer build() {
            final int length = buffer.position() - Integer.BYTES;
            if (length > LIMIT) {
                throw new IllegalArgumentException("a frame of " + length + " bytes exceeds the limit of " + LIMIT);
            }
            return buffer.putInt(0, length).flip();
        }

        private ByteBuffer room(final int bytes) {
            if (buffer.remaining() < bytes) {
                final int needed = Math.addExact(buffer.position(), bytes);
                buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), Math.max(needed, buffer.capacity() * 2)))
                        .position(buffer.position());
            }
            return buffer;
        }
    }

    /** Makes a frame with no body. */
    static ByteBuffer empty(final byte type) {
        return new Builder(type).build();
    }

    /**
     * Makes a frame of a body that was one.
     *
     * @param type its type
     * @param body as {@link #raw} gives it
     */
    public static ByteBuffer of(final byte type, final byte[] body) {
        return ByteBuffer.allocate(HEADER + body.length)
                .putInt(1 + body.length)
                .put(type)
                .put(body)
                .flip();
    }

    /** Returns the part of a built frame that {@link #raw} gives at the other end. */
    static byte[] bodyOf(final ByteBuffer frame) {
        return Arrays.copyOfRange(frame.array(), HEADER, frame.limit());
    }
}
