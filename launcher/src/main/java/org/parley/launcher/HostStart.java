package org.parley.launcher;

import java.io.IOException;
import java.util.List;

/** The first part of a job on several hosts: until agents are everywhere, and have the program. */
final class HostStart {
    /** Told how it ends. */
    interface Listener {
        void failed(Failure failure);

        /** Ranks may start. */
        void complete();
    }

    private final JobSpec spec;
    private final Plan plan;
    private final RemoteHosts remote;
    private final Output output;
    private final Listener listener;
    private final Facts[] facts;
    private ProgramCopy copy;
    private boolean isComplete;

    HostStart(
            final JobSpec spec,
            final Plan plan,
            final RemoteHosts remote,
            final Output output,
            final Listener listener) {
        this.spec = spec;
        this.plan = plan;
        this.remote = remote;
        this.output = output;
        this.listener = listener;
        this.facts = new Facts[plan.placement().hosts().size()];
    }

    /** Returns what agents have told of their hosts, by number. */
    Facts[] facts() {
        return facts;
    }

    private String name(final int host) {
        return Failures.clean(plan.placement().hosts().get(host));
    }

    void ready(final int host, final Facts told) {
        facts[host] = told;
        if (!told.trouble().isEmpty()) {
            listener.failed(new Failure(null, "host " + name(host) + ": " + told.trouble(), null, 1));
            return;
        }
        if (!told.warning().isEmpty() && !spec.quiet()) {
            output.say("parley: host " + name(host) + ": " + told.warning());
        }
        if (!told.version().equals(Main.version())) {
            output.say("parley: " + name(host) + " runs Parley " + told.version() + " in " + told.home() + ", here is "
                    + Main.version() + " in " + Main.home());
        }
        if (missing().isEmpty()) {
            copy = new ProgramCopy(plan, spec.layout().remote(), frame -> remote.send(AgentFrame.ALL, frame));
            copyOn();
        }
    }

    void copied(final int host, final long bytes) {
        if (copy != null) {
            copy.taken(host, bytes);
            copyOn();
        }
    }

    private void copyOn() {
        try {
            if (!isComplete && copy.isDone()) {
                isComplete = true;
                listener.complete();
            }
        } catch (final IOException e) {
            listener.failed(new Failure(null, "the program could not be copied: " + e.getMessage(), null, 1));
        }
    }

    private List<String> missing() {
        return spec.layout().remote().stream()
                .filter(host -> facts[host] == null)
                .map(this::name)
                .toList();
    }

    /** The time is over. */
    void check() {
        final List<String> missing = missing();
        if (!missing.isEmpty()) {
            listener.failed(new Failure(
                    null,
                    "no answer from " + String.join(", ", missing) + " within "
                            + Failures.seconds(plan.launching().timeoutNanos() / 1e9),
                    "does "
                            + String.join(" ", plan.launching().shell())
                            + " lead there without a question? (--set launch.timeout=TIME waits longer)",
                    1));
        }
    }
}
