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
     * @param credit bytes, with the cost per message, that the receiver still takes unexpected
     */
    public static Protocol choose(
            final Capabilities capabilities, final long bytes, final boolean isNative, final long credit) {
        if (bytes <= capabilities.eagerLimit() && bytes + Session.MESSAGE_COST <= credit) {
            return EAGER;
        }
        return isNative && capabilities.get() && bytes >= capabilities.getThreshold() ? FETCH : STREAM;
    }
}
