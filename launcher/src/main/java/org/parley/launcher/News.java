package org.parley.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.parley.wireup.ControlFrame;
import org.parley.wireup.LongWait;
import org.parley.wireup.Petition;
import org.parley.wireup.WaitFile;

/** The calls of {@link HostEvents} as frames to who started the agent, and back. Any thread. */
final class News implements HostEvents {
    private final int host;
    private final Consumer<ByteBuffer> way;

    News(final int host, final Consumer<ByteBuffer> way) {
        this.host = host;
        this.way = way;
    }

    private ControlFrame.Builder frame(final byte type) {
        return new ControlFrame.Builder(type).number(host);
    }

    @Override
    public void ready(final int which, final Facts facts) {
        way.accept(facts.write(new ControlFrame.Builder(AgentFrame.READY).number(which))
                .build());
    }

    @Override
    public void lost(final List<Integer> hosts, final String how) {
        way.accept(frame(AgentFrame.LOST).numbers(hosts).text(how).build());
    }

    @Override
    public void copied(final int which, final long bytes) {
        way.accept(new ControlFrame.Builder(AgentFrame.COPIED)
                .number(which)
                .longNumber(bytes)
                .build());
    }

    @Override
    public void quiet(final int which, final long seconds) {
        way.accept(frame(AgentFrame.QUIET).number(which).longNumber(seconds).build());
    }

    @Override
    public void started(final int rank, final long pid) {
        way.accept(frame(AgentFrame.STARTED).number(rank).longNumber(pid).build());
    }

    @Override
    public void notStarted(final int rank, final String why) {
        way.accept(frame(AgentFrame.NOT_STARTED).number(rank).text(why).build());
    }

    @Override
    public void ended(final int rank, final Ending ending) {
        final WaitFile.Wait wait = ending.lastWait();
        way.accept(frame(AgentFrame.ENDED)
                .number(rank)
                .number(ending.code())
                .text(wait == null ? "" : wait.what())
                .number(wait == null ? -1 : wait.isOver() ? 1 : 0)
                .text(ending.crashReport() == null ? "" : ending.crashReport())
                .build());
    }

    @Override
    public void joined(final int rank, final long pid) {
        way.accept(frame(AgentFrame.JOINED).number(rank).longNumber(pid).build());
    }

    @Override
    public void contributed(final int rank, final String options, final byte[] address) {
        way.accept(frame(AgentFrame.CONTRIBUTED)
                .number(rank)
                .text(options)
                .bytes(address)
                .build());
    }

    @Override
    public void broken(final String why) {
        way.accept(frame(AgentFrame.BROKEN).text(why).build());
    }

    @Override
    public void mapped(final int rank, final List<String> transports) {
        final ControlFrame.Builder frame = frame(AgentFrame.MAPPED).number(rank).number(transports.size());
        transports.forEach(frame::text);
        way.accept(frame.build());
    }

    @Override
    public void left(final int rank, final String counters) {
        way.accept(frame(AgentFrame.LEFT).number(rank).text(counters).build());
    }

    @Override
    public void failed(final int rank, final String what, final int blames) {
        way.accept(
                frame(AgentFrame.FAILED).number(rank).text(what).number(blames).build());
    }

    @Override
    public void aborted(final int rank, final int code, final String why) {
        way.accept(frame(AgentFrame.ABORTED).number(rank).number(code).text(why).build());
    }

    @Override
    public void asked(final int rank, final Petition petition) {
        way.accept(petition.write(frame(AgentFrame.ASKED).number(rank)).build());
    }

    @Override
    public void disconnected(final int rank) {
        way.accept(frame(AgentFrame.DISCONNECTED).number(rank).build());
    }

    @Override
    public void reported(final int rank, final Report report) {
        final ControlFrame.Builder frame = frame(AgentFrame.REPORTED).number(rank);
        LongWait.write(report.waitsFor(), frame);
        way.accept(frame.text(report.counters())
                .text(report.program())
                .text(report.others())
                .build());
    }

    @Override
    public void silent(final int rank, final long seconds, final boolean isDead) {
        way.accept(frame(AgentFrame.SILENT)
                .number(rank)
                .longNumber(seconds)
                .number(isDead ? 1 : 0)
                .build());
    }

    @Override
    public void refused(final String why) {
        way.accept(frame(AgentFrame.REFUSED).text(why).build());
    }

    /**
     * Tells what a frame says, if it is one of these calls.
     *
     * @param host where it comes from
     * @param frame behind the host
     * @param ranks how many there are
     * @return whether it is
     */
    static boolean apply(final int host, final ControlFrame frame, final int ranks, final HostEvents events)
            throws IOException {
        switch (frame.type()) {
            case AgentFrame.READY -> events.ready(host, Facts.read(frame));
            case AgentFrame.LOST -> {
                final List<Integer> hosts = frame.numbers();
                events.lost(hosts, frame.text());
            }
            case AgentFrame.QUIET -> {
                final int which = frame.number();
                events.quiet(which, frame.longNumber());
            }
            case AgentFrame.COPIED -> events.copied(host, frame.longNumber());
            case AgentFrame.BROKEN -> events.broken(frame.text());
            case AgentFrame.REFUSED -> events.refused(frame.text());
            default -> {
                if (frame.type() < AgentFrame.STARTED || frame.type() > AgentFrame.REFUSED) {
                    return false;
                }
                final int rank = frame.number();
                if (rank < 0 || rank >= ranks) {
                    throw new IOException("it speaks of rank " + rank + " of " + ranks);
                }
                ofRank(rank, frame, ranks, events);
            }
        }
        return true;
    }

    private static void ofRank(final int rank, final ControlFrame frame, final int ranks, final HostEvents events)
            throws IOException {
        switch (frame.type()) {
            case AgentFrame.STARTED -> events.started(rank, frame.longNumber());
            case AgentFrame.NOT_STARTED -> events.notStarted(rank, frame.text());
            case AgentFrame.ENDED -> {
                final int code = frame.number();
                final String what = frame.text();
                final int isOver = frame.number();
                final String report = frame.text();
                events.ended(
                        rank,
                        new Ending(
                                code,
                                isOver < 0 ? null : new WaitFile.Wait(what, isOver > 0),
                                report.isEmpty() ? null : report));
            }
            case AgentFrame.JOINED -> events.joined(rank, frame.longNumber());
            case AgentFrame.CONTRIBUTED -> {
                final String options = frame.text();
                events.contributed(rank, options, frame.bytes());
            }
            case AgentFrame.MAPPED -> {
                final List<String> transports = new ArrayList<>();
                for (int left = frame.number(); left > 0; left--) {
                    transports.add(frame.text());
                }
                events.mapped(rank, transports);
            }
            case AgentFrame.LEFT -> events.left(rank, frame.text());
            case AgentFrame.FAILED -> {
                final String what = frame.text();
                events.failed(rank, what, frame.number());
            }
            case AgentFrame.ABORTED -> {
                final int code = frame.number();
                events.aborted(rank, code, frame.text());
            }
            case AgentFrame.ASKED -> events.asked(rank, Petition.read(frame, ranks));
            case AgentFrame.DISCONNECTED -> events.disconnected(rank);
            case AgentFrame.REPORTED -> events.reported(rank, Report.read(frame));
            case AgentFrame.SILENT -> {
                final long seconds = frame.longNumber();
                events.silent(rank, seconds, frame.number() != 0);
            }
            default -> throw new IOException("a frame has the unknown type " + frame.type());
        }
    }
}
