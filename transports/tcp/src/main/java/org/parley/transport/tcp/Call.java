package org.parley.transport.tcp;

import io.netty.channel.ChannelFuture;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.parley.transport.Greeting;
import org.parley.transport.Interfaces;

/**
 * A call to a rank that has several addresses: the next one is tried when one has failed or has been
 * silent for a moment (as RFC 8305 does), and the first that connects is greeted; the others are a
 * reserve. The control thread's.
 */
final class Call {
    /** After this the next address is tried beside the ones before. */
    private static final long NEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** After this a rank that was calling itself is called again. */
    private static final long GLARE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** After this a rank is called again that was too busy to answer. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    // Of a rank that there was a link with.
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int CONNECT_MILLIS = 2000;

    private final Connector connector;
    private final int rank;
    private final List<InetSocketAddress> addresses;
    private final long timeoutNanos;

    /** There was a link: whoever cannot be reached is tried again, unless no process listens there any more. */
    private final boolean isAgain;

    private long pause = FIRST_PAUSE_NANOS;
    private final Map<SocketAddress, String> tried = new LinkedHashMap<>();
    private final List<ChannelFuture> connecting = new ArrayList<>();
    private final ArrayDeque<CallerHandshake> reserve = new ArrayDeque<>();
    private final long began = System.nanoTime();
    private CallerHandshake greeting;
    private int next;
    private boolean over;
    private boolean isProlonged;

    /** Whether all that was heard in this round says that it is of no use. */
    private boolean isAnswered = true;

    /** The rank calls itself, or was told not to for the sake of this call: a failure is not the end. */
    private boolean awaitsOther;

    Call(
            final Connector connector,
            final int rank,
            final List<InetSocketAddress> addresses,
            final long timeoutNanos,
            final boolean isAgain) {
        this.connector = connector;
        this.rank = rank;
        this.addresses = addresses;
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

    /** Whether it may still succeed. */
    boolean stands() {
        return !over && (greeting != null || !reserve.isEmpty() || !connecting.isEmpty() || next < addresses.size());
    }

    void start() {
        later(timeoutNanos, this::timeIsUp);
        tryNext();
    }

    /** Who has connected may be taken for the pair's connection there, and is there, however busy: it has its time once more. */
    private void timeIsUp() {
        if (greeting != null && !isProlonged) {
            isProlonged = true;
            later(timeoutNanos, this::timeIsUp);
            return;
        }
        addresses.forEach(address -> tried.putIfAbsent(address, "no answer"));
        giveUp();
    }

    /** Whether it may be reached at another address. */
    boolean hasOtherWays() {
        return addresses.size() > 1;
    }

    private void later(final long nanos, final Runnable what) {
        connector
                .sockets()
                .group()
                .schedule(
                        () -> {
                            if (!over) {
                                what.run();
                            }
                        },
                        nanos,
                        TimeUnit.NANOSECONDS);
    }

    private void tryNext() {
        if (next == addresses.size()) {
            return;
        }
        final InetSocketAddress address = addresses.get(next++);
        final ChannelFuture future = connector
                .sockets()
                .client(
                        isAgain ? CONNECT_MILLIS : (int) TimeUnit.NANOSECONDS.toMillis(timeoutNanos),
                        new CallerHandshake(connector, this, address))
                .connect(address);
        connecting.add(future);
        future.addListener(done -> {
            connecting.remove(future);
            if (!done.isSuccess()) {
                future.channel().close();
                isAnswered &= isRefusal(done.cause());
                failed(null, address, reason(done.cause()));
            }
        });
        final int number = next;
        later(NEXT_NANOS, () -> {
            if (greeting == null && next == number) {
                tryNext();
            }
        });
    }

    private static boolean isRefusal(final Throwable cause) {
        return cause instanceof ConnectException
                && String.valueOf(cause.getMessage()).contains("refused");
    }

    private static String reason(final Throwable cause) {
        if (cause instanceof NoRouteToHostException || cause.getMessage() == null) {
            // Netty's own have no text.
            return cause instanceof NoRouteToHostException
                    ? "No route to host"
                    : cause.getClass().getSimpleName();
        }
        final String text = cause.getMessage();
        final int end = text.indexOf(": /");
        return end < 0 ? text : text.substring(0, end);
    }

    /** A connection is there. */
    void connected(final CallerHandshake handshake) {
        if (over) {
            handshake.abandon();
        } else if (greeting == null) {
            greeting = handshake;
            handshake.begin();
        } else {
            reserve.add(handshake);
        }
    }

    /** The rank calls itself: its call is awaited, and if that fails, it is called again. */
    void glare(final CallerHandshake handshake) {
        awaitsOther = true;
        if (!isAgain) {
            later(GLARE_NANOS, this::again);
        }
    }

    private void again() {
        next = 0;
        isAnswered = true;
        tryNext();
    }

    /** The rank was told that this call stands; should it fail, the rank's next one is awaited. */
    void awaitOther() {
        awaitsOther = true;
    }

    void failed(final CallerHandshake handshake, final SocketAddress address, final String why) {
        if (over) {
            return;
        }
        tried.put(address, why);
        reserve.remove(handshake);
        if (handshake != null && handshake == greeting) {
            greeting = null;
        }
        isAnswered &= handshake == null || handshake.isRefused();
        if (greeting != null) {
            return;
        }
        if (!reserve.isEmpty()) {
            greeting = reserve.remove();
            greeting.begin();
        } else if (next < addresses.size()) {
            tryNext();
        } else if (connecting.isEmpty() && isAgain && !isAnswered) {
            later(pause, this::again);
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        } else if (connecting.isEmpty() && (isAgain || !awaitsOther)) {
            if (handshake != null && !handshake.isRefused()) {
                // It listens, but had no time to answer, or for so many at once.
                later(AGAIN_NANOS, this::again);
            } else {
                giveUp();
            }
        }
    }

    void welcomed(final Wire wire, final Greeting answer) {
        if (over || !connector.introductions().admitOwn(answer)) {
            wire.close(false);
            return;
        }
        abandon();
        connector.established(answer, wire);
    }

    private void giveUp() {
        abandon();
        final List<String> all = new ArrayList<>();
        tried.forEach((address, why) -> all.add(Interfaces.nameOf(address) + " (" + why + ")"));
        final String seconds = TimeUnit.NANOSECONDS.toMillis(
                                isAgain ? System.nanoTime() - began : isProlonged ? 2 * timeoutNanos : timeoutNanos)
                        / 1e3
                + " s";
        connector.failed(
                rank,
                isAgain
                        ? "cannot be connected again: " + (all.isEmpty() ? "it did not call" : "tried ")
                                + String.join(", ", all) + ", for " + seconds
                        : "cannot be connected: tried " + String.join(", ", all) + ", for " + seconds
                                + " at most; a firewall, or an interface that leads nowhere?"
                                + " --set tcp.interfaces= chooses others");
    }

    /** Ends it, and all its connections that are not given away. */
    void abandon() {
        over = true;
        // Copies: whatever ends takes itself out.
        List.copyOf(connecting).forEach(future -> future.channel().close());
        List.copyOf(reserve).forEach(CallerHandshake::abandon);
        if (greeting != null && !greeting.isOver()) {
            greeting.abandon();
        }
    }
}
