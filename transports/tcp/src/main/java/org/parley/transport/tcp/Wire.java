package org.parley.transport.tcp;

import java.io.IOException;

/** The bytes of an established connection, without blocking. One thread at a time. */
interface Wire {

    /** Reads up to {@code length} bytes; returns how many, 0 if none are there, -1 at the end. */
    int read(long address, int length) throws IOException;

    /** Writes up to {@code length} bytes; returns how many, 0 if there is no room. */
    int write(long address, int length) throws IOException;

    /** Writes from two places; returns how many of both together, 0 if there is no room. */
    int write(long address, int length, long payload, int payloadLength) throws IOException;

    /** Writes what the connection has taken and holds back; whether nothing is left. */
    default boolean flush() throws IOException {
        return true;
    }

    /** Returns the descriptor for {@link Readiness}, or -1 if there is none. */
    int descriptor();

    /** Returns both ends' addresses, for people. */
    String name();

    /** Breaks the connection: what is under way either way is lost. */
    void abort();

    /**
     * Closes the connection; what was written still arrives.
     *
     * @param wait whether to wait until the descriptor is free
     */
    void close(boolean wait);
}
