package org.parley;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.parley.engine.Engine;
import org.parley.engine.Needs;
import org.parley.engine.Pending;

/**
 * A started operation (MPI-3.1 section 3.7). Completing it twice is harmless and gives the same
 * answer. Keeps the operation's buffers reachable until it has ended. Any thread that the job's
 * {@link ThreadLevel} allows may complete it.
 *
 * <p>An operation that failed throws at its first completion and at each later one.
 */
public abstract class Request {

    /** Only the library makes requests. */
    Request() {}

    /**
     * Waits until the operation has ended (MPI_Wait).
     *
     * @return what was received; for sends a status without meaning
     * @throws TruncationException if the message was longer than the buffer
     * @throws PeerFailedException if the peer has failed or left
     */
    public final Status await() {
        return await(new Status());
    }

    /**
     * Waits until the operation has ended, allocating nothing.
     *
     * @param into filled with what was received
     * @return {@code into}
     * @throws TruncationException if the message was longer than the buffer
     * @throws PeerFailedException if the peer has failed or left
     */
    public final Status await(final Status into) {
        complete();
        fill(into);
        return into;
    }

    /**
     * Looks whether the operation has ended, and moves it on (MPI_Test).
     *
     * @return whether it has
     * @throws TruncationException if the message was longer than the buffer
     * @throws PeerFailedException if the peer has failed or left
     */
    public final boolean test() {
        if (!isDone()) {
            look(engine());
        }
        if (isDone()) {
            complete();
            return true;
        }
        return false;
    }

    /** Whether the operation has ended, as far as is known without looking. */
    public abstract boolean isDone();

    /**
     * Returns what was received, once the operation has ended.
     *
     * @throws IllegalStateException if it has not
     * @throws TruncationException if the message was longer than the buffer
     * @throws PeerFailedException if the peer has failed or left
     */
    public final Status status() {
        if (!isDone()) {
            throw new IllegalStateException("the operation has not ended: await or test it first");
        }
        return await();
    }

    /**
     * Cancels a receive that no message has matched yet (MPI_Cancel); it then ends with {@link
     * Status#isCancelled()}. Other operations go on. Complete the request in any case.
     */
    public abstract void cancel();

    /** Waits until the operation has ended; throws if it failed. */
    abstract void complete();

    /** Whether it has ended because a peer has failed, or its communicator was revoked. */
    abstract boolean isLost();

    /** Tells what was received, after the end. */
    abstract void fill(Status into);

    /** Says for whom it is waited. */
    abstract void needs(Needs needs);

    abstract Engine engine();

    // --- several requests (MPI-3.1 section 3.7.5) --------------------------------------------

    /**
     * Waits until all have ended (MPI_Waitall). If some failed, the first failure in the order of
     * the list is thrown after all have ended. In a job that goes on after failures ({@code ft=continue}) it is thrown as
     * soon as a peer has failed, or a communicator was revoked, and others may still be under way.
     *
     * @param requests any, null entries are passed over
     */
    public static void awaitAll(final List<? extends Request> requests) {
        if (LossWatch.isLost(requests)) {
            throwFirst(requests);
            return;
        }
        ParleyException first = null;
        for (final Request request : requests) {
            first = end(request, first);
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Waits until all have ended (MPI_Waitall); allocates nothing in a job that ends with the first failure. What fails is
     * thrown as by {@link #awaitAll(List)}.
     *
     * @param requests any, null entries are passed over
     */
    public static void awaitAll(final Request... requests) {
        final Engine engine = engineOf(requests);
        if (engine != null && engine.survivors().continues()) {
            awaitAll(Arrays.asList(requests));
            return;
        }
        ParleyException first = null;
        for (final Request request : requests) {
            first = end(request, first);
        }
        if (first != null) {
            throw first;
        }
    }

    /** Throws the first failure of those that have ended. */
    private static void throwFirst(final List<? extends Request> requests) {
        for (final Request request : requests) {
            if (request != null && request.isDone()) {
                request.complete();
            }
        }
    }

    private static ParleyException end(final Request request, final ParleyException first) {
        try {
            if (request != null) {
                request.complete();
            }
            return first;
        } catch (final ParleyException e) {
            return first == null ? e : first;
        }
    }

    /**
     * Waits until at least one has ended (MPI_Waitany). A failure is thrown by that request's own {@link
     * #await()}, not here.
     *
     * @param requests any, null entries are passed over
     * @return the index of one that has ended, or -1 if all entries are null
     */
    public static int awaitAny(final List<? extends Request> requests) {
        final Engine engine = engineOf(requests);
        if (engine == null) {
            return -1;
        }
        final Pending any = anyOf(requests);
        engine.enter();
        try {
            engine.await(any);
        } finally {
            engine.exit();
        }
        return firstDone(requests);
    }

    /**
     * Waits until at least one has ended (MPI_Waitsome). Failures are thrown by the requests' own {@link
     * #await()}, not here.
     *
     * @param requests any, null entries are passed over
     * @return the indexes of all that have ended, empty if all entries are null
     */
    public static int[] awaitSome(final List<? extends Request> requests) {
        awaitAny(requests);
        return doneIndexes(requests);
    }

    /**
     * Looks whether all have ended (MPI_Testall). Failures are thrown by the requests' own {@link #await()},
     * not here.
     *
     * @param requests any, null entries are passed over
     */
    public static boolean testAll(final List<? extends Request> requests) {
        look(requests);
        return doneIndexes(requests).length
                == requests.stream().filter(Objects::nonNull).count();
    }

    /**
     * Looks whether one has ended (MPI_Testany). A failure is thrown by that request's own {@link #await()},
     * not here.
     *
     * @param requests any, null entries are passed over
     * @return the index of one that has ended, or -1
     */
    public static int testAny(final List<? extends Request> requests) {
        look(requests);
        return firstDone(requests);
    }

    /**
     * Looks which have ended (MPI_Testsome). Failures are thrown by the requests' own {@link #await()}, not
     * here.
     *
     * @param requests any, null entries are passed over
     * @return the indexes of those that have
     */
    public static int[] testSome(final List<? extends Request> requests) {
        look(requests);
        return doneIndexes(requests);
    }

    private static void look(final List<? extends Request> requests) {
        final Engine engine = engineOf(requests);
        if (engine != null) {
            look(engine);
        }
    }

    private static void look(final Engine engine) {
        engine.enter();
        try {
            engine.doWork();
        } finally {
            engine.exit();
        }
    }

    private static Engine engineOf(final Request[] requests) {
        for (final Request request : requests) {
            if (request != null) {
                return request.engine();
            }
        }
        return null;
    }

    static Engine engineOf(final List<? extends Request> requests) {
        for (final Request request : requests) {
            if (request != null) {
                return request.engine();
            }
        }
        return null;
    }

    private static int firstDone(final List<? extends Request> requests) {
        for (int i = 0; i < requests.size(); i++) {
            if (requests.get(i) != null && requests.get(i).isDone()) {
                return i;
            }
        }
        return -1;
    }

    private static int[] doneIndexes(final List<? extends Request> requests) {
        return IntStream.range(0, requests.size())
                .filter(i -> requests.get(i) != null && requests.get(i).isDone())
                .toArray();
    }

    private static Pending anyOf(final List<? extends Request> requests) {
        return new Pending() {
            @Override
            public boolean isDone() {
                return firstDone(requests) >= 0;
            }

            @Override
            public String describe() {
                return "any of " + requests.size() + " requests";
            }

            @Override
            public void needs(final Needs needs) {
                needs.any();
                for (final Request request : requests) {
                    if (request != null) {
                        request.needs(needs);
                    }
                }
            }
        };
    }
}
