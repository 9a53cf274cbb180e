package org.parley.transport.verbs;

/**
 * How large a connection's queues are.
 *
 * @param sends work requests in the send queue
 * @param receives receives that are always posted
 */
record Dimensions(int sends, int receives) {
    /** Bytes of frames in a message: 16 KiB of payload with what is before it fill one. */
    static final int MESSAGE = 16 * 1024 + 128;

    /** Bytes before the frames of each message: receives posted so far u32, flags u32. */
    static final int PREFIX = 8;

    /** RDMA READs that may wait in the send queue beside the sends. */
    static final int READS = 16;

    private static final int FEWEST = 8;

    /**
     * Derives them.
     *
     * @param window bytes that a sender keeps
     * @param depth the longest queue that the user wants
     * @param deviceDepth the longest that the device has
     */
    static Dimensions of(final int window, final int depth, final int deviceDepth) {
        final int longest = Math.max(FEWEST, Math.min(depth, deviceDepth));
        final int receives = Math.min(longest, Math.max(FEWEST, 2 * window / MESSAGE));
        return new Dimensions(Math.min(longest, receives + 2 * READS), receives);
    }
}
