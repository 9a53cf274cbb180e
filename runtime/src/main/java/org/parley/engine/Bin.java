package org.parley.engine;

/**
 * All that waits under one exact envelope: receives for messages, or messages for receives, never
 * both. An empty one is reused under another envelope.
 */
final class Bin extends PostedQueue {
    private int context;
    private int source;
    private int tag;

    UnexpectedMessage firstMessage;
    UnexpectedMessage lastMessage;

    /** The next bin in the same place of the hash table. */
    Bin chain;

    Bin(final int context, final int source, final int tag) {
        use(context, source, tag);
    }

    /** Makes an empty bin that of an envelope. */
    final void use(final int newContext, final int newSource, final int newTag) {
        context = newContext;
        source = newSource;
        tag = newTag;
    }

    int context() {
        return context;
    }

    int source() {
        return source;
    }

    int tag() {
        return tag;
    }

    boolean is(final int wantedContext, final int wantedSource, final int wantedTag) {
        return tag == wantedTag && source == wantedSource && context == wantedContext;
    }

    boolean isEmpty() {
        return head == null && firstMessage == null;
    }

    void add(final UnexpectedMessage message) {
        message.bin = this;
        message.binNext = null;
        message.binPrevious = lastMessage;
        if (lastMessage == null) {
            firstMessage = message;
        } else {
            lastMessage.binNext = message;
        }
        lastMessage = message;
    }

    void remove(final UnexpectedMessage message) {
        if (message.binPrevious == null) {
            firstMessage = message.binNext;
        } else {
            message.binPrevious.binNext = message.binNext;
        }
        if (message.binNext == null) {
            lastMessage = message.binPrevious;
        } else {
            message.binNext.binPrevious = message.binPrevious;
        }
        message.bin = null;
        message.binNext = null;
        message.binPrevious = null;
    }
}
