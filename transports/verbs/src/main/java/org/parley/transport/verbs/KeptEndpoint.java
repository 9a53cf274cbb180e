package org.parley.transport.verbs;

import org.parley.transport.Endpoint;
import org.parley.transport.RetainingEndpoint;

/** What the runtime has of an endpoint: each call, and all between a claim and its end, is the rank's turn and not the keeper's. */
final class KeptEndpoint extends Endpoint {
    private final RetainingEndpoint endpoint;
    private final Turns turns;

    KeptEndpoint(final RetainingEndpoint endpoint, final Turns turns) {
        this.endpoint = endpoint;
        this.turns = turns;
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
    public boolean commitLater() {
        final boolean waits = endpoint.commitLater();
        turns.leave();
        return waits;
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
    public long expose(final long address, final long length, final int region) {
        turns.enter();
        final long result = endpoint.expose(address, length, region);
        turns.leave();
        return result;
    }

    @Override
    public void conceal(final long key) {
        turns.enter();
        endpoint.conceal(key);
        turns.leave();
    }

    @Override
    public long get(
            final long remoteAddress,
            final long key,
            final long localAddress,
            final int localRegion,
            final long length,
            final long token) {
        turns.enter();
        final long result = endpoint.get(remoteAddress, key, localAddress, localRegion, length, token);
        turns.leave();
        return result;
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
