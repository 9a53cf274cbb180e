package org.parley.wireup;

import java.nio.file.Path;
import java.util.List;
import org.parley.transport.JobSecret;

/**
 * A rank's place in its job, and its line to the others outside of any transport. Methods may be
 * called by one thread at a time; news comes on a thread of the place's own.
 */
public interface Place extends AutoCloseable {

    /** Told what happens to other ranks; any thread. */
    interface News {

        /**
         * A rank has left by {@code close()}.
         *
         * @param rank which
         */
        void left(int rank);

        /**
         * A rank has failed.
         *
         * @param rank which
         * @param cause how, for people
         */
        void died(int rank, String cause);

        /** Tells that some time has passed, about 2 s. */
        void tick();

        /**
         * The job's {@link Arbiter} has told something, or cannot be asked any more.
         *
         * @param ruling what, or null
         */
        void told(Ruling ruling);

        /** Returns what this rank waits for at present, for reports; null if it does not wait. */
        LongWait currentWait();

        /** Returns this rank's counters, for reports; any thread, so they may lag behind. */
        String counters();
    }

    /** Returns the job's name, unique on this machine. */
    String job();

    /** Returns this rank, 0 to {@link #size()} - 1. */
    int rank();

    /** Returns the number of ranks. */
    int size();

    /** Returns how many of the job's ranks are on this machine. */
    int localSize();

    /** Whether there are more ranks than cores where this one runs. */
    boolean sharesCores();

    /** Whether somebody wants to know over which transport each rank is reached, and what it has counted. */
    boolean wantsMap();

    /**
     * Tells over which transport each rank is reached.
     *
     * @param transports by rank
     */
    void tellMap(List<String> transports);

    /** Returns what only the job's ranks know. */
    JobSecret secret();

    /** Returns the job's folder on this machine, mode 0700. */
    Path folder();

    /**
     * Returns where a rank runs, for people.
     *
     * @param rank which
     */
    String host(int rank);

    /**
     * Gives every rank everybody's contribution; collective, called once.
     *
     * @param mine this rank's
     * @return all, by rank
     * @throws org.parley.JobException if a rank does not come in time or the job ends
     */
    byte[][] exchange(byte[] mine);

    /**
     * Asks to be told what happens to others, including what has happened already.
     *
     * @param news whom to tell
     */
    void listen(News news);

    /**
     * Notes what this rank waits for, for reports that can be made even when it was killed. Called
     * only when a wait has become a long one, and when that is over.
     *
     * @param what the call, or null: it waits no longer
     */
    void waiting(String what);

    /**
     * Asks the job's {@link Arbiter}; what it answers comes by {@link News#told}.
     *
     * @param petition what for
     */
    void ask(Petition petition);

    /**
     * Tells the others that this rank leaves, after it has sent all it had to.
     *
     * @param counters its counters, if somebody wants to know, or empty
     */
    void leave(String counters);

    /**
     * Ends the whole job.
     *
     * @param code exit code
     * @param why for people
     */
    void abort(int code, String why);

    /** Ends the line; without {@link #leave} the others take the rank for failed. */
    @Override
    void close();
}
