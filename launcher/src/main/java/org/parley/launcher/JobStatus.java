package org.parley.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.parley.wireup.ControlFrame;
import org.parley.wireup.LongWait;

/**
 * What a launcher tells {@code parley top} of its job, again and again.
 *
 * @param job the job's name
 * @param nanos how long it has been there
 * @param refused connections that were refused by launcher and agents
 * @param ranks all, in order
 */
record JobStatus(String job, long nanos, int refused, List<OfRank> ranks) {
    /** The only kind of frame; another one is of another version. */
    static final byte TYPE = 1;

    /** Of both ends must be the same: it grows with each change here. */
    static final int VERSION = 1;

    /** How far a rank is. */
    enum State {
        /** Its process does not run yet. */
        STARTING,
        /** It runs, and has not joined the job, if it ever will. */
        OUTSIDE,
        /** It has joined. */
        JOINED,
        /** It has left the job; its process may go on. */
        LEFT,
        /** Its process has ended. */
        ENDED
    }

    /**
     * A rank.
     *
     * @param host where it runs
     * @param pid its process, or -1
     * @param state how far it is
     * @param code exit code of one that has ended
     * @param nanos when it last told what it has counted, in the launcher's time; 0: never
     * @param waitsIn what it waits for since long, or null
     * @param counters what it has counted: {@link org.parley.wireup.Counters}
     */
    record OfRank(String host, long pid, State state, int code, long nanos, LongWait waitsIn, String counters) {}

    ByteBuffer frame() {
        final ControlFrame.Builder frame = new ControlFrame.Builder(TYPE)
                .number(VERSION)
                .text(job)
                .longNumber(nanos)
                .number(refused)
                .number(ranks.size());
        for (final OfRank rank : ranks) {
            frame.text(rank.host)
                    .longNumber(rank.pid)
                    .number(rank.state.ordinal())
                    .number(rank.code)
                    .longNumber(rank.nanos);
            LongWait.write(rank.waitsIn, frame);
            frame.text(rank.counters);
        }
        return frame.build();
    }

    /**
     * Reads one.
     *
     * @throws IOException if it is none, or of another version
     */
    static JobStatus read(final ControlFrame frame) throws IOException {
        if (frame.type() != TYPE || frame.number() != VERSION) {
            throw new IOException("the job's launcher is of another version of Parley: look with that one");
        }
        final String job = frame.text();
        final long nanos = frame.longNumber();
        final int refused = frame.number();
        final List<OfRank> ranks = new ArrayList<>();
        for (int left = frame.number(); left > 0; left--) {
            ranks.add(new OfRank(
                    frame.text(),
                    frame.longNumber(),
                    state(frame.number()),
                    frame.number(),
                    frame.longNumber(),
                    LongWait.read(frame),
                    frame.text()));
        }
        return new JobStatus(job, nanos, refused, ranks);
    }

    private static State state(final int number) throws IOException {
        if (number < 0 || number >= State.values().length) {
            throw new IOException("a rank is in the unknown state " + number);
        }
        return State.values()[number];
    }
}
