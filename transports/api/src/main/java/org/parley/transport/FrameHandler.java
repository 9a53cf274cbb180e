package org.parley.transport;

/**
 * The only way from a transport up into the runtime. Called by the holder of the progress word from
 * within {@link Transport#poll} or {@link Endpoint#get}; must not call {@code poll} itself.
 */
public interface FrameHandler {

    /**
     * Gives the index of a peer that connected to us.
     *
     * @param rank the peer's rank in the job
     * @return the index to use in the other calls
     */
    int onPeer(int rank);

    /**
     * Asks for the address of a peer that connected to us: its link may have to be made again from here.
     *
     * @param rank the peer's rank in the job
     * @param transport the name of the transport that asks
     * @return the peer's {@link Transport#address()}, or null where it is not known
     */
    default byte[] addressOf(final int rank, final String transport) {
        return null;
    }

    /**
     * Takes one frame. The memory belongs to the transport and is reused after the return.
     *
     * @param peer who sent it
     * @param address native address of the first byte
     * @param length bytes, at least 1
     */
    void onFrame(int peer, long address, int length);

    /**
     * Asks where the payload of a frame goes, of which only the beginning has come. What this returns is
     * written to until {@link #onRest}, or {@link #onLinkDown}, or {@link Transport#drop}.
     *
     * @param peer who sends it
     * @param address native address of the head, which has all come; valid during the call
     * @param head bytes of the head
     * @param payload bytes that follow it
     * @return a native address for the payload, or 0: the frame is handed over whole by {@link
     *     #onFrame} when it has come, which only frames up to {@link Capabilities#maxFrame()} can be
     */
    default long onHead(final int peer, final long address, final int head, final int payload) {
        return 0;
    }

    /**
     * Says that the payload has come for which {@link #onHead} gave a place.
     *
     * @param peer who sent it
     */
    default void onRest(final int peer) {
        throw new IllegalStateException("this handler gives no place to payloads");
    }

    /**
     * Says that a {@link Endpoint#get} ended.
     *
     * @param token what was given to {@code get}
     * @param failure null if all bytes arrived, else what went wrong
     */
    void onTransferred(long token, String failure);

    /**
     * Says that a link which had broken has been made again, and that nothing was lost.
     *
     * @param peer whose link
     * @param nanos for how long it was away
     */
    default void onLinkBack(final int peer, final long nanos) {
        // Of interest to those who record it.
    }

    /**
     * Says that the link to a peer is gone: nothing more will arrive on it.
     *
     * @param peer whose link
     * @param cause what was first seen, with the operating system's error where there is one
     */
    void onLinkDown(int peer, String cause);
}
