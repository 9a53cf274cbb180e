package org.parley.transport.verbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.parley.transport.Interfaces;
import org.parley.transport.Reason;

/**
 * A call to a rank: its addresses in turn, again and again until one answers or the time is over. Where there was a link before, whoever
 * cannot be reached is tried more and more seldom, unless no process listens there any more. The control thread's.
 */
final class RcCall {
    /** After this the next address is tried. */
    private static final long NEXT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** After this a rank is called again that was calling itself, or was too busy to answer. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    // Of a rank that there was a link with.
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final RcConnector connector;
    private final int rank;
    private final List<InetSocketAddress> addresses;
    private final long began = System.nanoTime();
    private final long timeoutNanos;
    private final boolean isAgain;
    private long pause = FIRST_PAUSE_NANOS;

    /** Whether nobody listened at any address that was tried in this round. */
    private boolean isDeserted = true;

    private final Map<String, String> tried = new LinkedHashMap<>();
    private CallerLink link;
    private int next;
    private long nextAt;
    private boolean isConnected;
    private boolean hasAnswered;
    private boolean awaitsOther;
    private boolean isRefused;
    private boolean over;

    RcCall(
            final RcConnector connector,
            final int rank,
            final List<InetSocketAddress> addresses,
            final long waitNanos,
            final long timeoutNanos,
            final boolean isAgain) {
        this.connector = connector;
        this.rank = rank;
        this.addresses = addresses;
        this.nextAt = began + waitNanos;
        this.timeoutNanos = timeoutNanos;
        this.isAgain = isAgain;
    }

    int rank() {
        return rank;
    }

    boolean isAgain() {
        return isAgain;
    }

    boolean isOver() {
        return over;
    }

    /** Whether it may still succeed by itself. */
    boolean stands() {
        return !over && !isRefused && link != null;
    }

    /** Looks at the clock. */
    void tick(final long now) {
        if (over) {
            return;
        }
        if (now - began > timeoutNanos) {
            giveUp();
        } else if (link == null && now - nextAt >= 0 && !addresses.isEmpty()) {
            tryNext(now);
        } else if (link != null && !isConnected && (isAgain || addresses.size() > 1) && now - nextAt > NEXT_NANOS) {
            link.end("no answer");
        }
    }

    private void tryNext(final long now) {
        final InetSocketAddress address = addresses.get(next++ % addresses.size());
        nextAt = now;
        isConnected = false;
        final String name = Interfaces.nameOf(address);
        try {
            final SocketChannel channel = SocketChannel.open();
            link = new CallerLink(connector, this, channel, name);
            connector.thread().connect(channel, address, link);
        } catch (final IOException e) {
            link = null;
            failed(name, Reason.of(e));
        }
    }

    void connected() {
        isConnected = true;
        hasAnswered = true;
        isDeserted = false;
    }

    /** The rank calls itself: its call is awaited, and if that fails, it is called again. */
    void glare() {
        awaitsOther = true;
        nextAt = System.nanoTime() + AGAIN_NANOS;
    }

    void refused() {
        isRefused = true;
    }

    void failed(final String address, final String why) {
        link = null;
        if (over) {
            return;
        }
        tried.put(address, why);
        isDeserted &= why.contains("refused");
        if (isRefused) {
            giveUp();
            return;
        }
        final boolean isLast = next % addresses.size() == 0;
        if (isLast && (isAgain ? isDeserted : !hasAnswered && !awaitsOther)) {
            giveUp();
            return;
        }
        // The next address at once, all of them again after a while: who answered had no time for more.
        final long now = System.nanoTime();
        nextAt = Math.max(nextAt, isLast ? now + (isAgain ? pause : AGAIN_NANOS) : now);
        if (isLast) {
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            hasAnswered = false;
            isDeserted = true;
        }
    }

    void succeeded() {
        over = true;
        link = null;
    }

    private void giveUp() {
        abandon();
        final List<String> all = new ArrayList<>();
        addresses.forEach(address -> tried.putIfAbsent(Interfaces.nameOf(address), "no answer"));
        tried.forEach((address, why) -> all.add(address + " (" + why + ")"));
        final String text = (all.isEmpty() ? "it did not call" : "tried the control link to " + String.join(", ", all))
                + ", for " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) / 1e3 + " s";
        connector.failed(
                rank,
                isAgain
                        ? "cannot be connected again: " + text
                        : "cannot be connected over RDMA: " + text + "; --transports ^rc does without RDMA");
    }

    /** Ends it. */
    void abandon() {
        over = true;
        if (link != null) {
            link.abandon();
            link = null;
        }
    }
}
