package org.parley.transport;

/**
 * What a transport can do and where its measured limits lie; the choice of protocol is a pure
 * function of these, the message's size and the kind of buffer.
 *
 * @param maxFrame the longest frame that can be claimed, bytes
 * @param eagerLimit payload up to this many bytes is best sent at once, copied
 * @param get whether {@link Endpoint#expose} and {@link Endpoint#get} work for native memory
 * @param getThreshold payload from this many bytes on is best fetched by {@code get}
 * @param regionThreshold the same for payload in a {@link SharedRegion}, which peers map
 * @param fragment bytes of payload per frame when a long message is streamed
 * @param gatherFragment the same when it leaves native memory for native memory by {@link
 *     Endpoint#claimGathered}; 0: it cannot
 */
public record Capabilities(
        int maxFrame,
        int eagerLimit,
        boolean get,
        int getThreshold,
        int regionThreshold,
        int fragment,
        int gatherFragment) {}
