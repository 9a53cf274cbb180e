package org.parley.wireup;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.parley.config.Options;
import org.parley.transport.JobSecret;

/** Where the ranks of a job meet, as {@code PARLEY_RENDEZVOUS} names it, seen from one rank. */
interface Meeting {
    /** Returns the job's folder on this machine, mode 0700. */
    Path folder();

    /**
     * Opens it where that is this rank's part; called once, before anybody waits for it.
     *
     * @param options the options in force
     * @throws org.parley.JobException if it cannot be opened
     */
    void open(Options options);

    /**
     * Waits until it is open, and connects.
     *
     * @param isAwaited whether somebody still waits for it
     * @throws IOException if it does not open in time
     */
    SocketChannel connect(BooleanSupplier isAwaited) throws IOException;

    /**
     * Returns the job's secret; after {@link #connect}, since both may come from one place.
     *
     * @throws org.parley.JobException if it cannot be had
     */
    JobSecret secret();

    /** Returns what has gone wrong so far, to be said if it does not open in time, or empty. */
    String trouble();

    /** Whether this process belongs to the job: it ends with it. Else it only takes part. */
    boolean ownsProcess();

    /** Returns its name, for people. */
    @Override
    String toString();
}
