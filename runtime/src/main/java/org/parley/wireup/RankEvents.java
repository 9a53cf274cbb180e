package org.parley.wireup;

import java.io.IOException;
import java.util.List;

/** Told by a {@link Rendezvous} what ranks do; on the rendezvous' thread, so it must not wait. */
public interface RankEvents {

    /**
     * A rank has joined.
     *
     * @param rank which
     * @param pid its process
     */
    void joined(int rank, long pid);

    /**
     * A rank has contributed to the wire-up.
     *
     * @param rank which
     * @param options the options in force there
     * @param address how others reach it
     */
    void contributed(int rank, String options, byte[] address);

    /**
     * No rank can be heard of any more.
     *
     * @param why for people
     */
    void broken(String why);

    /**
     * A rank has told over which transport it reaches each rank.
     *
     * @param rank which
     * @param transports by rank
     */
    void mapped(int rank, List<String> transports);

    /**
     * A rank has left by {@code close()}.
     *
     * @param rank which
     * @param counters its counters, if somebody wants to know, or empty
     */
    void left(int rank, String counters);

    /**
     * An exception ends a rank.
     *
     * @param rank which
     * @param what the exception
     * @param blames the rank whose failure it reports, or -1
     */
    void failed(int rank, String what, int blames);

    /**
     * A rank ends the job.
     *
     * @param rank which
     * @param code the job's exit code
     * @param why for people
     */
    void aborted(int rank, int code, String why);

    /**
     * A rank asks the job's arbiter.
     *
     * @param rank which
     * @param petition what for
     */
    void asked(int rank, Petition petition);

    /**
     * A rank's line has ended; all that came over it has been told.
     *
     * @param rank which
     */
    void disconnected(int rank);

    /**
     * What a rank is doing.
     *
     * @param waitsFor what it waits for since long, or null
     * @param counters its counters, or empty
     * @param program the stacks of the threads that run its program; empty if they were not asked for
     * @param others the stacks of all other threads
     */
    record Report(LongWait waitsFor, String counters, String program, String others) {
        /**
         * Reads a report from a frame.
         *
         * @param frame as a rank or an agent has sent it
         * @throws IOException if the frame is too short
         */
        public static Report read(final ControlFrame frame) throws IOException {
            return new Report(LongWait.read(frame), frame.text(), frame.text(), frame.text());
        }

        /** Whether it has the stacks. */
        public boolean isFull() {
            return !program.isEmpty() || !others.isEmpty();
        }
    }

    /**
     * A rank's report has come.
     *
     * @param rank which
     * @param report what it says
     */
    void reported(int rank, Report report);

    /**
     * Nothing has been heard of a rank for long.
     *
     * @param rank which
     * @param seconds how long
     * @param isDead whether that is longer than {@code silence.timeout}
     */
    void silent(int rank, long seconds, boolean isDead);

    /**
     * A connection was refused.
     *
     * @param why what was wrong with it
     */
    void refused(String why);
}
