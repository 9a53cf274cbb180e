package org.parley.transport;

/** What carries the bytes of a {@link RetainingEndpoint}: a stream, or messages of whole frames. Results count bytes taken. */
public interface Link {

    /**
     * Writes bytes as far as there is room.
     *
     * @param address native address
     * @param length bytes
     * @return how many were taken; 0 if there is no room now, or if the link has failed
     */
    long write(long address, int length);

    /**
     * Writes bytes from two places as far as there is room.
     *
     * @param address native address of the first
     * @param length bytes there
     * @param payload native address of the second
     * @param payloadLength bytes there
     * @return how many were taken of both together; 0 as above
     */
    long write(long address, int length, long payload, long payloadLength);

    /** Whether bytes that were taken are the caller's again at once; else they stay until they are acknowledged. */
    default boolean takesCopies() {
        return true;
    }

    /** Says that a series of writes has ended: what was gathered is to leave now. */
    default void written() {
        // Most links write at once.
    }

    /**
     * Whether a short frame that was just committed is to wait for others, in the link's memory of how many already do. Only
     * where something else than the rank's calls sees to it that it leaves soon.
     */
    default boolean waitsForOthers() {
        return false;
    }
}
