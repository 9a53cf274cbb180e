package org.parley.transport.verbs;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * One of the links that a pair of ranks has, one after the other: what ends with its queue pair. Frames, and what the ranks agreed on, are
 * {@link RcEndpoint}'s, which outlives it. The holder's of the progress word.
 *
 * <p><b>Fence.</b> A queue pair that has failed is put into its error state, in which all that is posted ends. When the last receive and a
 * last send have ended, nothing of it is left in the completion queue, whose numbers another queue pair may have; then it is destroyed,
 * and nothing of its peer can reach memory of this rank any more. A device that does not give back what was posted is not waited for.
 */
final class RcLink {
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * What a program has done wrong, and would do again: length, protection and access errors. A queue pair operation error is none of
     * them: Soft-RoCE says so, too, when its port is down.
     */
    private static final Set<Integer> FOR_GOOD = Set.of(1, 4, 8, 9, 10);

    private final RcEndpoint endpoint;
    private final int epoch;
    private final RcConnection connection;
    private final DataPath dataPath;
    private final Adapter adapter;
    private final SendQueue sends;
    private final Reads reads;

    /** Messages that have come and are not all handed over, by the addresses of their receives. */
    private final long[] arrived;

    private int first;
    private int count;

    /** Receives that the device has. */
    private int posted;

    /** Receives that are free again: a chain, and what of them the peer has not counted. */
    private long freeFirst;

    private long freeLast;
    private int freeCount;
    private int uncounted;

    private boolean isReady;
    private String failure;
    private boolean isForGood;
    private String closing;
    private long stopped;
    private boolean isFenced;

    RcLink(
            final RcEndpoint endpoint,
            final int epoch,
            final RcConnection connection,
            final Adapter adapter,
            final DataPath dataPath,
            final Reads reads) {
        this.endpoint = endpoint;
        this.epoch = epoch;
        this.connection = connection;
        this.adapter = adapter;
        this.dataPath = dataPath;
        this.reads = reads;
        arrived = new long[connection.dimensions().receives()];
        posted = arrived.length;
        sends = new SendQueue(this, dataPath);
    }

    RcEndpoint endpoint() {
        return endpoint;
    }

    /** Returns its number among those of the pair. */
    int epoch() {
        return epoch;
    }

    /** Returns its queue pair's number. */
    int number() {
        return connection.number();
    }

    RcConnection connection() {
        return connection;
    }

    SendQueue sends() {
        return sends;
    }

    /** The peer receives. */
    void ready() {
        isReady = true;
    }

    boolean isReady() {
        return isReady;
    }

    // --- completions -----------------------------------------------------------------------------

    /** A receive or a send has ended. */
    void completed(final long completion) {
        final long id = WorkRequest.id(completion);
        final int status = WorkRequest.status(completion);
        posted -= id < 0 ? 0 : 1;
        if (status != WorkRequest.SUCCESS) {
            failed(completion, id, status);
        } else if (id < 0) {
            sends.completed(~id);
        } else {
            RcConnection.length(id, WorkRequest.length(completion) - Dimensions.PREFIX);
            sends.granted(RcConnection.granted(id));
            reads.heard(RcConnection.flags(id));
            arrived[(first + count++) % arrived.length] = id;
        }
    }

    private void failed(final long completion, final long id, final int status) {
        if (id < 0) {
            sends.flushed(~id);
        }
        if (failure != null) {
            return;
        }
        if (status == WorkRequest.FLUSHED) {
            fail(WorkRequest.statusText(status));
            return;
        }
        isForGood = FOR_GOOD.contains(status);
        fail(WorkRequest.statusText(status) + " (" + (id < 0 ? "send" : "receive") + ", vendor error "
                + WorkRequest.vendorError(completion) + "), " + adapter.portState());
    }

    /** It is of no use any more; what was seen first counts. */
    void fail(final String why) {
        if (failure == null) {
            failure = why;
        }
    }

    /** It is of no use, and another one would not be. */
    void failForGood(final String why) {
        isForGood = true;
        failure = why;
    }

    boolean isBroken() {
        return failure != null;
    }

    String failure() {
        return failure;
    }

    boolean isForGood() {
        return isForGood;
    }

    /** The control link has ended: the peer has lost this link, or it has left, or is no more. */
    void closing(final String why) {
        closing = why;
    }

    /** Whether the control link has ended. */
    boolean hasClosed() {
        return closing != null;
    }

    /** Whether the control link's end is all that is known, and nothing waits that has come before. */
    boolean isClosing() {
        return closing != null && failure == null && count == 0;
    }

    /** Nothing has come for a while since the control link has ended: nothing will. */
    void closed() {
        fail(closing);
    }

    // --- what has come ---------------------------------------------------------------------------

    /** Returns how many messages wait. */
    int count() {
        return count;
    }

    /** Returns the receive of the oldest. */
    long message() {
        return arrived[first];
    }

    /** The oldest is done with. Receives are posted again some at a time: one call each. */
    void recycle() {
        final long message = arrived[first];
        first = (first + 1) % arrived.length;
        count--;
        WorkRequest.next(message, 0);
        if (freeCount++ == 0) {
            freeFirst = message;
        } else {
            WorkRequest.next(freeLast, message);
        }
        freeLast = message;
        if (freeCount >= arrived.length / 4 && stopped == 0) {
            post();
            sends.grant();
        }
    }

    /** The peer has not counted the message that is now the oldest. */
    void uncount() {
        uncounted++;
    }

    /** What leaves next says so. */
    private void post() {
        final int errno = dataPath.postReceive(connection.handle(), freeFirst);
        if (errno != 0) {
            fail(Verbs.failed("ibv_post_recv on " + adapter.name(), errno).getMessage());
        } else {
            posted += freeCount;
        }
        sends.posted(freeCount - uncounted);
        freeCount = 0;
        uncounted = 0;
    }

    // --- the end ---------------------------------------------------------------------------------

    boolean isStopped() {
        return stopped != 0;
    }

    /** Nothing is sent or received any more; what has come before comes yet. */
    void stop(final long now) {
        stopped = now | 1;
        try {
            connection.fail();
        } catch (final TransportException e) {
            // It is destroyed without.
            fence();
        }
    }

    /**
     * Destroys the queue pair if all has ended that was posted, or it is too late for that.
     *
     * @return whether it is destroyed
     */
    boolean isFenced(final long now) {
        if (!isFenced && (sends.isDrained() && posted == 0 || now - stopped > PATIENCE_NANOS)) {
            fence();
        }
        return isFenced;
    }

    /** From here on the device touches no memory for it. */
    void fence() {
        fail("it was given up");
        isFenced = true;
        connection.stop();
    }

    /** Gives everything back; what has come is lost with it. */
    void release() {
        isFenced = true;
        connection.close();
    }
}
