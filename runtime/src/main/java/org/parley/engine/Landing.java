package org.parley.engine;

/**
 * A long frame of which the head has come: the payload goes to a receive's memory, or, of a message that
 * nobody waits for yet, to the block that keeps it. At most one per peer, since frames come in order.
 */
final class Landing {
    /** The receive, or null. */
    ReceiveOperation receive;

    /** The message, if it is one that is kept. */
    UnexpectedMessage message;

    /** Bytes of the payload. */
    int bytes;

    /** Of DATA: whether the sender waits for FIN. Of EAGER: whether it is one. */
    boolean held;

    boolean eager;

    /** Of EAGER: the sender's operation that waits for the match, or 0. */
    long operation;

    void clear() {
        receive = null;
        message = null;
    }
}
