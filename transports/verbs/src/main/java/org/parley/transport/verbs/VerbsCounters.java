package org.parley.transport.verbs;

import java.util.List;
import org.parley.transport.Counter;
import org.parley.transport.Counter.Column;

/** What {@link RcTransport#statistics} and {@link UdTransport#statistics} tell of. */
final class VerbsCounters {
    static final List<Counter> RC = List.of(
            new Counter("rc.links", "Connections, open or being made."),
            new Counter("rc.doorbells", "Calls that gave work to the device; on PVRDMA each traps to the hypervisor."),
            new Counter("rc.work.requests", "Pieces of work that these calls gave."),
            new Counter("rc.looks", "Looks for completions."),
            new Counter("rc.looks.empty", "Looks that found none."),
            new Counter("rc.registrations", "Times that memory was registered with the device, which is slow."),
            new Counter("rc.registered.bytes", "Bytes that are registered at present, kept for later messages."),
            new Counter("rc.acks.alone", "Acknowledgements that found no frame to travel with."),
            new Counter(
                    "rc.reconnects",
                    "Connections that broke and were made again; a migration, a port that was away, or a drill breaks them.",
                    Column.RECONNECTS),
            new Counter("rc.stall.longest.ms", "The longest time from a break to both ends' new beginning."),
            new Counter("rc.drill.cuts", "Connections that a drill has broken."),
            new Counter("rc.drill.interval.us", "The mean interval between the breaks of a drill."),
            new Counter("rc.frames.replayed", "Frames that were sent again over a later connection.", Column.REPLAYS),
            new Counter(
                    "rc.duplicates.dropped",
                    "Frames that came again over a later connection, and were dropped.",
                    Column.DROPS),
            new Counter("rc.rejected", "Callers that are no ranks of this job.", Column.REJECTS));

    static final List<Counter> UD = List.of(
            new Counter("ud.peers", "Ranks that datagrams went to or came from."),
            new Counter("ud.datagrams.sent", "Datagrams given to the device, with those sent again."),
            new Counter("ud.datagrams.received", "Datagrams that came from ranks of the job."),
            new Counter("ud.doorbells", "Calls that gave work to the device; on PVRDMA each traps to the hypervisor."),
            new Counter("ud.looks", "Looks for completions."),
            new Counter("ud.looks.empty", "Looks that found none."),
            new Counter("ud.acks.alone", "Acknowledgements that found no datagram to travel with."),
            new Counter("ud.answers", "Introductions that were answered."),
            new Counter(
                    "ud.retransmits",
                    "Times that datagrams were sent again, since no acknowledgement came: the network loses some, or the"
                            + " peer is busy.",
                    Column.REPLAYS),
            new Counter("ud.duplicates.dropped", "Datagrams that came again, and were dropped.", Column.DROPS),
            new Counter("ud.overtaking.held", "Datagrams that came before their turn, and were kept."),
            new Counter(
                    "ud.overtaking.dropped",
                    "Datagrams that came too long before their turn, and were dropped: they come again.",
                    Column.DROPS),
            new Counter(
                    "ud.reconnects",
                    "Times that the queue pair was lost and made anew, for all peers: the port or the device, or a drill, ends it.",
                    Column.RECONNECTS),
            new Counter(
                    "ud.stall.longest.ms", "The longest time without a queue pair, among those that were overcome."),
            new Counter(
                    "ud.frames.replayed", "Frames that were sent again after a loss of a queue pair, at either end."),
            new Counter("ud.peers.moved", "Times that a peer was found at another queue pair than before."),
            new Counter("ud.knocks", "Times that a peer which did not answer was asked over UDP where it is."),
            new Counter("ud.drill.cuts", "Queue pairs that a drill has broken."),
            new Counter("ud.drill.interval.us", "The mean interval between the breaks of a drill."),
            new Counter(
                    "ud.rejected",
                    "Datagrams that are of no rank of this job, or of where one was before it moved.",
                    Column.REJECTS));

    private VerbsCounters() {}
}
