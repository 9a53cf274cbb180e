package org.parley.wireup;

import java.nio.file.Path;
import java.util.List;
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
     * Tells all other ranks that one has failed; later calls for the same rank do nothing.
     *
     * @param rank which
     * @param cause how
     */
    public void died(final int rank, final String cause) {
        end(rank, cause);
    }

    @Override
    public void close() {
        folder.close();
    }

    /** A rank ends; a null cause means that it left. */
    private void end(final int rank, final String cause) {
        final Place.News[] told;
        synchronized (this) {
            if (ended[rank] != null) {
                return;
            }
            ended[rank] = cause == null ? "" : cause;
            listeners[rank] = null;
            told = listeners.clone();
            notifyAll();
        }
        for (final Place.News listener : told) {
            if (listener != null) {
                tell(listener, rank, cause);
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

    private void listen(final int rank, final Place.News news) {
        final String[] already;
        synchronized (this) {
            listeners[rank] = news;
            already = ended.clone();
        }
        for (int other = 0; other < size; other++) {
            if (already[other] != null && other != rank) {
                tell(news, other, already[other]);
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
