package org.parley.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.parley.wireup.ControlFrame;
import org.parley.wireup.Ruling;

/** The launcher's side of all other hosts. The event loop's thread only. */
final class RemoteHosts implements Host, Branches.Listener {
    private final Plan plan;
    private final Set<Integer> hosts;
    private final Output output;
    private final HostEvents events;
    private final Branches branches;
    private final Orders orders;
    private final boolean isVerbose;
    private final Map<Integer, HostOutput> writers = new HashMap<>();
    private final Map<Integer, Sink[]> sinks = new HashMap<>();
    private InputPump input;

    /**
     * Makes them; nothing is started yet.
     *
     * @param hosts their numbers
     * @param events told what happens; on the loop's thread
     */
    RemoteHosts(
            final EventLoop loop,
            final Plan plan,
            final List<Integer> hosts,
            final boolean isVerbose,
            final Output output,
            final HostEvents events) {
        this.plan = plan;
        this.hosts = Set.copyOf(hosts);
        this.isVerbose = isVerbose;
        this.output = output;
        this.events = events;
        this.branches = new Branches(loop, plan, hosts, this);
        this.orders = new Orders(frame -> branches.send(AgentFrame.ALL, frame));
    }

    /** Starts the agents, each of which is then {@link HostEvents#ready}, or lost. */
    void connect() {
        branches.start();
    }

    void tick(final long now, final boolean isLate) {
        branches.tick(now, isLate);
    }

    void send(final int host, final ControlFrame.Builder frame) {
        branches.send(host, frame.build());
    }

    @Override
    public void start() {
        final List<Integer> ranks = hosts.stream()
                .flatMap(host -> plan.placement().ranksOn(host).stream())
                .toList();
        try {
            for (final int rank : ranks) {
                sinks.put(rank, new Sink[] {output.open(rank, false), output.open(rank, true)});
            }
        } catch (final UncheckedIOException e) {
            ranks.forEach(rank -> events.notStarted(rank, e.getCause().getMessage()));
            return;
        }
        orders.start();
        final int first = plan.placement().hostOf(0);
        if (hosts.contains(first)) {
            input = new InputPump(
                    System.in,
                    bytes -> branches.send(
                            first,
                            new ControlFrame.Builder(AgentFrame.INPUT)
                                    .number(first)
                                    .bytes(bytes)
                                    .build()));
            input.start();
        }
    }

    @Override
    public void everybody(final byte[] addresses) {
        orders.everybody(addresses);
    }

    @Override
    public void hopeless(final String why) {
        orders.hopeless(why);
    }

    @Override
    public void left(final List<Integer> ranks) {
        orders.left(ranks);
    }

    @Override
    public void died(final int rank, final String cause) {
        orders.died(rank, cause);
    }

    @Override
    public void tell(final List<Integer> ranks, final Ruling ruling) {
        orders.tell(ranks, ruling);
    }

    @Override
    public void stopping() {
        orders.stopping();
    }

    @Override
    public void requestReports(final boolean stacks) {
        orders.requestReports(stacks);
    }

    @Override
    public void signal(final String name, final List<Integer> ranks) {
        orders.signal(
                name,
                ranks.stream()
                        .filter(rank -> hosts.contains(plan.placement().hostOf(rank)))
                        .toList());
    }

    @Override
    public void close() {
        branches.close();
    }

    // --- from below ------------------------------------------------------------------------

    @Override
    public void arrived(final ControlFrame frame) {
        int host = -1;
        try {
            host = frame.number();
            if (!hosts.contains(host)) {
                throw new IOException("a frame comes from host " + host + ", which is not one of the job's");
            }
            switch (frame.type()) {
                case AgentFrame.OUTPUT -> write(host, frame);
                case AgentFrame.OUTPUT_END -> writer(host).end(sink(frame));
                case AgentFrame.INPUT_TAKEN -> input.taken(frame.number());
                default -> {
                    if (!News.apply(host, frame, plan.placement().size(), events)) {
                        throw new IOException("a frame has the unknown type " + frame.type());
                    }
                }
            }
        } catch (final IOException | RuntimeException e) {
            events.broken("the agent on " + name(host) + " does not keep to the protocol: " + e.getMessage());
        }
    }

    private String name(final int host) {
        return hosts.contains(host) ? plan.placement().hosts().get(host) : "a host";
    }

    private void write(final int host, final ControlFrame frame) throws IOException {
        final Sink sink = sink(frame);
        final boolean endsLine = frame.number() != 0;
        writer(host).write(sink, frame.bytes(), endsLine);
    }

    private Sink sink(final ControlFrame frame) throws IOException {
        final int rank = frame.number();
        final int which = frame.number();
        final Sink[] ofRank = sinks.get(rank);
        if (ofRank == null || which < 0 || which >= ofRank.length) {
            throw new IOException("there is no stream " + which + " of rank " + rank);
        }
        return ofRank[which];
    }

    private HostOutput writer(final int host) {
        return writers.computeIfAbsent(
                host,
                h -> new HostOutput(
                        name(h),
                        bytes -> branches.send(
                                h,
                                new ControlFrame.Builder(AgentFrame.OUTPUT_TAKEN)
                                        .number(h)
                                        .number(bytes)
                                        .build())));
    }

    @Override
    public void lost(final List<Integer> which, final String how) {
        events.lost(which, how);
    }

    /** Nothing more comes of streams of hosts that are lost. */
    void endOutput(final int host) {
        for (final int rank : plan.placement().ranksOn(host)) {
            if (sinks.containsKey(rank)) {
                for (final Sink sink : sinks.get(rank)) {
                    writer(host).end(sink);
                }
            }
        }
    }

    @Override
    public void quiet(final int host, final long seconds) {
        events.quiet(host, seconds);
    }

    @Override
    public void said(final int host, final String line) {
        if (isVerbose) {
            output.say("parley: " + name(host) + " says: " + line);
        }
    }
}
