package org.parley;

import java.util.List;
import org.parley.engine.Engine;
import org.parley.engine.Needs;
import org.parley.engine.Pending;

/** Waits for several requests, but not for those that may never end because one of them has lost its peer. */
final class LossWatch implements Pending {
    private final List<? extends Request> requests;
    private final Engine engine;

    /** All before this one have ended. */
    private int next;

    private int losses = -1;
    private boolean isLost;

    private LossWatch(final List<? extends Request> requests, final Engine engine) {
        this.requests = requests;
        this.engine = engine;
    }

    /** Waits, in a job that goes on after failures, until all have ended or one is lost; returns whether one is. */
    static boolean isLost(final List<? extends Request> requests) {
        final Engine engine = Request.engineOf(requests);
        if (engine == null || !engine.survivors().continues()) {
            return false;
        }
        final LossWatch watch = new LossWatch(requests, engine);
        engine.enter();
        try {
            engine.await(watch);
        } finally {
            engine.exit();
        }
        return watch.isLost;
    }

    @Override
    public boolean isDone() {
        if (engine.survivors().losses() != losses) {
            losses = engine.survivors().losses();
            isLost = requests.stream().anyMatch(request -> request != null && request.isLost());
        }
        while (next < requests.size()
                && (requests.get(next) == null || requests.get(next).isDone())) {
            next++;
        }
        return isLost || next == requests.size();
    }

    @Override
    public String describe() {
        return "all of " + requests.size() + " requests";
    }

    @Override
    public void needs(final Needs needs) {
        requests.stream()
                .filter(request -> request != null && !request.isDone())
                .forEach(one -> one.needs(needs));
    }
}
