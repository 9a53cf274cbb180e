package org.parley.launcher;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.parley.config.Options;
import org.parley.wireup.Petition;
import org.parley.wireup.Placement;

/**
 * Ranks that are left alone because their host is to be moved: who asks for it, by {@link HookServer}, is told when nothing of
 * theirs is under way any more. Used by the job's thread only.
 */
final class Quiet implements AutoCloseable {
    /** Between two looks at ranks that are not drained. */
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);

    /** Somebody who waits, and the ranks that they wait for, each with what it has said last. */
    private record Waiting(Map<Integer, String> ranks, int asked, Consumer<HookServer.Answer> answer) {}

    private final Placement placement;
    private final Member[] members;
    private final EventLoop loop;
    private final Survival survival;
    private final BooleanSupplier hasBegun;
    private final long limit;
    private final HookServer hook;
    private final List<Waiting> waiting = new ArrayList<>();

    /**
     * Makes one.
     *
     * @param hasBegun whether all ranks have met
     */
    Quiet(
            final Placement placement,
            final Member[] members,
            final EventLoop loop,
            final Survival survival,
            final BooleanSupplier hasBegun,
            final Options options) {
        this.placement = placement;
        this.members = members;
        this.loop = loop;
        this.survival = survival;
        this.hasBegun = hasBegun;
        this.limit = options.number(Options.QUIESCE_LIMIT);
        this.hook = new HookServer((request, answer) -> loop.post(() -> ask(request, answer)));
    }

    /**
     * Lets people ask.
     *
     * @param folder the job's, on this machine
     * @param says told if nobody can, and why
     */
    void open(final Path folder, final Consumer<String> says) {
        hook.open(folder, says);
    }

    /** Whoever still waits is told of nothing but the end. */
    @Override
    public void close() {
        hook.close();
    }

    /** Whether any rank is left alone, so that silence says nothing. */
    boolean isOn() {
        return survival.arbiter().hasQuiesced();
    }

    private void ask(final HookServer.Request request, final Consumer<HookServer.Answer> answer) {
        final List<Integer> ranks = ranksOn(request.host());
        if (ranks == null) {
            answer.accept(new HookServer.Answer(
                    false,
                    "no host of the job is called " + Failures.clean(request.host()) + "; there are "
                            + String.join(", ", placement.hosts())));
        } else if (!hasBegun.getAsBoolean()) {
            answer.accept(new HookServer.Answer(false, "its ranks have not all joined it yet"));
        } else if (request.quiesces()) {
            quiesce(ranks, request.nanos(), answer);
        } else {
            survival.arbiter().quiesce(ranks, 0);
            answer.accept(new HookServer.Answer(true, "resumed " + count(ranks.size())));
        }
    }

    /** Returns those that are there of a host, or of all; null: there is no such host. */
    private List<Integer> ranksOn(final String host) {
        if (!host.isEmpty() && !placement.hosts().contains(host)) {
            return null;
        }
        final List<Integer> ranks = new ArrayList<>();
        for (final Member member : members) {
            if (isThere(member)
                    && (host.isEmpty() || placement.host(member.rank).equals(host))) {
                ranks.add(member.rank);
            }
        }
        return ranks;
    }

    private static boolean isThere(final Member member) {
        return member.joined && !member.left && !member.hasEnded();
    }

    private void quiesce(final List<Integer> ranks, final long nanos, final Consumer<HookServer.Answer> answer) {
        final Waiting one = new Waiting(new TreeMap<>(), ranks.size(), answer);
        ranks.forEach(rank -> one.ranks.put(rank, ""));
        waiting.add(one);
        survival.arbiter().quiesce(ranks, limit);
        loop.after(limit, () -> survival.arbiter().resumeOverdue());
        loop.after(nanos, () -> giveUp(one));
        look();
    }

    /** Ranks that have gone meanwhile are not waited for. */
    private void look() {
        for (final Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
            final Waiting one = all.next();
            one.ranks.keySet().removeIf(rank -> !isThere(members[rank]));
            if (one.ranks.isEmpty()) {
                all.remove();
                one.answer.accept(new HookServer.Answer(true, "quiesced " + count(one.asked)));
            }
        }
        if (!waiting.isEmpty()) {
            loop.after(LOOK, this::look);
        }
    }

    /** A rank has told something of itself. */
    void asked(final int rank, final Petition petition) {
        if (!(petition instanceof Petition.Drain drain) || !survival.arbiter().isOfNow(drain)) {
            // To what it was told later there is another answer.
            return;
        }
        boolean isAwaited = false;
        for (final Waiting one : waiting) {
            if (drain.left().isEmpty()) {
                one.ranks.remove(rank);
            } else {
                isAwaited |= one.ranks.replace(rank, drain.left()) != null;
            }
        }
        if (isAwaited) {
            // One question at a time: who computes finds one of them.
            loop.after(LOOK, () -> survival.arbiter().tellQuiesced(List.of(rank)));
        }
    }

    private void giveUp(final Waiting one) {
        if (waiting.remove(one)) {
            final StringBuilder text = new StringBuilder();
            for (final int rank : new TreeSet<>(one.ranks.keySet())) {
                final String said = one.ranks.get(rank);
                text.append(text.isEmpty() ? "" : "\n")
                        .append("rank ")
                        .append(rank)
                        .append(" on ")
                        .append(placement.host(rank))
                        .append(": ")
                        .append(
                                said.isEmpty()
                                        ? "has not called the library since it was asked, and sends nothing before it does"
                                        : Failures.clean(said));
            }
            one.answer.accept(new HookServer.Answer(false, text.toString()));
        }
    }

    private static String count(final int ranks) {
        return ranks + (ranks == 1 ? " rank" : " ranks");
    }
}
