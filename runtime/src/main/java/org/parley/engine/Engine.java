package org.parley.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.collections.Int2ObjectHashMap;
import org.parley.ParleyException;
import org.parley.PeerFailedException;
import org.parley.ThreadLevel;
import org.parley.config.Options;
import org.parley.transport.Transport;
import org.parley.wireup.Place;

/**
 * A rank's messaging: one loop, driven by whoever calls, and the state it moves.
 *
 * <p><b>Threads.</b> All state belongs to the holder of the progress word, taken by {@link #enter}
 * and given back by {@link #exit}: two stores per call; with {@link ThreadLevel#MULTIPLE} a
 * compare-and-set, and a waiting thread gives the word up between its looks. Only {@link #peerLeft},
 * {@link #peerDied} and {@link #currentWait} may be called by any thread.
 */
public final class Engine implements AutoCloseable {
    /** In a receive: any source, or any tag. */
    public static final int ANY = MatchingEngine.ANY;

    private static final int POLL_LIMIT = 64;
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

    /** The next context that no communicator of this rank has. */
    private int nextContext = 2;

    private final boolean multiple;
    private final Links links;
    private final BlockPool blocks = new BlockPool();
    private final OperationPool operations = new OperationPool();
    private final MatchingEngine matching = new MatchingEngine();
    private final Payload scratch = new Payload();
    private final Scratch scratchArrays = new Scratch();
    private final Sender sender;
    private final Receiver receiver;
    private final Idle idle;
    private final Transport[] transports;

    private final List<Session> sessions = new ArrayList<>();
    private final Int2ObjectHashMap<Session> sessionOfRank = new Int2ObjectHashMap<>();
    private final ArrayList<Session> busy = new ArrayList<>();
    private final Place place;

    private final ConcurrentLinkedQueue<Runnable> news = new ConcurrentLinkedQueue<>();
    private volatile boolean hasNews;
    private int gone;

    /** The first peer that has failed, rather than left, or null. */
    private Session dead;

    private final long bufferedLimit;
    private long buffered;

    private volatile String waitingFor;
    private long unexpectedArrivals;

    /**
     * Makes a rank's engine and joins it with its peers.
     *
     * @param place the rank's place in its job
     * @param options all options
     * @param level which threads will call
     */
    public Engine(final Place place, final Options options, final ThreadLevel level) {
        this.place = place;
        this.multiple = level == ThreadLevel.MULTIPLE;
        this.bufferedLimit = options.number(Options.BUFFERED_LIMIT);
        this.sender = new Sender(this, (int) options.number(Options.EAGER_WINDOW));
        this.receiver = new Receiver(this, sender, operations, matching, blocks);
        this.links = new Links(place, options, receiver);
        this.transports = links.transports();
        this.idle = new Idle(multiple || place.sharesCores());
    }

    /** Takes the progress word. */
    public void enter() {
        if (!tryEnter()) {
            enterContended();
        }
        if (hasNews) {
            takeNews();
        }
    }

    /**
     * Below MULTIPLE the program sees to it that calls do not meet, so a plain store does.
     */
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
        for (int spins = 0; !tryEnter(); spins++) {
            if (closed) {
                throw new IllegalStateException("this Parley has been closed: no call is possible any more");
            }
            if (userCode == Thread.currentThread()) {
                throw new IllegalStateException(
                        "a user-defined operation may not call the library (MPI-3.1 section 5.9.5)");
            }
            if (spins < 100) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
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
     * @return false if it must be started as an operation
     */
    public boolean sendNow(
            final Session session, final int context, final int source, final int tag, final Payload payload) {
        if (session.endpoint == null || session.failure != null) {
            connected(session);
        }
        return sender.sendNow(session, context, source, tag, payload);
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
        final long bytes = op.payload.bytes();
        if (limited && bytes > bufferedLimit - buffered) {
            recycle(op);
            throw new ParleyException("a buffered send of "
                    + bytes
                    + " bytes does not fit: "
                    + buffered
                    + " of "
                    + bufferedLimit
                    + " bytes are in use; receive sooner, or raise it with"
                    + " --set "
                    + Options.BUFFERED_LIMIT
                    + "=SIZE");
        }
        buffered += bytes;
        op.block = blocks.take(Math.max(1, bytes));
        op.payload.copyOut(0, op.block, bytes);
        op.payload.nativeMemory(op.block, bytes);
    }

    void releaseBuffered(final long block, final long bytes) {
        buffered -= bytes;
        blocks.give(block);
    }

    // --- receives --------------------------------------------------------------------------

    /**
     * Makes a receive.
     *
     * @param session the peer, or null for any source
     */
    public ReceiveOperation newReceive(
            final Session session, final int context, final int source, final int tag, final Payload payload) {
        final ReceiveOperation op = operations.receive();
        op.session = session;
        op.context = context;
        op.source = source;
        op.tag = tag;
        op.payload.set(payload);
        return op;
    }

    /** Starts a receive. What has arrived is still received from a peer that is gone. */
    public void start(final ReceiveOperation op) {
        final long id = op.id();
        receiver.start(op);
        if (op.queue != null && isGone(op.session)) {
            if (op.session == null) {
                // What this rank has sent to itself may still be under way.
                doAllWork();
            }
            if (op.id() == id && op.queue != null) {
                matching.cancel(op);
                op.fail(noneCanCome(op.session));
            }
        }
    }

    /** Starts a receive of a message that was taken by {@link #find}. */
    public void startMatched(final ReceiveOperation op, final UnexpectedMessage message) {
        final long room = op.payload.bytes();
        if (message.bytes() > room) {
            recycle(op);
            throw new IllegalArgumentException("the message has "
                    + message.bytes()
                    + " bytes, the buffer "
                    + room
                    + "; the message can still be received");
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
     * Whether nothing can come any more from a peer; for null, from any: all are gone, or one has
     * failed, whose message might be the one that is waited for.
     */
    public boolean isGone(final Session session) {
        return session == null ? dead != null || gone > 0 && gone == place.size() - 1 : session.failure != null;
    }

    /** Whether a peer has failed, rather than left. */
    public boolean hasDead() {
        return dead != null;
    }

    /** Throws if a message was looked for in vain because its sender is gone. */
    public void checkAlive(final Session session, final boolean inVain) {
        if (inVain && isGone(session)) {
            throw noneCanCome(session);
        }
    }

    private ParleyException noneCanCome(final Session session) {
        if (session == null && dead == null) {
            return new ParleyException("nothing can come from any source: all other ranks are gone");
        }
        return failed(session == null ? dead : session);
    }

    /** Cancels a receive that has not matched; it then ends as cancelled. */
    public void cancel(final ReceiveOperation op) {
        if (matching.cancel(op)) {
            op.cancelled = true;
            op.finish();
        }
    }

    /** Takes an ended operation back. */
    public void recycle(final Operation op) {
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
        if (!busy.isEmpty()) {
            work += flushBusy();
        }
        if (hasNews) {
            takeNews();
        }
        return work;
    }

    private void doAllWork() {
        while (doWork() != 0) {
            Thread.onSpinWait();
        }
    }

    /** Waits, under the word, until something is done. */
    public void await(final Pending pending) {
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
                    waitsFor(pending);
                }
            }
            idle.reset();
        }
        if (waitingFor != null) {
            waitingFor = null;
            place.waiting(null);
        }
    }

    /** One look and, if nothing was done, one idle turn, during which others may enter. */
    public void turn(final Pending pending) {
        if (doWork() != 0) {
            idle.reset();
            return;
        }
        if (!multiple) {
            if (idle.turn()) {
                waitsFor(pending);
            }
            return;
        }
        exit();
        final boolean isLong = idle.turn();
        enter();
        if (isLong) {
            waitsFor(pending);
        }
    }

    private void waitsFor(final Pending pending) {
        waitingFor = pending.describe();
        place.waiting(waitingFor);
    }

    /** Returns what the rank has been waiting for since a while, or null. Any thread. */
    public String currentWait() {
        return waitingFor;
    }

    private int flushBusy() {
        int work = 0;
        for (int i = 0; i < busy.size(); ) {
            final Session session = busy.get(i);
            work += session.failure == null ? sender.flush(session) : 0;
            if (session.hasWork() && session.failure == null) {
                i++;
            } else {
                session.busy = false;
                busy.remove(i);
            }
        }
        return work;
    }

    void hasWork(final Session session) {
        if (!session.busy) {
            session.busy = true;
            busy.add(session);
        }
    }

    void arrivedUnexpected() {
        unexpectedArrivals++;
    }

    // --- peers -----------------------------------------------------------------------------

    /**
     * Returns the session with a rank of the job's world.
     *
     * @param rank the rank
     */
    public Session session(final int rank) {
        Session session = sessionOfRank.get(rank);
        if (session == null) {
            session = new Session(sessions.size(), rank);
            sessions.add(session);
            sessionOfRank.put(rank, session);
        }
        return session;
    }

    Session sessionOf(final int peer) {
        return sessions.get(peer);
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

    PeerFailedException failed(final Session session) {
        return new PeerFailedException(
                session.rank(),
                "rank "
                        + session.rank()
                        + " ("
                        + links.host(session.rank())
                        + ", over "
                        + session.transport
                        + ") "
                        + session.failure);
    }

    /** A rank has left the job by {@code close}: what it has sent is still received. Any thread. */
    public void peerLeft(final int rank) {
        tell(() -> {
            // It flushed before it left, so everything is here, or in a ring to be read.
            doAllWork();
            end(session(rank), "has left the job", gone + 1 == place.size() - 1);
        });
    }

    /** A rank has failed. Any thread. */
    public void peerDied(final int rank, final String cause) {
        tell(() -> peerFailed(session(rank), cause));
    }

    private void tell(final Runnable what) {
        news.add(what);
        hasNews = true;
    }

    private void takeNews() {
        hasNews = false;
        for (Runnable item; (item = news.poll()) != null; ) {
            item.run();
        }
    }

    void peerFailed(final Session session, final String cause) {
        if (dead == null && session.failure == null) {
            dead = session;
        }
        end(session, cause, true);
    }

    private void end(final Session session, final String cause, final boolean wildcardsToo) {
        if (session.failure != null) {
            return;
        }
        gone++;
        session.failure = cause;
        final PeerFailedException failure = failed(session);
        sender.fail(session, failure);
        receiver.fail(session, failure, wildcardsToo);
        operations.failAll(session, failure);
    }

    /** Sends everything that is under way, for at most that long; then the rank may leave. */
    public void flush(final long nanos) {
        final long start = System.nanoTime();
        final Pending nothingUnderWay = new Pending() {
            @Override
            public boolean isDone() {
                return busy.isEmpty() && !operations.hasSends() || System.nanoTime() - start > nanos;
            }

            @Override
            public String describe() {
                return "close: sending what is under way";
            }
        };
        await(nothingUnderWay);
    }

    /** Returns the next context that no communicator of this rank has; contexts come in pairs. */
    public int nextContext() {
        return nextContext;
    }

    /** Takes contexts, up to and with {@code context} + 1, that all members agreed on. */
    public void useContext(final int context) {
        nextContext = context + 2;
    }

    /** Returns how many messages arrived before their receive. */
    public long unexpectedArrivals() {
        return unexpectedArrivals;
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
