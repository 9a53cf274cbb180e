package org.parley.transport.tcp;

import java.util.List;
import org.parley.transport.Counter;
import org.parley.transport.Counter.Column;

/** What {@link TcpTransport#statistics} tells of. */
final class TcpCounters {
    static final List<Counter> ALL = List.of(
            new Counter("tcp.bytes.sent", "Bytes given to the kernel, with heads of frames and what was sent again."),
            new Counter("tcp.bytes.received", "Bytes taken from the kernel, the same way."),
            new Counter(
                    "tcp.stalls",
                    "Writes of which the kernel took nothing: the peer reads too slowly, or the network is slower than"
                            + " the rank. Ordinary where much is sent."),
            new Counter("tcp.links", "Connections that are open."),
            new Counter("tcp.handshakes", "Connections that were made, first ones and later ones."),
            new Counter(
                    "tcp.handshakes.failed",
                    "Connections that could not be made, of which others may have been made later."),
            new Counter("tcp.acks.alone", "Acknowledgements that found no frame to travel with."),
            new Counter(
                    "tcp.reconnects",
                    "Connections that broke and were made again; the network, or a drill, breaks them.",
                    Column.RECONNECTS),
            new Counter("tcp.stall.longest.ms", "The longest time from a break to both ends' new beginning."),
            new Counter("tcp.frames.replayed", "Frames that were sent again over a later connection.", Column.REPLAYS),
            new Counter(
                    "tcp.duplicates.dropped",
                    "Frames that came again over a later connection, and were dropped.",
                    Column.DROPS),
            new Counter("tcp.drill.cuts", "Connections that a drill has broken."),
            new Counter("tcp.drill.interval.us", "The mean interval between the breaks of a drill."),
            new Counter(
                    "tcp.rejected.noise", "Callers that do not speak the protocol: scanners, probes.", Column.REJECTS),
            new Counter("tcp.rejected.version", "Callers of another version of the protocol.", Column.REJECTS),
            new Counter("tcp.rejected.job", "Callers of another job.", Column.REJECTS),
            new Counter("tcp.rejected.secret", "Callers that could not prove to know the secret.", Column.REJECTS),
            new Counter(
                    "tcp.rejected.crowd",
                    "Callers turned away because too many were waiting to be heard.",
                    Column.REJECTS));

    private TcpCounters() {}
}
