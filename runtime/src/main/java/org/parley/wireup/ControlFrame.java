package org.parley.wireup;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A message between launcher and rank.
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
final class ControlFrame {
    /** First bytes of both ends' first frames: {@code PARLEYLK}. */
    static final long MAGIC = 0x5041524c45594c4bL;

    /** Raised with every change of what frames mean. */
    static final int PROTOCOL = 1;

    static final int HEADER = 5;

    /** The longest frame once both sides know each other, without header. */
    static final int LIMIT = 4 << 20;

    /** The longest frame before that, without header. */
    static final int HANDSHAKE_LIMIT = 4096;

    static final int NONCE_BYTES = 32;

    /** rank to launcher: magic, protocol, rank, size, pid, nonce, build. */
    static final byte HELLO = 1;

    /** launcher to rank: magic, protocol, nonce, build. */
    static final byte CHALLENGE = 2;

    /** rank to launcher: that it knows the token. */
    static final byte PROOF = 3;

    /** launcher to rank: that it knows the token; whether cores are shared; hosts by rank. */
    static final byte WELCOME = 4;

    /** launcher to rank: why not; the link ends. */
    static final byte REFUSED = 5;

    /** rank to launcher: options in force, address. */
    static final byte CONTRIBUTE = 6;

    /** launcher to rank: everybody's address. */
    static final byte EVERYBODY = 7;

    /** launcher to rank: why the wire-up will not succeed. */
    static final byte HOPELESS = 8;

    /** rank to launcher: it leaves; launcher to rank: who has left. */
    static final byte LEFT = 9;

    /** rank to launcher: an exception ends it; launcher to rank: who has died, of what. */
    static final byte DIED = 10;

    /** rank to launcher: end the job. */
    static final byte ABORT = 11;

    /** launcher to rank: the job ends, whatever fails now is of no interest. */
    static final byte STOPPING = 12;

    /** launcher to rank: report; rank to launcher: the report. */
    static final byte REPORT = 13;

    /** Either way; a rank answers. */
    static final byte HEARTBEAT = 14;

    private final byte type;
    private final ByteBuffer body;

    private ControlFrame(final byte type, final ByteBuffer body) {
        this.type = type;
        this.body = body;
    }

    /** Wraps the body of a frame that has arrived. */
    static ControlFrame arrived(final byte type, final ByteBuffer body) {
        return new ControlFrame(type, body);
    }

    byte type() {
        return type;
    }

    int number() throws IOException {
        try {
            return body.getInt();
        } catch (final BufferUnderflowException e) {
            throw tooShort();
        }
    }

    long longNumber() throws IOException {
        try {
            return body.getLong();
        } catch (final BufferUnderflowException e) {
            throw tooShort();
        }
    }

    byte[] bytes() throws IOException {
        final int length = number();
        if (length < 0 || length > body.remaining()) {
            throw tooShort();
        }
        final byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }

    String text() throws IOException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Returns the whole body, from its first byte on. */
    byte[] raw() {
        final byte[] all = new byte[body.limit()];
        body.duplicate().rewind().get(all);
        return all;
    }

    private IOException tooShort() {
        return new IOException("a frame of type " + type + " is shorter than its contents");
    }

    /** Writes a frame. */
    static final class Builder {
        private ByteBuffer buffer;

        Builder(final byte type) {
            buffer = ByteBuffer.allocate(256);
            buffer.putInt(0).put(type);
        }

        Builder number(final int value) {
            room(Integer.BYTES).putInt(value);
            return this;
        }

        Builder longNumber(final long value) {
            room(Long.BYTES).putLong(value);
            return this;
        }

        Builder bytes(final byte[] value) {
            room(Integer.BYTES + value.length).putInt(value.length).put(value);
            return this;
        }

        Builder text(final String value) {
            return bytes(value.getBytes(StandardCharsets.UTF_8));
        }

        /** Returns the frame, ready to be written. */
        ByteBuffer build() {
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

    /** Returns the part of a built frame that {@link #raw} gives at the other end. */
    static byte[] bodyOf(final ByteBuffer frame) {
        return Arrays.copyOfRange(frame.array(), HEADER, frame.limit());
    }
}
