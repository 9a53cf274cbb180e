package org.parley.transport;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.parley.transport.Greeting.Verdict;

/**
 * How a rank introduces itself to its peers, and which connection is a pair's: of those that both ends
 * make, one. Links of a pair are numbered by their epoch, from 1 on; a later one replaces an earlier one,
 * which its other end may not have seen fail. Where both call at once, the lower rank's call stands.
 *
 * <p>One thread: the one that makes connections.
 */
public final class Introductions {
    private final long magic;
    private final TransportContext context;
    private final boolean encrypts;
    private final long job;
    private final long incarnation =
            ByteBuffer.wrap(JobSecret.random(Long.BYTES)).getLong();
    private final Map<Integer, Pair> pairs = new HashMap<>();

    /** This rank and a peer. */
    private static final class Pair {
        /** Of the link that is the pair's; 0: none yet. */
        private int epoch;

        /** The highest that this rank has called for. */
        private int called;

        /** The peer's. */
        private long incarnation;

        /** There will be no link any more. */
        private boolean finished;
    }

    /**
     * Makes it.
     *
     * @param magic which protocol is spoken
     * @param context where this rank is
     * @param encrypts whether TLS follows
     */
    public Introductions(final long magic, final TransportContext context, final boolean encrypts) {
        this.magic = magic;
        this.context = context;
        this.encrypts = encrypts;
        job = RankAddress.jobNumber(context.job());
    }

    private Pair pair(final int rank) {
        return pairs.computeIfAbsent(rank, key -> new Pair());
    }

    /**
     * Greets a rank that is called, for a link of its own epoch.
     *
     * @param rank who is called
     */
    public Greeting hello(final int rank) {
        final Pair pair = pair(rank);
        pair.called = Math.max(pair.called, pair.epoch) + 1;
        return greeting(Verdict.WELCOME, rank, pair.called);
    }

    /**
     * Answers a greeting.
     *
     * @param verdict what is made of it
     * @param hello the caller's
     */
    public Greeting answer(final Verdict verdict, final Greeting hello) {
        return greeting(verdict, hello.from(), hello.epoch());
    }

    private Greeting greeting(final Verdict verdict, final int to, final int epoch) {
        return new Greeting(
                magic,
                Protocol.version(),
                encrypts,
                verdict,
                job,
                context.rank(),
                to,
                incarnation,
                epoch,
                JobSecret.random(Greeting.NONCE_BYTES));
    }

    /**
     * Reads a greeting.
     *
     * @param bytes what was said
     * @return null if it is none of this protocol
     */
    public Greeting read(final byte[] bytes) {
        return Greeting.decode(magic, bytes);
    }

    /**
     * Looks at what a caller says of itself, before it has proven anything.
     *
     * @param hello what it said
     */
    public Verdict judge(final Greeting hello) {
        if (hello.version() != Protocol.version()) {
            return Verdict.VERSION;
        }
        if (hello.job() != job) {
            return Verdict.JOB;
        }
        if (hello.encrypts() != encrypts) {
            return Verdict.ENCRYPTION;
        }
        final boolean isRank = hello.from() >= 0 && hello.from() < context.size() && hello.from() != context.rank();
        return isRank && hello.to() == context.rank() && hello.epoch() > 0 ? Verdict.WELCOME : Verdict.RANK;
    }

    /**
     * Looks at what the called one answers.
     *
     * @param answer what it said, or null: no greeting
     * @return null if all is well, or why this call comes to nothing, now and later
     */
    public String objection(final Greeting answer) {
        if (answer == null) {
            return "what listens there is no rank of a parley job";
        }
        if (answer.verdict() == Verdict.VERSION || answer.version() != Protocol.version()) {
            return "it speaks version " + answer.version() + " of the protocol, this rank " + Protocol.version()
                    + ": all ranks need the same parley jars";
        }
        if (answer.verdict() != Verdict.WELCOME) {
            return answer.verdict().text();
        }
        return answer.encrypts() == encrypts ? null : Verdict.ENCRYPTION.text();
    }

    /**
     * Decides whether the connection of a caller that has proven itself is the pair's from now on.
     *
     * @param hello what it said
     * @param ownStands whether this rank is calling it, too, and may still succeed
     * @return {@link Verdict#WELCOME}, {@link Verdict#GLARE}, {@link Verdict#DUPLICATE} or {@link Verdict#GONE}
     */
    public Verdict admit(final Greeting hello, final boolean ownStands) {
        final Pair pair = pair(hello.from());
        if (pair.finished) {
            return Verdict.GONE;
        }
        if (isAnother(hello) || hello.epoch() <= pair.epoch) {
            return Verdict.DUPLICATE;
        }
        if (ownStands && context.rank() < hello.from()) {
            return Verdict.GLARE;
        }
        pair.epoch = hello.epoch();
        pair.incarnation = hello.incarnation();
        return Verdict.WELCOME;
    }

    /**
     * A call of this rank was welcomed: the pair's connection, unless a later one was admitted meanwhile.
     *
     * @param answer the greeting of the called one, which has proven itself
     */
    public boolean admitOwn(final Greeting answer) {
        final Pair pair = pair(answer.from());
        if (pair.finished || answer.epoch() <= pair.epoch) {
            return false;
        }
        pair.epoch = answer.epoch();
        pair.incarnation = answer.incarnation();
        return true;
    }

    /**
     * Whether a rank that has proven itself is another process than the one that there was a link with.
     *
     * @param greeting what it said
     */
    public boolean isAnother(final Greeting greeting) {
        final Pair pair = pair(greeting.from());
        return pair.epoch > 0 && pair.incarnation != greeting.incarnation();
    }

    /**
     * Returns the epoch of the pair's link, 0 if there was none yet.
     *
     * @param rank the peer's
     */
    public int epoch(final int rank) {
        return pair(rank).epoch;
    }

    /**
     * There will be no link with a rank any more: it is told so when it calls.
     *
     * @param rank the peer's
     */
    public void finish(final int rank) {
        pair(rank).finished = true;
    }
}
