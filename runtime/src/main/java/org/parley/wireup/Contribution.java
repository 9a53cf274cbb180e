package org.parley.wireup;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.parley.JobException;

/**
 * A rank's address with its host's name, which nobody else knows in a job without a launcher.
 *
 * @param host for people
 * @param address what the rank's transports gave
 */
record Contribution(String host, byte[] address) {

    /** Puts this machine's name to an address. */
    static byte[] withHost(final byte[] address) {
        final byte[] name = HostName.own().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Short.BYTES + name.length + address.length)
                .putShort((short) name.length)
                .put(name)
                .put(address)
                .array();
    }

    /** Takes both apart. */
    static Contribution read(final byte[] bytes) {
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        final int length = bytes.length < Short.BYTES ? -1 : buffer.getShort();
        if (length < 0 || length > buffer.remaining()) {
            throw new JobException("a rank has contributed " + bytes.length + " bytes that are no host and address");
        }
        final byte[] name = new byte[length];
        buffer.get(name);
        final byte[] address = new byte[buffer.remaining()];
        buffer.get(address);
        return new Contribution(new String(name, StandardCharsets.UTF_8), address);
    }
}
