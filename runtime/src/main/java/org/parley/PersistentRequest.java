package org.parley;

import java.util.List;
import java.util.function.Supplier;
import org.parley.engine.Engine;
import org.parley.engine.Needs;

/**
 * An operation that can be started again and again with the same arguments (MPI-3.1 section 3.9).
 * Keeps its buffer reachable as long as it is reachable itself. Before the first start, and after
 * each completion, it counts as ended.
 */
public final class PersistentRequest extends Request {
    private final Engine engine;
    private final Supplier<Request> starter;
    private Request current;

    PersistentRequest(final Engine engine, final Supplier<Request> starter) {
        this.engine = engine;
        this.starter = starter;
        this.current = ActiveRequest.ended(engine);
    }

    /**
     * Starts the operation (MPI_Start).
     *
     * @throws IllegalStateException if the last start has not been completed
     */
    public void start() {
        if (!current.isDone()) {
            throw new IllegalStateException("the operation is still under way: await or test it before the next start");
        }
        current = starter.get();
    }

    /**
     * Starts all, in the order of the list (MPI_Startall).
     *
     * @param requests which
     */
    public static void startAll(final List<PersistentRequest> requests) {
        requests.forEach(PersistentRequest::start);
    }

    @Override
    public boolean isDone() {
        return current.isDone();
    }

    @Override
    public void cancel() {
        current.cancel();
    }

    @Override
    void complete() {
        current.complete();
    }

    @Override
    boolean isLost() {
        return current.isLost();
    }

    @Override
    void fill(final Status into) {
        current.fill(into);
    }

    @Override
    void needs(final Needs needs) {
        current.needs(needs);
    }

    @Override
    Engine engine() {
        return engine;
    }
}
