package org.parley.launcher;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.parley.wireup.JobFolder;
import org.parley.wireup.Placement;
import org.parley.wireup.RankEvents;

/**
 * Tells whoever connects to a socket in the job's folder, which only the job's user can enter, how its ranks are, once a
 * second. Nothing is read from them, and nobody waits for them. Ranks are asked only while somebody looks. The job's
 * thread, but for threads that accept and write.
 */
final class StatusServer implements AutoCloseable {
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);

    /** What ranks have answered by then is told; what comes later a second later. */
    private static final long ANSWER = INTERVAL / 4;

    /** How long the end of a job waits for those who are slow to take its last state. */
    private static final long LAST_WORDS = INTERVAL / 5;

    /** Who looks at one time. */
    private static final int MOST = 32;

    private static final int STACK = 128 * 1024;

    private final String job;
    private final Placement placement;
    private final Member[] members;
    private final EventLoop loop;
    private final Runnable askRanks;
    private final long began = System.nanoTime();
    private final List<Watcher> watchers = new ArrayList<>();
    private final String[] counters;
    private final long[] reportedAt;
    private int refused;
    private JobFolder ownFolder;
    private Guard guard;
    private ServerSocketChannel door;

    /** @param askRanks has all ranks report, without stacks */
    StatusServer(
            final String job,
            final Placement placement,
            final Member[] members,
            final EventLoop loop,
            final Runnable askRanks) {
        this.job = job;
        this.placement = placement;
        this.members = members;
        this.loop = loop;
        this.askRanks = askRanks;
        this.counters = new String[members.length];
        this.reportedAt = new long[members.length];
    }

    static Path socketIn(final Path folder) {
        return folder.resolve("status");
    }

    /**
     * Opens the socket; where no rank is on this machine, in a folder that is made for it.
     *
     * @param says told if nobody can look at this job, and why
     */
    void open(final Consumer<String> says) {
        try {
            if (!Files.isDirectory(JobFolder.of(job))) {
                ownFolder = JobFolder.create(job);
                guard = new Guard(ownFolder.path());
                Runtime.getRuntime().addShutdownHook(new Thread(ownFolder::close, "parley-status-folder"));
            }
            door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            door.bind(UnixDomainSocketAddress.of(socketIn(JobFolder.of(job))));
        } catch (final IOException | RuntimeException e) {
            says.accept("parley: nobody can look at this job by parley top: " + e.getMessage());
            return;
        }
        thread(this::accept, "parley-status");
    }

    private static void thread(final Runnable what, final String name) {
        final Thread thread = new Thread(null, what, name, STACK);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            for (; ; ) {
                final Watcher watcher = new Watcher(door.accept());
                loop.post(() -> add(watcher));
            }
        } catch (final IOException e) {
            // close() was called, or there are no descriptors left: then nobody else looks.
            return;
        }
    }

    private void add(final Watcher watcher) {
        if (watchers.size() >= MOST) {
            watcher.close();
            return;
        }
        watchers.add(watcher);
        thread(watcher::write, "parley-watcher");
        if (watchers.size() == 1) {
            ask();
        }
    }

    private void ask() {
        watchers.removeIf(Watcher::isGone);
        if (!watchers.isEmpty()) {
            askRanks.run();
            loop.after(ANSWER, this::tell);
            loop.after(INTERVAL, this::ask);
        }
    }

    private void tell() {
        final ByteBuffer frame = status().frame();
        watchers.forEach(watcher -> watcher.offer(frame));
    }

    private JobStatus status() {
        final List<JobStatus.OfRank> ranks = new ArrayList<>();
        for (final Member member : members) {
            ranks.add(new JobStatus.OfRank(
                    placement.host(member.rank),
                    member.pid,
                    state(member),
                    member.hasEnded() ? member.code : 0,
                    reportedAt[member.rank],
                    state(member) == JobStatus.State.JOINED ? member.wait : null,
                    counters[member.rank] == null ? "" : counters[member.rank]));
        }
        return new JobStatus(job, System.nanoTime() - began, refused, ranks);
    }

    private static JobStatus.State state(final Member member) {
        if (member.hasEnded()) {
            return JobStatus.State.ENDED;
        }
        if (member.left) {
            return JobStatus.State.LEFT;
        }
        if (member.joined) {
            return JobStatus.State.JOINED;
        }
        return member.pid < 0 ? JobStatus.State.STARTING : JobStatus.State.OUTSIDE;
    }

    /** A rank has told what it does. */
    void reported(final int rank, final RankEvents.Report report) {
        counters[rank] = report.counters();
        reportedAt[rank] = System.nanoTime() - began | 1;
    }

    /** Somebody was refused. */
    void refused() {
        refused++;
    }

    private void closeDoor() {
        try {
            door.close();
        } catch (final IOException e) {
            // The process ends, and with it the socket.
            return;
        }
    }

    /** Tells the last state, and ends. */
    @Override
    public void close() {
        if (door != null) {
            tell();
            watchers.forEach(Watcher::finish);
            final long deadline = System.nanoTime() + LAST_WORDS;
            watchers.forEach(watcher -> watcher.awaitGone(deadline));
            closeDoor();
        }
        if (ownFolder != null) {
            guard.close();
            ownFolder.close();
        }
    }

    /** Somebody who looks. Only the newest state is kept for one who is slow. */
    private static final class Watcher {
        private final SocketChannel channel;
        private ByteBuffer next;
        private boolean isLast;
        private boolean isGone;

        Watcher(final SocketChannel channel) {
            this.channel = channel;
        }

        synchronized boolean isGone() {
            return isGone;
        }

        synchronized void offer(final ByteBuffer frame) {
            next = frame.duplicate();
            notifyAll();
        }

        /** What was offered is the last. */
        synchronized void finish() {
            isLast = true;
            notifyAll();
        }

        /** Gives it a moment to be told the last. */
        synchronized void awaitGone(final long deadline) {
            try {
                for (long left; !isGone && (left = deadline - System.nanoTime()) > 0; ) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private synchronized ByteBuffer take() throws InterruptedException {
            while (next == null && !isLast) {
                wait();
            }
            final ByteBuffer taken = next;
            next = null;
            return taken;
        }

        void write() {
            try {
                for (ByteBuffer frame; (frame = take()) != null; ) {
                    while (frame.hasRemaining()) {
                        channel.write(frame);
                    }
                }
            } catch (final IOException e) {
                // It looks no more.
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            close();
            synchronized (this) {
                isGone = true;
                notifyAll();
            }
        }

        void close() {
            try {
                channel.close();
            } catch (final IOException e) {
                // It is of no use any more in either case.
                return;
            }
        }
    }
}
