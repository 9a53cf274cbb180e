package org.parley.engine;

/** A message whose envelope arrived before its receive; for eager ones with a copy of the data. */
public final class UnexpectedMessage {
    int context;
    int source;
    int tag;
    long bytes;
    Session session;

    /** The sender's operation: to be told of the match, or to be asked for the data; 0: none. */
    long operation;

    /** In checked mode: of its data. */
    long checksum;

    /** Eager: the data is here, in a block of the pool (0 for an empty message). */
    boolean eager;

    long block;

    /** Not eager: key and address for {@code Endpoint.get}. */
    long key;

    long address;

    /** Neighbours in the same bin. */
    UnexpectedMessage binNext;

    UnexpectedMessage binPrevious;
    Bin bin;

    /** Neighbours in the order of arrival. */
    UnexpectedMessage next;

    UnexpectedMessage previous;

    /** Returns the sender's rank in the communicator. */
    public int source() {
        return source;
    }

    /** Returns the tag. */
    public int tag() {
        return tag;
    }

    /** Returns the length in bytes. */
    public long bytes() {
        return bytes;
    }
}
