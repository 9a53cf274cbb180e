package org.parley.engine;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * The events in a flight recording, category "Parley". Those of messages and collectives may be a million a second, so a
 * recording has them only where it asks for them; none has stacks unless asked. Loaded only where the JVM records.
 */
final class FlightRecorderEvents implements Recorder {
    private static final int NOBODY = -1;

    private final int rank;

    private FlightRecorderEvents(final int rank) {
        this.rank = rank;
    }

    static Recorder ifRecording(final int rank) {
        return FlightRecorder.isInitialized() ? new FlightRecorderEvents(rank) : null;
    }

    @Override
    public void sent(final Session session, final int tag, final long bytes) {
        final SendEvent event = new SendEvent();
        if (event.isEnabled()) {
            event.fill(rank, session, tag, bytes, "at once");
            event.commit();
        }
    }

    @Override
    public Span sends(final SendOperation op) {
        final SendEvent event = new SendEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return () -> {
            event.end();
            if (event.shouldCommit()) {
                event.fill(rank, op.session, op.tag, op.payload.bytes(), way(op));
                event.commit();
            }
        };
    }

    private static String way(final SendOperation op) {
        if (op.failure != null) {
            return "failed";
        }
        return op.announced ? op.peerOperation == 0 ? "fetched" : "streamed" : "at once";
    }

    @Override
    public Span receives(final ReceiveOperation op) {
        final ReceiveEvent event = new ReceiveEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return () -> {
            event.end();
            if (event.shouldCommit()) {
                event.rank = rank;
                event.peer = op.session == null ? NOBODY : op.session.rank();
                event.transport = op.session == null || op.session.endpoint == null ? "" : op.session.transport;
                event.tag = op.matchedTag;
                event.bytes = op.bytes;
                event.commit();
            }
        };
    }

    @Override
    public Span collective(final String name, final int ranks, final long bytes) {
        final CollectiveEvent event = new CollectiveEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return () -> {
            event.end();
            if (event.shouldCommit()) {
                event.rank = rank;
                event.collective = name;
                event.ranks = ranks;
                event.bytes = bytes;
                event.commit();
            }
        };
    }

    @Override
    public void stalls(final Session session, final long out, final long in, final long nanos) {
        final StallEvent event = new StallEvent();
        event.rank = rank;
        event.peer = session.rank();
        event.transport = session.transport;
        event.bytesOut = out;
        event.bytesIn = in;
        event.still = nanos;
        event.commit();
    }

    @Override
    public void reconnected(final Session session, final long nanos) {
        final ReconnectEvent event = new ReconnectEvent();
        event.rank = rank;
        event.peer = session.rank();
        event.transport = session.transport;
        event.away = nanos;
        event.commit();
    }

    @Name("parley.Send")
    @Label("Send")
    @Category("Parley")
    @Description("A message, from its call until its buffer is the program's again; those of collectives included")
    @Enabled(false)
    @StackTrace(false)
    private static final class SendEvent extends Event {
        @Label("Rank")
        int rank;

        @Label("Peer")
        @Description("The receiver's rank in the world")
        int peer;

        @Label("Tag")
        int tag;

        @Label("Bytes")
        @DataAmount
        long bytes;

        @Label("Transport")
        String transport;

        @Label("Way")
        @Description("at once, fetched by the receiver, streamed when it asked, or failed")
        String way;

        void fill(final int ownRank, final Session session, final int ownTag, final long length, final String how) {
            rank = ownRank;
            peer = session.rank();
            tag = ownTag;
            bytes = length;
            transport = session.transport;
            way = how;
        }
    }

    @Name("parley.Receive")
    @Label("Receive")
    @Category("Parley")
    @Description("A message, from the call that receives it until it is all there; those of collectives included")
    @Enabled(false)
    @StackTrace(false)
    private static final class ReceiveEvent extends Event {
        @Label("Rank")
        int rank;

        @Label("Peer")
        @Description("The sender's rank in the world; -1 if none has sent")
        int peer;

        @Label("Tag")
        int tag;

        @Label("Bytes")
        @DataAmount
        long bytes;

        @Label("Transport")
        String transport;
    }

    @Name("parley.Collective")
    @Label("Collective")
    @Category("Parley")
    @Description("A collective operation on this rank, from its start to its end")
    @Enabled(false)
    @StackTrace(false)
    private static final class CollectiveEvent extends Event {
        @Label("Rank")
        int rank;

        @Label("Collective")
        String collective;

        @Label("Ranks")
        @Description("How many the communicator has")
        int ranks;

        @Label("Bytes")
        @DataAmount
        @Description("Of the larger one of this rank's buffers")
        long bytes;
    }

    @Name("parley.Stall")
    @Label("Stall")
    @Category("Parley")
    @Description("Bytes for a peer, or from it, have not moved for stall.warning")
    @StackTrace(false)
    private static final class StallEvent extends Event {
        @Label("Rank")
        int rank;

        @Label("Peer")
        int peer;

        @Label("Transport")
        String transport;

        @Label("Bytes to the peer")
        @DataAmount
        long bytesOut;

        @Label("Bytes from the peer")
        @DataAmount
        long bytesIn;

        @Label("Still for")
        @Timespan(Timespan.NANOSECONDS)
        long still;
    }

    @Name("parley.Reconnect")
    @Label("Reconnect")
    @Category("Parley")
    @Description("A link that had broken is there again, and nothing was lost")
    @StackTrace(false)
    private static final class ReconnectEvent extends Event {
        @Label("Rank")
        int rank;

        @Label("Peer")
        int peer;

        @Label("Transport")
        String transport;

        @Label("Away for")
        @Timespan(Timespan.NANOSECONDS)
        long away;
    }
}
