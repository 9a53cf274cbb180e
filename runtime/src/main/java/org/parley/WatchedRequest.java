package org.parley;

import org.parley.engine.Engine;
import org.parley.engine.Needs;

/** In debug mode: the program's end of a request. When it is gone, nobody can complete the other. */
final class WatchedRequest extends Request {
    private final ActiveRequest request;

    WatchedRequest(final ActiveRequest request) {
        this.request = request;
    }

    @Override
    public boolean isDone() {
        return request.isDone();
    }

    @Override
    public void cancel() {
        request.cancel();
    }

    @Override
    void complete() {
        request.complete();
    }

    @Override
    boolean isLost() {
        return request.isLost();
    }

    @Override
    void fill(final Status into) {
        request.fill(into);
    }

    @Override
    void needs(final Needs needs) {
        request.needs(needs);
    }

    @Override
    Engine engine() {
        return request.engine();
    }
}
