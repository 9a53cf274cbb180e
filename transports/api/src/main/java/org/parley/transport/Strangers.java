package org.parley.transport;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.parley.transport.Greeting.Verdict;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those who have connected and not proven yet that they are of the job: few at a time, the oldest goes
 * first. One thread's, but for the counters.
 *
 * @param <C> a connection
 */
public final class Strangers<C> {
    /** More than this wait at no time; whoever is of the job needs a millisecond. */
    public static final int MOST = 64;

    private static final Logger LOGGER = LoggerFactory.getLogger(Strangers.class);
    private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * Who was refused, by kind.
     *
     * @param noise who did not even greet
     * @param versions who speaks another version, or encrypts where this rank does not
     * @param otherJobs who is of another job, or no rank of this one
     * @param wrongSecrets who has no secret
     * @param crowd who had to make room for others
     */
    public record Counters(long noise, long versions, long otherJobs, long wrongSecrets, long crowd) {
        /** Returns how many those are. */
        public long all() {
            return noise + versions + otherJobs + wrongSecrets + crowd;
        }
    }

    private final String transport;
    private final Function<C, String> name;
    private final Consumer<C> hangUp;
    private final Set<C> waiting = new LinkedHashSet<>();
    private volatile Counters counters = new Counters(0, 0, 0, 0, 0);
    private long lastLog = System.nanoTime() - LOG_NANOS;

    /**
     * Makes it.
     *
     * @param transport whose strangers they are, for the log
     * @param name says where a connection comes from, and where it came to
     * @param hangUp ends a connection
     */
    public Strangers(final String transport, final Function<C, String> name, final Consumer<C> hangUp) {
        this.transport = transport;
        this.name = name;
        this.hangUp = hangUp;
    }

    /** Returns what was counted; any thread. */
    public Counters counters() {
        return counters;
    }

    /**
     * Somebody has connected.
     *
     * @param connection by this
     */
    public void arrived(final C connection) {
        waiting.add(connection);
        if (waiting.size() > MOST) {
            final Iterator<C> oldest = waiting.iterator();
            final C dropped = oldest.next();
            oldest.remove();
            count(0, 0, 0, 0, 1);
            log(dropped, "too many wait");
            hangUp.accept(dropped);
        }
    }

    /**
     * It has proven that it is of the job.
     *
     * @param connection whose
     */
    public void known(final C connection) {
        waiting.remove(connection);
    }

    /**
     * It is turned away.
     *
     * @param connection whose
     * @param verdict why
     */
    public void refused(final C connection, final Verdict verdict) {
        waiting.remove(connection);
        switch (verdict) {
            case VERSION, ENCRYPTION -> count(0, 1, 0, 0, 0);
            case SECRET -> count(0, 0, 0, 1, 0);
            default -> count(0, 0, 1, 0, 0);
        }
        log(connection, "refused: " + verdict);
    }

    /**
     * Ended before its time.
     *
     * @param connection whose
     * @param why for the log
     * @param isStrange whether it did not even greet: a rank may give up a call of its own
     */
    public void failed(final C connection, final String why, final boolean isStrange) {
        if (waiting.remove(connection) && isStrange) {
            count(1, 0, 0, 0, 0);
            log(connection, why);
        }
    }

    /**
     * Hung up before it greeted, as a port scan does, but a rank whose connection was cut, too.
     *
     * @param connection whose
     * @param why for the log
     */
    public void hungUp(final C connection, final String why) {
        if (waiting.remove(connection)) {
            count(1, 0, 0, 0, 0);
            LOGGER.debug("{}: {} hung up before it greeted ({})", transport, name.apply(connection), why);
        }
    }

    private void count(final int noise, final int versions, final int jobs, final int secrets, final int crowd) {
        final Counters old = counters;
        counters = new Counters(
                old.noise + noise,
                old.versions + versions,
                old.otherJobs + jobs,
                old.wrongSecrets + secrets,
                old.crowd + crowd);
    }

    /** A line a minute: a port scan fills no disk. */
    private void log(final C connection, final String why) {
        final long now = System.nanoTime();
        if (now - lastLog >= LOG_NANOS) {
            lastLog = now;
            LOGGER.warn(
                    "{}: a stranger from {} was turned away ({}); {} so far",
                    transport,
                    name.apply(connection),
                    why,
                    counters.all());
        }
    }
}
