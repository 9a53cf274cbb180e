package org.parley.engine;

/** A receive, from its call until its data is in place. */
public final class ReceiveOperation extends Operation {
    /** Order of posting among all receives. */
    long order;

    /** For a receive from any source: who that may be. */
    Group group;

    /** Where it is queued while it waits for a match; null if it does not. */
    PostedQueue queue;

    ReceiveOperation previous;

    /** The matched message: sender's rank in the communicator. */
    int matchedSource;

    /** The matched message's tag. */
    int matchedTag;

    /** The matched message's length. */
    long bytes;

    /** Bytes in place so far. */
    long received;

    boolean cancelled;

    ReceiveOperation(final int slot) {
        super(slot);
    }

    @Override
    void reset() {
        super.reset();
        bytes = 0;
        peerOperation = 0;
        received = 0;
        cancelled = false;
        if (group != null) {
            group = null;
        }
    }

    void matched(final Session from, final int messageSource, final int messageTag, final long length) {
        session = from;
        matchedSource = messageSource;
        matchedTag = messageTag;
        bytes = length;
    }

    /** Returns the sender's rank in the communicator. */
    public int matchedSource() {
        return matchedSource;
    }

    /** Returns the message's tag. */
    public int matchedTag() {
        return matchedTag;
    }

    /** Returns the message's length in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Whether it was cancelled before it matched. */
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public String describe() {
        return "receive of up to "
                + payload.bytes()
                + " B from "
                + (source == MatchingEngine.ANY ? "any source" : source)
                + ", "
                + (tag == MatchingEngine.ANY ? "any tag" : "tag " + tag)
                + where();
    }

    @Override
    public void needs(final Needs needs) {
        if (session == null && group != null) {
            needs.ofAny(group);
        } else {
            super.needs(needs);
        }
    }
}
