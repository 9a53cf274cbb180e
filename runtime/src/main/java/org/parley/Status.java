package org.parley;

/**
 * What is known about a received or probed message (MPI-3.1 section 3.2.5). Mutable, so that {@link
 * Communicator#receive(Object, long, long, int, int, Status)} can fill one again and again; belongs
 * to the thread that made it.
 */
public final class Status {
    private int source = Communicator.PROC_NULL;
    private int tag = Communicator.ANY_TAG;
    private long bytes;
    private boolean cancelled;

    /** Makes an empty one. */
    public Status() {}

    /** Returns the sender's rank in the communicator. */
    public int source() {
        return source;
    }

    /** Returns the message's tag. */
    public int tag() {
        return tag;
    }

    /** Returns the message's length in bytes. */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns the message's length in elements (MPI_Get_count).
     *
     * @param type the elements' type
     * @return the number of whole elements, or -1 if the bytes do not make whole elements
     */
    public long count(final Datatype type) {
        return bytes % type.size() == 0 ? bytes / type.size() : -1;
    }

    /** Whether the receive was cancelled; the other values then mean nothing. */
    public boolean isCancelled() {
        return cancelled;
    }

    void set(final int newSource, final int newTag, final long newBytes, final boolean isCancelled) {
        source = newSource;
        tag = newTag;
        bytes = newBytes;
        cancelled = isCancelled;
    }

    /** What a receive from {@link Communicator#PROC_NULL} gives. */
    void setNull() {
        set(Communicator.PROC_NULL, Communicator.ANY_TAG, 0, false);
    }

    @Override
    public String toString() {
        return cancelled ? "cancelled" : bytes + " bytes from " + source + ", tag " + tag;
    }
}
