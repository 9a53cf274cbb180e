package org.parley.engine;

/**
 * Records what happens for a flight recording (JFR). There is one only while the JVM records: without, each place that would
 * record costs a load and a branch. Behind an interface, so that nothing of {@code jdk.jfr} is loaded where nobody records,
 * or where the JRE does not have it. Called by the holder of the progress word.
 */
interface Recorder {

    /** Something that takes time and has begun. */
    interface Span {
        /** It has ended. */
        void ended();
    }

    /**
     * Returns one if this JVM records, or null. Costs little: any thread may ask again.
     *
     * @param rank whose events
     */
    static Recorder ifRecording(final int rank) {
        return ModuleLayer.boot().findModule("jdk.jfr").isPresent() ? FlightRecorderEvents.ifRecording(rank) : null;
    }

    /** A short message has left within its call. */
    void sent(Session session, int tag, long bytes);

    /** A send begins; returns null if sends are not recorded. */
    Span sends(SendOperation op);

    /** A receive begins; returns null if receives are not recorded. */
    Span receives(ReceiveOperation op);

    /**
     * A collective begins; returns null if these are not recorded.
     *
     * @param name which, for people
     * @param ranks of its communicator
     * @param bytes of this rank's larger buffer
     */
    Span collective(String name, int ranks, long bytes);

    /** Bytes have not moved for long. */
    void stalls(Session session, long out, long in, long nanos);

    /** A link is there again. */
    void reconnected(Session session, long nanos);
}
