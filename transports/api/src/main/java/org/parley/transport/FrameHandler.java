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
     * Takes one frame. The memory belongs to the transport and is reused after the return.
     *
     * @param peer who sent it
     * @param address native address of the first byte
     * @param length bytes, at least 1
     */
    void onFrame(int peer, long address, int length);

    /**
     * Says that a {@link Endpoint#get} ended.
     *
     * @param token what was given to {@code get}
     * @param failure null if all bytes arrived, else what went wrong
     */
    void onTransferred(long token, String failure);

    /**
     * Says that the link to a peer is gone: nothing more will arrive on it.
     *
     * @param peer whose link
     * @param cause what was first seen, with the operating system's error where there is one
     */
    void onLinkDown(int peer, String cause);
}
