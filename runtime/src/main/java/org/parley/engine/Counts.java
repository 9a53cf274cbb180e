package org.parley.engine;

import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.ServiceLoader;
import org.parley.transport.Counter;
import org.parley.transport.Counter.Column;
import org.parley.transport.Transport;
import org.parley.wireup.Counters;

/**
 * What a rank counts above its transports. Written by the holder of the progress word, as plain fields: a store to a line
 * that the core has anyway. Read by any thread, which may see numbers that are a little old, and not of one moment.
 */
public final class Counts {
    /** Messages that a rank sends. */
    public static final String MESSAGES_SENT = "messages.sent";

    /** Bytes that a rank sends. */
    public static final String BYTES_SENT = "bytes.sent";

    /** Messages that a rank receives. */
    public static final String MESSAGES_RECEIVED = "messages.received";

    /** Bytes that a rank receives. */
    public static final String BYTES_RECEIVED = "bytes.received";

    private static final List<Counter> OWN = List.of(
            new Counter(
                    MESSAGES_SENT, "Messages that were begun to be sent, those of collectives and to itself included."),
            new Counter(BYTES_SENT, "Bytes of these messages."),
            new Counter(MESSAGES_RECEIVED, "Messages that have come whole to their receives."),
            new Counter(BYTES_RECEIVED, "Bytes of these messages."),
            new Counter(
                    "messages.unexpected",
                    "Messages that came before their receive: they are kept and copied once more, so post receives early."),
            new Counter("messages.long", "Messages sent whose data waited until the receiver asked for it."),
            new Counter(
                    "sends.full",
                    "Sends that found no room on the way to their peer and waited for it: the peer, or the network, is"
                            + " slower than this rank."),
            new Counter(
                    "sends.uncredited",
                    "Short messages that went as long ones, since the peer has not taken what fills eager.window.",
                    Column.FALLBACKS),
            new Counter(
                    "fetches.refused",
                    "Long messages that could not be fetched from the sender's memory, and came as frames: slower.",
                    Column.FALLBACKS),
            new Counter(
                    "links.fallbacks",
                    "Peers that are reached by another transport than the best for their place; -v says why.",
                    Column.FALLBACKS),
            new Counter("receives.truncated", "Receives whose buffer was shorter than their message.", Column.REJECTS),
            new Counter(
                    "frames.malformed", "Frames that could not be right; their sender was given up.", Column.REJECTS),
            new Counter(
                    "stalls",
                    "Times that bytes for a peer, or from it, did not move for stall.warning.",
                    Column.STALLS),
            new Counter("peers.failed", "Peers that have failed."));

    long messagesSent;
    long bytesSent;
    long messagesReceived;
    long bytesReceived;
    long unexpected;
    long longs;
    long full;
    long uncredited;
    long fetchesRefused;
    long linkFallbacks;
    long truncated;
    long malformed;
    long stalls;
    long peersFailed;

    Counts() {}

    /** Returns all counters that a rank may have, those of transports included, each with its meaning. */
    public static List<Counter> all() {
        final List<Counter> all = new ArrayList<>(OWN);
        ServiceLoader.load(Transport.class, Transport.class.getClassLoader())
                .forEach(transport -> all.addAll(transport.counted()));
        return all;
    }

    void sent(final long bytes) {
        messagesSent++;
        bytesSent += bytes;
    }

    void received(final long bytes) {
        messagesReceived++;
        bytesReceived += bytes;
    }

    /** Returns them as text, with those of transports. Any thread. */
    String text(final Transport[] transports) {
        final Map<String, Long> all = new HashMap<>();
        addTo(all);
        for (final Transport transport : transports) {
            try {
                all.putAll(transport.statistics());
            } catch (final ConcurrentModificationException | NoSuchElementException | IllegalStateException e) {
                // It is making links just now.
                continue;
            }
        }
        return Counters.text(all);
    }

    private void addTo(final Map<String, Long> all) {
        final long[] values = {
            messagesSent,
            bytesSent,
            messagesReceived,
            bytesReceived,
            unexpected,
            longs,
            full,
            uncredited,
            fetchesRefused,
            linkFallbacks,
            truncated,
            malformed,
            stalls,
            peersFailed
        };
        for (int i = 0; i < values.length; i++) {
            all.put(OWN.get(i).name(), values[i]);
        }
    }
}
