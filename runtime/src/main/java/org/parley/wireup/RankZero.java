package org.parley.wireup;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.parley.config.Options;
import org.parley.transport.JobSecret;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rendezvous of a job that no launcher started, kept in the process of rank 0 until that ends. All
 * ranks, rank 0 too, have their line to it; what befalls one it tells the others.
 */
final class RankZero implements RankEvents {
    private static final Logger LOG = LoggerFactory.getLogger(RankZero.class);
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Rendezvous rendezvous;
    private final WireUp wireUp;
    private final boolean[] left;
    private final Arbiter arbiter = new Arbiter(this::tell);
    private final long limitNanos;
    private boolean isTimed;

    /** Who came and was refused. */
    private int refused;

    private String lastRefused;
    private long lastSaid;

    /**
     * Opens it.
     *
     * @param job the job's name
     * @param size how many ranks
     * @param addresses where to listen
     * @param secret the job's
     * @param options the options in force
     * @throws org.parley.JobException if it cannot listen there
     */
    RankZero(
            final String job,
            final int size,
            final List<? extends SocketAddress> addresses,
            final JobSecret secret,
            final Options options) {
        this.limitNanos = options.number(Options.WIREUP_TIMEOUT);
        this.wireUp = new WireUp(size, limitNanos);
        this.left = new boolean[size];
        synchronized (this) {
            // The first event waits until the rendezvous is known here.
            rendezvous = new Rendezvous(
                    job,
                    addresses,
                    secret,
                    Placement.on("?", size),
                    0,
                    false,
                    options.number(Options.SILENCE_TIMEOUT),
                    this);
        }
    }

    /** Returns where it listens. */
    List<InetSocketAddress> addresses() {
        return rendezvous.addresses();
    }

    @Override
    public void joined(final int rank, final long pid) {
        LOG.debug("rank {} has joined, pid {}", rank, pid);
    }

    @Override
    public synchronized void contributed(final int rank, final String options, final byte[] address) {
        final WireUp.Trouble trouble = wireUp.contribute(rank, options, address, System.nanoTime());
        if (trouble != null) {
            rendezvous.hopeless(trouble.sentence());
        } else if (wireUp.isComplete()) {
            rendezvous.everybody(wireUp.everybody());
        } else if (!isTimed) {
            isTimed = true;
            final Executor later = CompletableFuture.delayedExecutor(limitNanos, TimeUnit.NANOSECONDS);
            later.execute(this::checkMissing);
        }
    }

    private synchronized void checkMissing() {
        final WireUp.Trouble missing = wireUp.missing(System.nanoTime());
        if (missing != null) {
            rendezvous.hopeless(missing.sentence()
                    + (refused == 0 ? "" : "; refused meanwhile: " + refused + ", the last: " + lastRefused));
        }
    }

    @Override
    public void broken(final String why) {
        LOG.error("rank 0 can tell the ranks nothing more: {}", why);
    }

    @Override
    public void mapped(final int rank, final List<String> transports) {
        // Nobody has asked.
    }

    @Override
    public synchronized void left(final int rank, final String counters) {
        left[rank] = true;
        rendezvous.left(List.of(rank));
        arbiter.gone(rank);
    }

    private void tell(final List<Integer> ranks, final Ruling ruling) {
        rendezvous.tell(ranks, ruling);
    }

    private void died(final int rank, final String cause) {
        rendezvous.died(rank, cause);
        arbiter.gone(rank);
    }

    @Override
    public synchronized void failed(final int rank, final String what, final int blames) {
        died(rank, "failed with " + what);
    }

    @Override
    public synchronized void aborted(final int rank, final int code, final String why) {
        died(rank, "ended the job with code " + code + ": " + why);
    }

    @Override
    public synchronized void asked(final int rank, final Petition petition) {
        arbiter.ask(rank, petition);
        if (petition instanceof Petition.Suspicion) {
            CompletableFuture.delayedExecutor(Arbiter.PATIENCE_NANOS, TimeUnit.NANOSECONDS)
                    .execute(this::blame);
        }
    }

    private synchronized void blame() {
        arbiter.blame().forEach(verdict -> fence(verdict.rank(), verdict.cause()));
    }

    /** The process is somebody else's, and not to be ended; it is told that nobody talks to it any more. */
    private void fence(final int rank, final String cause) {
        died(rank, cause);
        rendezvous.tell(List.of(rank), new Ruling.Fenced(cause));
    }

    @Override
    public synchronized void disconnected(final int rank) {
        if (!left[rank]) {
            died(rank, "has ended, or lost its line to rank 0, without leaving the job");
        }
    }

    @Override
    public void reported(final int rank, final Report report) {
        // Nobody has asked.
    }

    @Override
    public synchronized void silent(final int rank, final long seconds, final boolean isDead) {
        if (isDead) {
            fence(rank, "has given no sign for " + seconds + " s");
        } else {
            LOG.warn("rank {} has given no sign for {} s", rank, seconds);
        }
    }

    /** Said at once, for it may be the rank that is waited for; then once a minute, for it may be a port scan. */
    @Override
    public synchronized void refused(final String why) {
        final long now = System.nanoTime();
        refused++;
        lastRefused = why;
        if (refused == 1 || now - lastSaid > MINUTE_NANOS) {
            lastSaid = now;
            LOG.warn("{}{}", why, refused > 1 ? " (" + refused + " so far)" : "");
        }
    }
}
