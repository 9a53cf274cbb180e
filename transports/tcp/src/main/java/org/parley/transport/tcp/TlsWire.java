package org.parley.transport.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.agrona.UnsafeApi;

/**
 * Another connection, encrypted by whoever reads and writes it: no hop between threads. The JDK works
 * fastest on arrays, so bytes are copied to and from them.
 */
final class TlsWire implements Wire {
    /** Bytes that are encrypted at once: as many as a plain connection takes. */
    private static final int PART = 60 * 1024;

    private static final int RECORD = 16 * 1024;
    private static final long ARRAY = UnsafeApi.arrayBaseOffset(byte[].class);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Wire wire;
    private final SSLEngine engine;

    /** Encrypted, on its way out: from position to limit. */
    private final ByteBuffer out;

    /** Encrypted, come in. */
    private final ByteBuffer in;

    /** Decrypted, not asked for yet. */
    private final ByteBuffer plain;

    /** To be encrypted. */
    private final ByteBuffer part = ByteBuffer.allocate(PART);

    /** Where the connection reads to and writes from; 0: given back. */
    private long staging;

    private final int capacity;

    /** @param engine one end of TLS, whose handshake is over */
    TlsWire(final Wire wire, final SSLEngine engine) {
        this.wire = wire;
        this.engine = engine;
        final int record = engine.getSession().getPacketBufferSize();
        this.capacity = (PART / RECORD + 3) * record;
        this.out = ByteBuffer.allocate(capacity).limit(0);
        this.in = ByteBuffer.allocate(capacity).limit(0);
        this.plain = ByteBuffer.allocate(Math.max(RECORD, engine.getSession().getApplicationBufferSize()))
                .limit(0);
        this.staging = UnsafeApi.allocateMemory(capacity);
    }

    // --- in --------------------------------------------------------------------------------------------

    @Override
    public int read(final long address, final int length) throws IOException {
        flush();
        int bytes = 0;
        while (bytes < length) {
            if (!plain.hasRemaining() && !decrypt()) {
                final int more = fill();
                if (more > 0) {
                    continue;
                }
                return bytes > 0 ? bytes : more;
            }
            final int some = Math.min(length - bytes, plain.remaining());
            UnsafeApi.copyMemory(plain.array(), ARRAY + plain.position(), null, address + bytes, some);
            plain.position(plain.position() + some);
            bytes += some;
        }
        return bytes;
    }

    /** Returns how many bytes came, 0 if none did, -1 at the end. */
    private int fill() throws IOException {
        if (engine.isInboundDone()) {
            return -1;
        }
        in.compact();
        final int bytes;
        try {
            bytes = wire.read(staging, in.remaining());
            if (bytes > 0) {
                UnsafeApi.copyMemory(null, staging, in.array(), ARRAY + in.position(), bytes);
                in.position(in.position() + bytes);
            }
        } finally {
            in.flip();
        }
        return bytes;
    }

    /** Decrypts the next record that holds bytes for us; false if none is here whole. */
    private boolean decrypt() throws IOException {
        while (in.hasRemaining()) {
            plain.clear();
            final SSLEngineResult result;
            try {
                result = engine.unwrap(in, plain);
            } catch (final SSLException e) {
                sayWhy();
                throw new IOException("TLS failed: " + e.getMessage(), e);
            } finally {
                plain.flip();
            }
            answer(result.getHandshakeStatus());
            if (plain.hasRemaining()) {
                return true;
            }
            if (result.getStatus() != Status.OK) {
                return false;
            }
        }
        return false;
    }

    /** What TLS says besides: new keys. */
    private void answer(final HandshakeStatus status) throws IOException {
        HandshakeStatus now = status;
        while (now == HandshakeStatus.NEED_TASK || now == HandshakeStatus.NEED_WRAP && hasRoom()) {
            if (now == HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
            } else {
                encrypt(NOTHING);
                flush();
            }
            now = engine.getHandshakeStatus();
        }
    }

    /** Tells the peer what is wrong with it, if that is possible. */
    private void sayWhy() throws IOException {
        while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && hasRoom()) {
            encrypt(NOTHING);
        }
        flush();
    }

    // --- out -------------------------------------------------------------------------------------------

    @Override
    public int write(final long address, final int length) throws IOException {
        return write(address, length, 0, 0);
    }

    @Override
    public int write(final long address, final int length, final long payload, final int payloadLength)
            throws IOException {
        if (!flush()) {
            return 0;
        }
        final int first = Math.min(length, PART);
        final int second = Math.min(payloadLength, PART - first);
        part.clear().limit(first + second);
        UnsafeApi.copyMemory(null, address, part.array(), ARRAY, first);
        UnsafeApi.copyMemory(null, payload, part.array(), ARRAY + first, second);
        while (part.hasRemaining()) {
            encrypt(part);
        }
        flush();
        return first + second;
    }

    private boolean hasRoom() {
        return capacity - out.limit() >= engine.getSession().getPacketBufferSize();
    }

    /** Makes a record of as many bytes as fit in one. */
    private void encrypt(final ByteBuffer bytes) throws IOException {
        final int begin = out.position();
        final int end = out.limit();
        out.limit(capacity).position(end);
        final SSLEngineResult result;
        try {
            result = engine.wrap(bytes, out);
        } catch (final SSLException e) {
            throw new IOException("TLS failed: " + e.getMessage(), e);
        } finally {
            out.limit(out.position()).position(begin);
        }
        if (result.getStatus() != Status.OK && bytes.hasRemaining()) {
            throw new IOException("TLS takes nothing: " + result);
        }
    }

    @Override
    public boolean flush() throws IOException {
        while (out.hasRemaining()) {
            final int length = Math.min(out.remaining(), PART);
            UnsafeApi.copyMemory(out.array(), ARRAY + out.position(), null, staging, length);
            final int bytes = wire.write(staging, length);
            if (bytes == 0) {
                return false;
            }
            out.position(out.position() + bytes);
        }
        out.clear().limit(0);
        return true;
    }

    /** None: what was read and not asked for is here. */
    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public String name() {
        return wire.name() + ", TLS";
    }

    @Override
    public void abort() {
        free();
        wire.abort();
    }

    @Override
    public void close(final boolean wait) {
        free();
        wire.close(wait);
    }

    /** A link that went down is closed at once, and with all others once more. */
    private void free() {
        if (staging != 0) {
            UnsafeApi.freeMemory(staging);
            staging = 0;
        }
    }
}
