package org.parley.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.parley.ParleyException;
import org.parley.PeerFailedException;
import org.parley.ThreadLevel;
import org.parley.config.Options;
import org.parley.transport.Transport;
import org.parley.wireup.LongWait;
import org.parley.wireup.Place;
import org.parley.wireup.Ruling;

/**
 * A rank's messaging: one loop, driven by whoever calls, and the state it moves.
 *
 * <p><b>Threads.</b> All state belongs to the holder of the progress word, taken by {@link #enter}
 * and given back by {@link #exit}: two stores per call; with {@link ThreadLevel#MULTIPLE} a
 * compare-and-set, and a waiting thread gives the word up between its looks. Only {@link #peerLeft},
 * {@link #peerDied}, {@link #told}, {@link #tick}, {@link #currentWait} and {@link #counters} may be called by any
 * thread.
 */
public final class Engine implements AutoCloseable {
    /** In a receive: any source, or any tag. */
    public static final int ANY = MatchingEngine.ANY;

    private static final int POLL_LIMIT = 64;
    private static final String LEFT = "has left the job";
    private static final int MOST_TURNS = 1 << 20; // more than a ring has frames, while others may send without end
    private static final long ACK_NANOS = 1_000_000_000;

    /** Calls that overlap where they may not are an error of the program, which must not hang for it. */
    private static final long OVERLAP_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Engine.class, "word", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** 0: free; 1: some thread is inside. */
    @SuppressWarnings("unused")
    private volatile int word;

    /**
     * Set under the word while a user's function runs: a call from within it would wait for itself.
     */
    private Thread userCode;

    private volatile boolean closed;

    private final boolean multiple;
    private final int rank;
    final Links links;
    private final BlockPool blocks = new BlockPool();
    final OperationPool operations = new OperationPool();
    private final MatchingEngine matching = new MatchingEngine();
    private final Payload scratch = new Payload();
    private final Scratch scratchArrays = new Scratch();
    private final Checks checks;
    private final Counts counts = new Counts();
    private final Sender sender;
    private final Receiver receiver;
    private final Idle idle;
    private final Transport[] transports;

    private final Peers peers = new Peers();
    private final Survivors survivors;
    private final News news = new News();
    private final Stalls stalls;

    /** Null unless the JVM records. Set by any thread, and seen by others some time later. */
    Recorder recorder;

    private final Waits waits;
    private final BufferedSends buffered;

    /**
     * Makes a rank's engine and joins it with its peers.
     *
     * @param place the rank's place in its job
     * @param options all options
     * @param level which threads will call
     */
    public Engine(final Place place, final Options options, final ThreadLevel level) {
        this.multiple = level == ThreadLevel.MULTIPLE;
        this.buffered = new BufferedSends(blocks, options.number(Options.BUFFERED_LIMIT));
        this.checks = options.flag(Options.CHECK) ? new Checks() : null;
        this.sender = new Sender(this, options.number(Options.EAGER_WINDOW), buffered, checks, counts);
        this.receiver = new Receiver(this, sender, operations, matching, blocks, checks, counts);
        this.links = new Links(place, options, receiver, counts);
        this.transports = links.transports();
        if (place.wantsMap()) {
            place.tellMap(links.map());
        }
        this.rank = place.rank();
        this.recorder = Recorder.ifRecording(rank);
        this.stalls = new Stalls(this, peers, counts, rank, options.number(Options.STALL_WARNING));
        this.survivors = new Survivors(this, place, options);
        this.waits = new Waits(place, multiple);
        this.idle = new Idle(multiple || place.sharesCores());
    }

    /** Takes the progress word. */
    public void enter() {
        if (!tryEnter()) {
            enterContended();
        }
        news.take();
    }

    /** Below MULTIPLE the program sees to it that calls do not meet, so a plain store does. */
    private boolean tryEnter() {
        if (multiple) {
            return WORD.compareAndSet(this, 0, 1);
        }
        if (word != 0) {
            return false;
        }
        WORD.setRelease(this, 1);
        return true;
    }

    private void enterContended() {
        long entered = 0;
        for (int spins = 0; !tryEnter(); spins++) {
            if (closed) {
                throw new IllegalStateException("this Parley has been closed: no call is possible any more");
            }
            if (userCode == Thread.currentThread()) {
                throw new IllegalStateException(
                        "a user-defined operation may not call the library (MPI-3.1 section 5.9.5)");
            }
            if (spins < 100) {
                entered = System.nanoTime();
                Thread.onSpinWait();
            } else if (multiple || System.nanoTime() - entered < OVERLAP_NANOS) {
                Thread.yield();
            } else {
                throw new IllegalStateException("another thread of this rank has long been in a call: calls that"
                        + " overlap need Parley.init(ThreadLevel.MULTIPLE)");
            }
        }
    }

    /** Gives the progress word back. */
    public void exit() {
        WORD.setRelease(this, 0);
    }

    /** Marks that a user's function runs under the word, on this thread; null: it has ended. */
    void userCode(final Thread thread) {
        userCode = thread;
    }

    /** Returns the arrays that reductions pass through. */
    Scratch scratchArrays() {
        return scratchArrays;
    }

    /** Returns a payload for a call that ends before it gives the word back. */
    public Payload scratch() {
        return scratch;
    }

    // --- sends -----------------------------------------------------------------------------

    /**
     * Sends a standard message if that needs no waiting.
     *
     * @param later whether it may wait for others: a caller who waits for it calls {@link #await}
     * @return false if it must be started as an operation
     */
    public boolean sendNow(
            final Session session,
            final int context,
            final int source,
            final int tag,
            final Payload payload,
            final boolean later) {
        if (session.endpoint == null || session.failure != null) {
            connected(session);
        }
        return sender.sendNow(session, context, source, tag, payload, later);
    }

    /**
     * Makes a send; {@link #start(SendOperation)} starts it, {@link #recycle} takes it back.
     *
     * @param session the peer
     * @param dest the peer's rank in the communicator
     * @param sync whether it ends only when matched
     */
    public SendOperation newSend(
            final Session session,
            final int context,
            final int source,
            final int dest,
            final int tag,
            final Payload payload,
            final boolean sync) {
        connected(session);
        final SendOperation op = operations.send();
        op.session = session;
        op.context = context;
        op.source = source;
        op.dest = dest;
        op.tag = tag;
        op.sync = sync;
        op.payload.set(payload);
        return op;
    }

    /** Says who is told of an operation's end, before it is started. */
    public void complete(final Operation op, final Completion completion) {
        op.completion = completion;
    }

    /** Starts a send. */
    public void start(final SendOperation op) {
        sender.start(op);
    }

    /**
     * Replaces a send's payload by a copy of it, which is given back when the data has gone.
     *
     * @param limited whether the limit of buffered sends holds
     * @throws ParleyException if buffered sends under way would exceed {@code buffered.limit}
     */
    public void copyForBuffered(final SendOperation op, final boolean limited) {
        try {
            buffered.copy(op, limited);
        } catch (final ParleyException e) {
            recycle(op);
            throw e;
        }
    }

    // --- receives --------------------------------------------------------------------------

    /**
     * Makes a receive.
     *
     * @param session the peer, or null for any source
     * @param group who is any source
     */
    public ReceiveOperation newReceive(
            final Session session,
            final Group group,
            final int context,
            final int source,
            final int tag,
            final Payload payload) {
        final ReceiveOperation op = newReceive(session, context, source, tag);
        if (session == null) {
            op.group = group;
        }
        op.payload.set(payload);
        return op;
    }

    /** Makes a receive whose payload the caller sets. */
    ReceiveOperation newReceive(final Session session, final int context, final int source, final int tag) {
        final ReceiveOperation op = operations.receive();
        op.session = session;
        op.context = context;
        op.source = source;
        op.tag = tag;
        return op;
    }

    /** Starts a receive. What has arrived is still received from a peer that is gone. */
    public void start(final ReceiveOperation op) {
        final long id = op.id();
        receiver.start(op);
        if (op.queue != null && isGone(op.session, op.group)) {
            if (op.session == null) {
                // What this rank has sent to itself may still be under way.
                doAllWork();
            }
            if (op.id() == id && op.queue != null) {
                matching.cancel(op);
                op.fail(survivors.noneCanCome(op.session, op.group));
            }
        }
    }

    /** Starts a receive of a message that was taken by {@link #find}. */
    public void startMatched(final ReceiveOperation op, final UnexpectedMessage message) {
        final long room = op.payload.bytes();
        if (message.bytes() > room) {
            recycle(op);
            throw new IllegalArgumentException(
                    "the message has %d bytes, the buffer %d; the message can still be received"
                            .formatted(message.bytes(), room));
        }
        receiver.deliver(op, message);
    }

    /**
     * Finds a message that has arrived and that no receive has matched.
     *
     * @param take whether to take it out, for {@link #startMatched}
     * @return the message or null
     */
    public UnexpectedMessage find(final int context, final int source, final int tag, final boolean take) {
        final UnexpectedMessage message = matching.find(context, source, tag);
        if (message != null && take) {
            matching.remove(message);
        }
        return message;
    }

    /**
     * Whether nothing can come any more from a peer; for null, from any of a group: all are gone, or
     * one has failed of which the program does not know, whose message might be the one that is waited for.
     */
    public boolean isGone(final Session session, final Group group) {
        return session == null ? survivors.isDeserted(group) : session.failure != null;
    }

    /** Whether a look for messages of any source may find that there can be none. */
    public boolean hasLosses(final Group group) {
        return peers.dead() != null || group.closed() != null;
    }

    /** Throws if a message was looked for in vain because its sender is gone. */
    public void checkAlive(final Session session, final Group group, final boolean inVain) {
        if (inVain && isGone(session, group)) {
            throw survivors.noneCanCome(session, group);
        }
    }

    /** Cancels a receive that has not matched; it then ends as cancelled. */
    public void cancel(final ReceiveOperation op) {
        if (matching.cancel(op)) {
            op.cancelled = true;
            op.finish();
        }
    }

    /** Takes an ended operation back, however it ended. */
    public void recycle(final Operation op) {
        if (op instanceof SendOperation send) {
            sender.release(send);
        }
        operations.recycle(op);
    }

    /** Returns native working memory of the library, to be given back by {@link #giveBlock}. */
    long takeBlock(final long bytes) {
        return blocks.take(bytes);
    }

    void giveBlock(final long block) {
        blocks.give(block);
    }

    // --- progress --------------------------------------------------------------------------

    /** Moves everything on, once; returns how much was done. */
    public int doWork() {
        int work = 0;
        for (final Transport transport : transports) {
            work += transport.poll(POLL_LIMIT);
        }
        work += sender.polled();
        news.take();
        if (!peers.leaving().isEmpty()) {
            endThoseWhoLeft();
        }
        return work;
    }

    private void doAllWork() {
        for (int turns = 0; turns < MOST_TURNS && doWork() != 0; turns++) {
            Thread.onSpinWait();
        }
    }

    /** Whether something that was sent may wait for others: {@link #await} ends that. */
    public boolean holdsBack() {
        return sender.waits();
    }

    /** Waits, under the word, until something is done. */
    public void await(final Pending pending) {
        if (sender.waits()) {
            doWork();
        }
        if (multiple) {
            while (!pending.isDone()) {
                turn(pending);
            }
        } else {
            // The word stays here: nobody else wants it, or may wait for it.
            while (!pending.isDone()) {
                if (doWork() != 0) {
                    idle.reset();
                } else if (idle.turn()) {
                    waits.note(pending);
                }
            }
            idle.reset();
        }
        waits.over();
    }

    /** With MULTIPLE: one look and, if nothing was done, one idle turn, during which others may enter. */
    private void turn(final Pending pending) {
        if (doWork() != 0) {
            idle.reset();
            return;
        }
        exit();
        final boolean isLong = idle.turn();
        enter();
        if (isLong) {
            waits.note(pending);
        }
    }

    /** Some time has passed, about 2 s: has something that should. Any thread. */
    public void tick() {
        if (recorder == null) {
            recorder = Recorder.ifRecording(rank);
        }
        stalls.order(news);
    }

    /** Returns what the rank has been waiting for since a while, or null. Any thread. */
    public LongWait currentWait() {
        return waits.current();
    }

    // --- peers -----------------------------------------------------------------------------

    /** Returns the session with a rank of the job's world. */
    public Session session(final int rank) {
        return peers.ofRank(rank);
    }

    Peers peers() {
        return peers;
    }

    /** Returns what becomes of communicators when members fail; under the word. */
    public Survivors survivors() {
        return survivors;
    }

    /** The job's arbiter has told something; null: it is gone. Any thread. */
    public void told(final Ruling ruling) {
        news.tell(() -> survivors.told(ruling));
    }

    /** Ends what waits under a context. */
    void close(final int context, final ParleyException cause) {
        receiver.close(context, cause);
        peers.forEach(session -> sender.close(session, context, cause));
    }

    Session sessionOf(final int peer) {
        return peers.ofIndex(peer);
    }

    /** Sees to it that a session has an endpoint; throws if the peer is gone. */
    void connected(final Session session) {
        if (session.failure != null) {
            throw failed(session);
        }
        if (session.endpoint == null) {
            links.connect(session);
        }
    }

    /**
     * The same for answers, which no call asked for: false if the peer is gone. What waits for it ends with the word of
     * that, which may be still to come.
     */
    boolean isConnected(final Session session) {
        if (session.endpoint == null && session.failure == null) {
            try {
                links.connect(session);
            } catch (final PeerFailedException e) {
                return false;
            }
        }
        return session.failure == null;
    }

    PeerFailedException failed(final Session session) {
        final int rank = session.rank();
        return new PeerFailedException(
                rank, "rank %d (%s, over %s) %s".formatted(rank, links.host(rank), session.transport, session.failure));
    }

    /** A rank has left the job by {@code close}: what it has sent is still received. Any thread. */
    public void peerLeft(final int rank) {
        news.tell(() -> {
            // It flushed before it left, so everything is here, or in a ring to be read, or on the wire.
            doAllWork();
            peers.leaving().add(session(rank));
            endThoseWhoLeft();
        });
    }

    private void endThoseWhoLeft() {
        for (final Session session : List.copyOf(peers.leaving())) {
            if (!links.mayDeliver(session)) {
                end(session, LEFT, false);
            }
        }
    }

    /** A rank has failed. Any thread. */
    public void peerDied(final int rank, final String cause) {
        news.tell(() -> {
            // What it has sent before is still received.
            doAllWork();
            final Session session = session(rank);
            end(session, cause, survivors.continues() || !peers.leaving().contains(session));
        });
    }

    void peerFailed(final Session session, final String cause) {
        // What ends the wire of one that has left is no failure.
        final boolean hasLeft = peers.leaving().contains(session);
        if (end(session, hasLeft ? LEFT : cause, !hasLeft) && !hasLeft) {
            survivors.suspects(session, cause);
        }
    }

    /** Returns whether it is news. */
    private boolean end(final Session session, final String cause, final boolean hasFailed) {
        final boolean isNews = peers.end(session, cause, hasFailed);
        // With a farewell, because of an exception: others may wait for what it would have sent.
        final boolean isLater = hasFailed && survivors.continues() && peers.failedLater(session, cause);
        if (!isNews && !isLater) {
            return false;
        }
        counts.peersFailed += hasFailed ? 1 : 0;
        final PeerFailedException failure = failed(session);
        if (hasFailed) {
            survivors.failed(session, failure);
        }
        sender.fail(session, failure);
        receiver.fail(session, failure);
        operations.failAll(session, failure);
        if (isNews) {
            links.drop(session);
        }
        return isNews;
    }

    /** Sends everything that is under way, unless nothing moves for that long; then the rank may leave. */
    public void flush(final long nanos) {
        await(new Flush(
                () -> !sender.isBusy() && !operations.hasSends() && peers.areFlushed(false),
                peers::acknowledged,
                nanos));
        // A peer that computes acknowledges nothing, but has it: wires end only behind what they carry.
        await(new Flush(() -> peers.areFlushed(true), peers::acknowledged, Math.min(nanos, ACK_NANOS)));
    }

    /** Whether this is checked mode. */
    public boolean isChecked() {
        return checks != null;
    }

    /** Returns what was counted, as {@link org.parley.wireup.Counters} has it. Any thread, so it may lag behind. */
    public String counters() {
        return counts.text(transports);
    }

    /** Returns the transport that carries messages to a session's peer, once connected. */
    public String transportTo(final Session session) {
        connected(session);
        return session.transport;
    }

    /** Keeps the word for ever: memory that calls would touch is unmapped. */
    @Override
    public void close() {
        enter();
        closed = true;
        links.close();
        blocks.close();
    }
}
