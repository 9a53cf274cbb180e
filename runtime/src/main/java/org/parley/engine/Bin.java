package org.parley.engine;

/**
 * All that waits under one exact envelope: receives for messages, or messages for receives, never
 * both.
 */
final class Bin extends PostedQueue {
    final int context;
    final int source;
    final int tag;

    UnexpectedMessage firstMessage;
    UnexpectedMessage lastMessage;

    /** The next bin in the same place of the hash table. */
    Bin chain;

    Bin(final int context, final int source, final int tag) {
        this.context = context;
        this.source = source;
        this.tag = tag;
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
