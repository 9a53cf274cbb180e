package org.parley.transport.verbs;

import org.parley.transport.Endpoint;

/** What the runtime has of a {@link UdEndpoint}: each call, and all between a claim and its end, is the rank's turn and not the keeper's. */
final class KeptEndpoint extends Endpoint {
    private final UdEndpoint endpoint;
    private final Turns turns;

    KeptEndpoint(final UdEndpoint endpoint, final Turns turns) {
        this.endpoint = endpoint;
        this.turns = turns;
    }

    UdEndpoint endpoint() {
        return endpoint;
    }

    @Override
    public long claim(final int length) {
        turns.enter();
        final long claimed = endpoint.claim(length);
        if (claimed < 0) {
            turns.leave();
        }
        return claimed;
    }

    @Override
    public void commit() {
        endpoint.commit();
        turns.leave();
    }

    @Override
    public void commit(final long frame, final int head, final long payload, final int length) {
        endpoint.commit(frame, head, payload, length);
        turns.leave();
    }

    @Override
    public void abort() {
        endpoint.abort();
        turns.leave();
    }

    @Override
    public boolean isSent() {
        turns.enter();
        final boolean result = endpoint.isSent();
        turns.leave();
        return result;
    }

    @Override
    public boolean isAcknowledged() {
        turns.enter();
        final boolean result = endpoint.isAcknowledged();
        turns.leave();
        return result;
    }

    @Override
    public long acknowledged() {
        turns.enter();
        final long result = endpoint.acknowledged();
        turns.leave();
        return result;
    }

    @Override
    public void close() {
        turns.enter();
        endpoint.close();
        turns.leave();
    }
}
