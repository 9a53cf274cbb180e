package org.parley.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.parley.wireup.ControlFrame;
import org.parley.wireup.Ruling;

/** The calls of {@link Host} as frames to all agents, and back. */
final class Orders implements Host {
    private final Consumer<ByteBuffer> way;

    Orders(final Consumer<ByteBuffer> way) {
        this.way = way;
    }

    private static ControlFrame.Builder frame(final byte type) {
        return new ControlFrame.Builder(type).number(AgentFrame.ALL);
    }

    @Override
    public void start() {
        way.accept(frame(AgentFrame.START).build());
    }

    @Override
    public void everybody(final byte[] addresses) {
        way.accept(frame(AgentFrame.EVERYBODY).bytes(addresses).build());
    }

    @Override
    public void hopeless(final String why) {
        way.accept(frame(AgentFrame.HOPELESS).text(why).build());
    }

    @Override
    public void left(final List<Integer> ranks) {
        way.accept(frame(AgentFrame.TELL_LEFT).numbers(ranks).build());
    }

    @Override
    public void died(final int rank, final String cause) {
        way.accept(frame(AgentFrame.TELL_DIED).number(rank).text(cause).build());
    }

    @Override
    public void tell(final List<Integer> ranks, final Ruling ruling) {
        if (!ranks.isEmpty()) {
            way.accept(
                    ruling.write(frame(AgentFrame.TELL_RULING).numbers(ranks)).build());
        }
    }

    @Override
    public void stopping() {
        way.accept(frame(AgentFrame.STOPPING).build());
    }

    @Override
    public void requestReports(final boolean stacks) {
        way.accept(frame(AgentFrame.REQUEST_REPORTS).number(stacks ? 1 : 0).build());
    }

    @Override
    public void signal(final String name, final List<Integer> ranks) {
        if (!ranks.isEmpty()) {
            way.accept(frame(AgentFrame.SIGNAL).text(name).numbers(ranks).build());
        }
    }

    /** The end of the links says it. */
    @Override
    public void close() {
        // Who has the links ends them.
    }

    /**
     * Does what a frame says, if it is one of these calls.
     *
     * @param frame behind the host
     * @return whether it is
     */
    static boolean apply(final ControlFrame frame, final Host host) throws IOException {
        switch (frame.type()) {
            case AgentFrame.START -> host.start();
            case AgentFrame.EVERYBODY -> host.everybody(frame.bytes());
            case AgentFrame.HOPELESS -> host.hopeless(frame.text());
            case AgentFrame.TELL_LEFT -> host.left(frame.numbers());
            case AgentFrame.TELL_DIED -> {
                final int rank = frame.number();
                host.died(rank, frame.text());
            }
            case AgentFrame.TELL_RULING -> {
                final List<Integer> ranks = frame.numbers();
                host.tell(ranks, Ruling.read(frame));
            }
            case AgentFrame.STOPPING -> host.stopping();
            case AgentFrame.REQUEST_REPORTS -> host.requestReports(frame.number() != 0);
            case AgentFrame.SIGNAL -> {
                final String name = frame.text();
                host.signal(name, new ArrayList<>(frame.numbers()));
            }
            default -> {
                return false;
            }
        }
        return true;
    }
}
