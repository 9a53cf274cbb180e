package org.parley.benchmarks.perf;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.agrona.UnsafeApi;
import org.parley.Communicator;
import org.parley.Parley;
import org.parley.config.Options;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.DataPath;
import org.parley.transport.verbs.binding.QueuePair;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.VerbsContext;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * One end of a connection between the two ranks: a queue pair, memory that it sends from and receives into, and counts. What it does for
 * each message is what a C program does: fill a work request, post it, poll.
 */
final class VerbsEnd implements AutoCloseable {
    /** How many numbers {@link #count} writes. */
    static final int COUNTS = 5;

    /** Receives that are posted in all. */
    static final int RECEIVES = 512;

    /** Receives that are posted, and completions that are polled, with one call. */
    static final int BATCH = 16;

    /** Bytes before a datagram's payload: its global route header. */
    static final int GRH = 40;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int PAGE = 4096;
    private static final int QKEY = 0x11111111;
    private static final int TAG = 17;
    private static final int TIMEOUT = 14;
    private static final int POLLS_BEFORE_YIELD = 2048;

    private final Communicator world;
    private final PerfPort port;
    private final boolean isDatagram;
    private final int largest;
    private final long patience;
    private final DataPath dataPath;
    private final long completionQueue;
    private final QueuePair queuePair;
    private final long pages;
    private final long memory;
    private final VerbsContext.Region region;
    private final long requests;
    private final long elements;
    private final long completions;
    private final int list;
    private long addressHandle;
    private int peerNumber;
    private long peerMemory;
    private int peerKey;
    private int chained;

    private long received;
    private long completed;
    private long posts;
    private long workRequests;
    private long polls;
    private long emptyPolls;
    private long waitBegan;

    VerbsEnd(final Parley parley, final PerfPort port, final PerfOptions options, final int largest) {
        world = parley.world();
        patience = parley.options().number(Options.SILENCE_TIMEOUT);
        this.port = port;
        this.largest = largest;
        isDatagram = options.isDatagram();
        list = options.list();
        final VerbsContext context = port.context();
        dataPath = context.newDataPath();
        completionQueue = context.createCompletionQueue(2 * options.depth() + 2 * RECEIVES, 0);
        queuePair = createQueuePair(context, options.depth());
        pages = UnsafeApi.allocateMemory(2L * largest + 4L * PAGE);
        memory = pages + PAGE & -PAGE;
        UnsafeApi.setMemory(memory, 2L * largest + 2L * PAGE, (byte) 0);
        region = context.register(
                memory,
                2L * largest + 2L * PAGE,
                VerbsContext.LOCAL_WRITE | VerbsContext.REMOTE_READ | VerbsContext.REMOTE_WRITE);
        requests = UnsafeApi.allocateMemory((long) list * WorkRequest.SEND_BYTES + BATCH * WorkRequest.RECEIVE_BYTES);
        UnsafeApi.setMemory(requests, (long) list * WorkRequest.SEND_BYTES, (byte) 0);
        elements = UnsafeApi.allocateMemory(2L * WorkRequest.SGE_BYTES);
        completions = UnsafeApi.allocateMemory((long) BATCH * WorkRequest.COMPLETION_BYTES);
        connect();
    }

    private QueuePair createQueuePair(final VerbsContext context, final int depth) {
        final int type = isDatagram ? QueuePair.UNRELIABLE_DATAGRAM : QueuePair.RELIABLE_CONNECTION;
        try {
            return context.createQueuePair(
                    new QueuePair.Wish(type, completionQueue, 0, 2 * depth, RECEIVES, 1, PerfTest.INLINE));
        } catch (final TransportException e) {
            return context.createQueuePair(new QueuePair.Wish(type, completionQueue, 0, 2 * depth, RECEIVES, 1, 0));
        }
    }

    /** Both ends tell each other by messages what they are. */
    private void connect() {
        final int peer = 1 - world.rank();
        final long[] mine = {
            queuePair.number(),
            memory,
            region.rkey(),
            port.port().lid(),
            port.port().mtu()
        };
        final long[] theirs = new long[mine.length];
        final byte[] gid = port.gid();
        final byte[] theirGid = new byte[gid.length];
        world.sendReceive(mine, 0, mine.length, peer, TAG, theirs, 0, theirs.length, peer, TAG);
        world.sendReceive(gid, 0, gid.length, peer, TAG, theirGid, 0, gid.length, peer, TAG);
        peerNumber = (int) theirs[0];
        peerMemory = theirs[1];
        peerKey = (int) theirs[2];
        final QueuePair.Path path = new QueuePair.Path(port.number(), port.gidIndex(), theirGid, (int) theirs[3]);
        if (isDatagram) {
            queuePair.begin(port.number(), 0, QKEY, 0);
            addressHandle = port.context().createAddressHandle(path);
        } else {
            final int reads = Math.max(1, Math.min(16, port.context().limits().maxReads()));
            queuePair.initialise(port.number(), 0, VerbsContext.REMOTE_READ | VerbsContext.REMOTE_WRITE);
            queuePair.receive(path, (int) Math.min(mine[4], theirs[4]), peerNumber, 0, reads);
            queuePair.send(0, reads, TIMEOUT, QueuePair.WAIT_FOR_RECEIVES);
        }
        meet();
    }

    /** Both ranks are here. */
    void meet() {
        final int peer = 1 - world.rank();
        final byte[] nothing = new byte[1];
        world.sendReceive(nothing, 0, 1, peer, TAG, new byte[1], 0, 1, peer, TAG);
    }

    int maxInline() {
        return queuePair.maxInline();
    }

    Communicator world() {
        return world;
    }

    boolean isFirst() {
        return world.rank() == 0;
    }

    /** Where a send's last byte is. */
    long lastSent(final int size) {
        return memory + size - 1;
    }

    /** Where the peer's RDMA WRITE puts its last byte. */
    long lastWritten(final int size) {
        return memory + largest + PAGE + size - 1;
    }

    /** Adds a send to the list, and posts the list if it is full or ends here. */
    void post(final int opcode, final int size, final boolean isSignalled, final boolean isLast) {
        final long wr = requests + (long) chained * WorkRequest.SEND_BYTES;
        WorkRequest.element(elements, memory, size, region.lkey());
        final boolean isInline = size <= queuePair.maxInline() && opcode != WorkRequest.RDMA_READ;
        final int flags = (isSignalled ? WorkRequest.SIGNALED : 0) | (isInline ? WorkRequest.INLINE : 0);
        WorkRequest.send(wr, 0, elements, 1, opcode, flags);
        if (isDatagram) {
            WorkRequest.datagram(wr, addressHandle, peerNumber, QKEY);
        } else {
            final long at = opcode == WorkRequest.RDMA_WRITE ? largest + PAGE : 0;
            WorkRequest.remote(wr, peerMemory + at, peerKey);
        }
        if (chained > 0) {
            WorkRequest.next(wr - WorkRequest.SEND_BYTES, wr);
        }
        chained++;
        if (chained == list || isLast) {
            posts++;
            workRequests += chained;
            chained = 0;
            check("ibv_post_send", dataPath.postSend(queuePair.handle(), requests));
        }
    }

    /** Posts receives, all into one place. */
    void postReceives(final int size, final int count) {
        final int extra = isDatagram ? GRH : 0;
        final long first = requests + (long) list * WorkRequest.SEND_BYTES;
        final long element = elements + WorkRequest.SGE_BYTES;
        WorkRequest.element(element, memory + largest + PAGE - extra, size + extra, region.lkey());
        for (int left = count; left > 0; left -= BATCH) {
            final int now = Math.min(BATCH, left);
            for (int i = 0; i < now; i++) {
                final long wr = first + (long) i * WorkRequest.RECEIVE_BYTES;
                WorkRequest.receive(wr, 0, element, 1);
                WorkRequest.next(wr, i + 1 < now ? wr + WorkRequest.RECEIVE_BYTES : 0);
            }
            posts++;
            check("ibv_post_recv", dataPath.postReceive(queuePair.handle(), first));
        }
    }

    private void check(final String verb, final int errno) {
        if (errno != 0) {
            throw Verbs.failed(verb + " on " + port.context().device().name(), errno);
        }
    }

    /** Polls once; returns how many completions there were. */
    int poll() {
        final int count = dataPath.poll(completionQueue, BATCH, completions);
        polls++;
        if (count == 0) {
            emptyPolls++;
        }
        for (int i = 0; i < count; i++) {
            final long wc = completions + (long) i * WorkRequest.COMPLETION_BYTES;
            if (WorkRequest.status(wc) != WorkRequest.SUCCESS) {
                throw new TransportException("a work request ended with \""
                        + WorkRequest.statusText(WorkRequest.status(wc)) + "\" on "
                        + port.context().device().name());
            }
            if ((WorkRequest.opcode(wc) & WorkRequest.RECEIVED) == 0) {
                completed++;
            } else {
                received++;
            }
        }
        return count;
    }

    /** Polls until so many signalled sends have ended in all. */
    void awaitCompleted(final long count) {
        for (long misses = 0; completed < count; ) {
            misses = poll() == 0 ? misses + 1 : 0;
            giveWay(misses);
        }
    }

    /** Polls until so many messages have come in all. */
    void awaitReceived(final long count) {
        for (long misses = 0; received < count; ) {
            misses = poll() == 0 ? misses + 1 : 0;
            giveWay(misses);
        }
    }

    /**
     * Others may need the processor, the peer first of all.
     *
     * @param misses how often in a row nothing has come in this wait, counted from 1; 0: something has
     * @throws TransportException if that has lasted too long
     */
    void giveWay(final long misses) {
        if (misses == 0 || misses % POLLS_BEFORE_YIELD != 0) {
            return;
        }
        Thread.yield();
        final long now = System.nanoTime();
        if (misses == POLLS_BEFORE_YIELD) {
            waitBegan = now;
        } else if (patience > 0 && now - waitBegan > patience) {
            throw new TransportException("nothing has come from rank " + (1 - world.rank()) + " over "
                    + port.context().device().name() + " for " + patience / 1_000_000_000L
                    + " s (silence.timeout): an emulated device may turn RDMA WRITE and READ into a SEND;"
                    + " try send_lat, and parley perf -v for what became of the other rank");
        }
    }

    long received() {
        return received;
    }

    long completed() {
        return completed;
    }

    /** Writes what is counted: post calls, sends, polls, empty polls, bytes that this thread has allocated. */
    void count(final long[] into) {
        into[0] = posts;
        into[1] = workRequests;
        into[2] = polls;
        into[3] = emptyPolls;
        into[4] = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    @Override
    public void close() {
        queuePair.close();
        if (addressHandle != 0) {
            port.context().destroyAddressHandle(addressHandle);
        }
        port.context().destroyCompletionQueue(completionQueue);
        port.context().deregister(region);
        dataPath.close();
        UnsafeApi.freeMemory(pages);
        UnsafeApi.freeMemory(requests);
        UnsafeApi.freeMemory(elements);
        UnsafeApi.freeMemory(completions);
    }
}
