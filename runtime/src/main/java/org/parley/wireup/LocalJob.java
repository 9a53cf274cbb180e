package org.parley.wireup;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.parley.JobException;
import org.parley.transport.JobSecret;

/**
 * A job whose ranks are threads of this JVM. They talk over the same transports as processes do;
 * only the wire-up is an array.
 */
public final class LocalJob implements AutoCloseable {
    private static final long WIRE_UP_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final int size;
    private final String name;
    private final JobSecret secret = JobSecret.create();
    private final JobFolder folder;
    private final byte[][] contributions;
    private final Place.News[] listeners;
    private final String[] ended;

    /** Ranks whose program has failed, perhaps after they had left. */
    private final BitSet hasFailed = new BitSet();

    private final Arbiter arbiter = new Arbiter(this::tellRuling);
    private int contributed;

    /**
     * Makes a job.
     *
     * @param size number of ranks
     */
    public LocalJob(final int size) {
        this.size = size;
        this.name = "local-"
                + ProcessHandle.current().pid()
                + "-"
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
        this.folder = JobFolder.create(name);
        this.contributions = new byte[size][];
        this.listeners = new Place.News[size];
        this.ended = new String[size];
    }

    /**
     * Returns a rank's place.
     *
     * @param rank 0 to size - 1
     */
    public Place place(final int rank) {
        return new LocalPlace(rank);
    }

    /**
     * Tells all other ranks that one has failed; also of one that had left; later calls for the same rank
     * do nothing.
     *
     * @param rank which
     * @param cause how
     */
    public synchronized void died(final int rank, final String cause) {
        hasFailed.set(rank);
        end(rank, cause);
    }

    @Override
    public void close() {
        folder.close();
    }

    /** A rank ends; a null cause means that it left. All are told in the same order. */
    private synchronized void end(final int rank, final String cause) {
        final boolean hasLeft = "".equals(ended[rank]);
        if (ended[rank] != null && !(hasLeft && cause != null && hasFailed.get(rank))) {
            return;
        }
        ended[rank] = cause == null ? "" : cause;
        listeners[rank] = null;
        notifyAll();
        for (final Place.News listener : listeners) {
            if (listener != null) {
                tell(listener, rank, cause);
            }
        }
        arbiter.gone(rank);
    }

    private void tellRuling(final List<Integer> ranks, final Ruling ruling) {
        for (final int rank : ranks) {
            if (listeners[rank] != null) {
                listeners[rank].told(ruling);
            }
        }
    }

    private synchronized void ask(final int rank, final Petition petition) {
        arbiter.ask(rank, petition);
        if (petition instanceof Petition.Suspicion) {
            CompletableFuture.delayedExecutor(Arbiter.PATIENCE_NANOS, TimeUnit.NANOSECONDS)
                    .execute(this::blame);
        }
    }

    private synchronized void blame() {
        for (final Arbiter.Verdict verdict : arbiter.blame()) {
            final Place.News fenced = listeners[verdict.rank()];
            end(verdict.rank(), verdict.cause());
            if (fenced != null) {
                fenced.told(new Ruling.Fenced(verdict.cause()));
            }
        }
    }

    private static void tell(final Place.News listener, final int rank, final String cause) {
        if (cause == null || cause.isEmpty()) {
            listener.left(rank);
        } else {
            listener.died(rank, cause);
        }
    }

    private synchronized byte[][] exchange(final int rank, final byte[] mine) {
        contributions[rank] = mine;
        contributed++;
        notifyAll();
        final long deadline = System.nanoTime() + WIRE_UP_NANOS;
        while (contributed < size) {
            for (int other = 0; other < size; other++) {
                if (ended[other] != null && contributions[other] == null) {
                    throw new JobException("rank " + other + " ended before it joined the job: " + ended[other]);
                }
            }
            final long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new JobException("only " + contributed + " of " + size + " ranks joined within 60 s");
            }
            try {
                wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new JobException("interrupted while joining the job", e);
            }
        }
        return contributions.clone();
    }

    private synchronized void listen(final int rank, final Place.News news) {
        listeners[rank] = news;
        for (int other = 0; other < size; other++) {
            if (ended[other] != null && other != rank) {
                tell(news, other, ended[other]);
            }
        }
    }

    private final class LocalPlace implements Place {
        private final int rank;

        LocalPlace(final int rank) {
            this.rank = rank;
        }

        @Override
        public String job() {
            return name;
        }

        @Override
        public int rank() {
            return rank;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public int localSize() {
            return size;
        }

        @Override
        public boolean sharesCores() {
            return size > Runtime.getRuntime().availableProcessors();
        }

        @Override
        public boolean wantsMap() {
            return false;
        }

        @Override
        public void tellMap(final List<String> transports) {
            // Nobody asks.
        }

        @Override
        public JobSecret secret() {
            return secret;
        }

        @Override
        public Path folder() {
            return folder.path();
        }

        @Override
        public String host(final int other) {
            return "this process";
        }

        @Override
        public byte[][] exchange(final byte[] mine) {
            return LocalJob.this.exchange(rank, mine);
        }

        @Override
        public void listen(final News news) {
            LocalJob.this.listen(rank, news);
        }

        @Override
        public void ask(final Petition petition) {
            LocalJob.this.ask(rank, petition);
        }

        @Override
        public void waiting(final String what) {
            // The debugger, or a thread dump, of this very process tells.
        }

        @Override
        public void leave(final String counters) {
            end(rank, null);
        }

        @Override
        public void abort(final int code, final String why) {
            end(rank, "aborted the job with code " + code + ": " + why);
            throw new JobException("job aborted with code " + code + ": " + why);
        }

        @Override
        public void close() {
            end(rank, "ended without leaving the job");
        }
    }
}
