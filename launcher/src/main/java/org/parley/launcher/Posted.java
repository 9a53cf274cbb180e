package org.parley.launcher;

import java.util.List;
import org.parley.wireup.Petition;

/** Brings what happens on a job's hosts to the one thread of an event loop. */
final class Posted implements HostEvents {
    private final EventLoop loop;
    private final HostEvents to;

    Posted(final EventLoop loop, final HostEvents to) {
        this.loop = loop;
        this.to = to;
    }

    @Override
    public void ready(final int host, final Facts facts) {
        loop.post(() -> to.ready(host, facts));
    }

    @Override
    public void lost(final List<Integer> hosts, final String how) {
        loop.post(() -> to.lost(hosts, how));
    }

    @Override
    public void copied(final int host, final long bytes) {
        loop.post(() -> to.copied(host, bytes));
    }

    @Override
    public void quiet(final int host, final long seconds) {
        loop.post(() -> to.quiet(host, seconds));
    }

    @Override
    public void started(final int rank, final long pid) {
        loop.post(() -> to.started(rank, pid));
    }

    @Override
    public void notStarted(final int rank, final String why) {
        loop.post(() -> to.notStarted(rank, why));
    }

    @Override
    public void ended(final int rank, final Ending ending) {
        loop.post(() -> to.ended(rank, ending));
    }

    @Override
    public void joined(final int rank, final long pid) {
        loop.post(() -> to.joined(rank, pid));
    }

    @Override
    public void contributed(final int rank, final String options, final byte[] address) {
        loop.post(() -> to.contributed(rank, options, address));
    }

    @Override
    public void broken(final String why) {
        loop.post(() -> to.broken(why));
    }

    @Override
    public void mapped(final int rank, final List<String> transports) {
        loop.post(() -> to.mapped(rank, transports));
    }

    @Override
    public void left(final int rank, final String counters) {
        loop.post(() -> to.left(rank, counters));
    }

    @Override
    public void failed(final int rank, final String what, final int blames) {
        loop.post(() -> to.failed(rank, what, blames));
    }

    @Override
    public void aborted(final int rank, final int code, final String why) {
        loop.post(() -> to.aborted(rank, code, why));
    }

    @Override
    public void asked(final int rank, final Petition petition) {
        loop.post(() -> to.asked(rank, petition));
    }

    @Override
    public void disconnected(final int rank) {
        loop.post(() -> to.disconnected(rank));
    }

    @Override
    public void reported(final int rank, final Report report) {
        loop.post(() -> to.reported(rank, report));
    }

    @Override
    public void silent(final int rank, final long seconds, final boolean isDead) {
        loop.post(() -> to.silent(rank, seconds, isDead));
    }

    @Override
    public void refused(final String why) {
        loop.post(() -> to.refused(why));
    }
}
