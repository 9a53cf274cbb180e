package org.parley.engine;

/** A send that could not end within its call. */
public final class SendOperation extends Operation {
    /** Whether it ends only after the match. */
    boolean sync;

    /** What {@code Endpoint.expose} gave, or 0. */
    long key;

    /** Whether its envelope has gone ahead of its data. */
    boolean announced;

    /** Whether the receiver takes long frames. */
    boolean direct;

    /** Bytes streamed so far. */
    long sent;

    /** Memory of the library to give back at the end, or 0: a buffered send's copy. */
    long block;

    /** Receiver's rank in the communicator, for messages to people. */
    int dest;

    SendOperation(final int slot) {
        super(slot);
    }

    @Override
    void reset() {
        super.reset();
        sync = false;
        key = 0;
        announced = false;
        peerOperation = 0;
        direct = false;
        sent = 0;
        block = 0;
    }

    @Override
    public String describe() {
        return (sync ? "ssend of " : "send of ") + payload.bytes() + " B to " + dest + ", tag " + tag + where();
    }
}
