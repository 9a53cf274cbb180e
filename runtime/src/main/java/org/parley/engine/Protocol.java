package org.parley.engine;

import org.parley.transport.Capabilities;

/** How a message travels. */
public enum Protocol {
    /** With its envelope, copied into the wire's memory. */
    EAGER,
    /** The envelope first; the receiver fetches the data from the sender's memory. */
    FETCH,
    /** The envelope first; the sender streams the data when the receiver is ready. */
    STREAM;

    /**
     * Chooses. A pure function, so that a choice can be printed and tested.
     *
     * @param capabilities what the transport can do
     * @param bytes the message's length
     * @param isNative whether the sender's buffer is native memory
     * @param isShared whether it is memory that peers map
     * @param credit bytes, with the cost per message, that the receiver still takes unexpected
     */
    public static Protocol choose(
            final Capabilities capabilities,
            final long bytes,
            final boolean isNative,
            final boolean isShared,
            final long credit) {
        if (bytes <= eagerLimit(capabilities, isShared) && bytes + Session.MESSAGE_COST <= credit) {
            return EAGER;
        }
        final int threshold = isShared ? capabilities.regionThreshold() : capabilities.getThreshold();
        return isNative && capabilities.get() && bytes >= threshold ? FETCH : STREAM;
    }

    /**
     * Returns up to which length a message is eager.
     *
     * @param capabilities what the transport can do
     * @param isShared whether it is in memory that peers map
     */
    static int eagerLimit(final Capabilities capabilities, final boolean isShared) {
        return isShared && capabilities.get()
                ? Math.min(capabilities.eagerLimit(), capabilities.regionThreshold() - 1)
                : capabilities.eagerLimit();
    }
}
