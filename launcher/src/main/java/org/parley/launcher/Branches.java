package org.parley.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.parley.transport.Protocol;
import org.parley.wireup.ControlFrame;

/**
 * The agents that this process has started, each with those below it: frames down to any of them,
 * frames up from them. All but {@link #send} is for the event loop's thread.
 */
final class Branches {
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Told, on the loop's thread, what comes from below. */
    interface Listener {
        /** A frame; its first number is the host that it comes from. */
        void arrived(ControlFrame frame);

        /** Hosts are lost: the first by itself, the others with it. */
        void lost(List<Integer> hosts, String how);

        /** Nothing has been heard of a host. */
        void quiet(int host, long seconds);

        /** A host, or the shell that leads there, has said something. */
        void said(int host, String line);
    }

    private final EventLoop loop;
    private final Plan plan;
    private final Listener listener;
    private final List<Agent> agents = new ArrayList<>();
    private final Map<Integer, Agent> leadsTo = new HashMap<>();

    /**
     * Makes them; nothing is started yet.
     *
     * @param hosts all that are below this process
     */
    Branches(final EventLoop loop, final Plan plan, final List<Integer> hosts, final Listener listener) {
        this.loop = loop;
        this.plan = plan;
        this.listener = listener;
        for (final List<Integer> branch : split(hosts, plan.launching().fanout())) {
            final Agent agent = new Agent(
                    plan.placement().hosts().get(branch.get(0)),
                    branch,
                    plan.launching().shellName(),
                    plan.launching().command(plan.targets().get(branch.get(0))),
                    new AgentEvents());
            agents.add(agent);
            branch.forEach(host -> leadsTo.put(host, agent));
        }
    }

    /** Deals hosts into at most so many branches of about the same size. */
    static List<List<Integer>> split(final List<Integer> hosts, final int most) {
        final List<List<Integer>> result = new ArrayList<>();
        final int branches = Math.min(most, hosts.size());
        for (int i = 0; i < branches; i++) {
            final int from = (int) ((long) hosts.size() * i / branches);
            final int to = (int) ((long) hosts.size() * (i + 1) / branches);
            result.add(List.copyOf(hosts.subList(from, to)));
        }
        return result;
    }

    void start() {
        agents.forEach(Agent::start);
    }

    /**
     * Sends a frame down. Any thread.
     *
     * @param host to which, or {@link AgentFrame#ALL}
     */
    void send(final int host, final ByteBuffer frame) {
        if (host == AgentFrame.ALL) {
            agents.forEach(agent -> agent.send(frame));
        } else if (leadsTo.containsKey(host)) {
            leadsTo.get(host).send(frame);
        }
    }

    /** Looks after links; to be called every second. */
    void tick(final long now, final boolean isLate) {
        for (final Agent agent : agents) {
            if (agent.isKnown && !agent.isGone) {
                if (isLate) {
                    agent.link().forgive(now);
                }
                switch (agent.link().tick(now, plan.silenceNanos())) {
                    case SUSPECTED -> listener.quiet(agent.host, agent.link().silentSeconds(now));
                    case DEAD -> {
                        agent.kill();
                        gone(agent, "has given no sign for " + agent.link().silentSeconds(now) + " s");
                    }
                    default -> {}
                }
            }
        }
    }

    /** Ends all, and waits until they are gone. */
    void close() {
        agents.forEach(Agent::close);
        final long deadline = System.nanoTime() + CLOSE_NANOS;
        for (final Agent agent : agents) {
            if (!agent.isGone && !agent.awaitExit(deadline - System.nanoTime())) {
                agent.kill();
            }
        }
    }

    private void arrived(final Agent agent, final ControlFrame frame) {
        if (agent.isGone) {
            return;
        }
        try {
            if (agent.isKnown) {
                listener.arrived(frame);
            } else {
                hello(agent, frame);
            }
        } catch (final IOException e) {
            agent.kill();
            gone(agent, e.getMessage());
        }
    }

    private void hello(final Agent agent, final ControlFrame frame) throws IOException {
        if (frame.type() != AgentFrame.HELLO) {
            throw new IOException("what answers there is no Parley agent");
        }
        final int protocol = frame.number();
        final String version = frame.text();
        final String home = frame.text();
        if (protocol != Protocol.version()) {
            throw new IOException("runs Parley " + version + " in " + home + ", which speaks version " + protocol
                    + " of the protocol, but here is Parley " + Main.version() + " in " + Main.home()
                    + ", which speaks version " + Protocol.version() + ": install the same on both");
        }
        agent.isKnown = true;
        final ControlFrame.Builder order =
                new ControlFrame.Builder(AgentFrame.PLAN).number(agent.host).numbers(agent.branch);
        agent.send(plan.write(order).build());
    }

    private void gone(final Agent agent, final String how) {
        if (!agent.isGone) {
            agent.isGone = true;
            listener.lost(agent.branch, how);
        }
    }

    /** Brings what agents' threads see to the loop's. */
    private final class AgentEvents implements Agent.Listener {
        @Override
        public void arrived(final Agent agent, final ControlFrame frame) {
            loop.post(() -> Branches.this.arrived(agent, frame));
        }

        @Override
        public void gone(final Agent agent, final String why) {
            loop.post(() -> Branches.this.gone(agent, why));
        }

        @Override
        public void said(final Agent agent, final String line) {
            loop.post(() -> listener.said(agent.host, line));
        }
    }
}
