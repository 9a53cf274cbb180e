package org.parley.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The queues against two plain lists, searched from the front. */
class MatchingEngineTest {
    private static final int ANY = MatchingEngine.ANY;

    private enum Kind {
        POST,
        POST_TOO_SMALL,
        ARRIVE,
        CANCEL,
        FIND,
        TAKE
    }

    /**
     * What happens to the queues.
     *
     * @param pick which of several, for cancelling
     */
    private record Step(Kind kind, int context, int source, int tag, int pick) {}

    /** The rules in the words of the standard. */
    private static final class Model {
        private final List<ReceiveOperation> posted = new ArrayList<>();
        private final List<UnexpectedMessage> messages = new ArrayList<>();

        UnexpectedMessage find(final int context, final int source, final int tag) {
            for (final UnexpectedMessage message : messages) {
                if (fits(context, source, tag, message.context, message.source, message.tag)) {
                    return message;
                }
            }
            return null;
        }

        ReceiveOperation takePosted(final int context, final int source, final int tag) {
            for (final ReceiveOperation op : posted) {
                if (fits(op.context, op.source, op.tag, context, source, tag)) {
                    posted.remove(op);
                    return op;
                }
            }
            return null;
        }

        private static boolean fits(
                final int wantedContext,
                final int wantedSource,
                final int wantedTag,
                final int context,
                final int source,
                final int tag) {
            return context == wantedContext
                    && (wantedSource == ANY || wantedSource == source)
                    && (wantedTag == ANY || wantedTag == tag);
        }
    }

    @Provide
    Arbitrary<List<Step>> crowded() {
        return steps(2, 3, 3, 200);
    }

    /** So many envelopes that the table grows, and most of its bins fall empty. */
    @Provide
    Arbitrary<List<Step>> spread() {
        return steps(4, 50, 400, 3000);
    }

    private static Arbitrary<List<Step>> steps(final int contexts, final int sources, final int tags, final int most) {
        return Combinators.combine(
                        Arbitraries.frequency(
                                Tuple.of(8, Kind.POST),
                                Tuple.of(1, Kind.POST_TOO_SMALL),
                                Tuple.of(8, Kind.ARRIVE),
                                Tuple.of(2, Kind.CANCEL),
                                Tuple.of(2, Kind.FIND),
                                Tuple.of(2, Kind.TAKE)),
                        Arbitraries.integers().between(0, contexts - 1),
                        Arbitraries.integers().between(ANY, sources - 1),
                        Arbitraries.integers().between(ANY, tags - 1),
                        Arbitraries.integers().between(0, 1 << 20))
                .as(Step::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(most);
    }

    @Property(tries = 300)
    void shouldMatchAsTheModelDoesWhereEnvelopesMeet(@ForAll("crowded") final List<Step> steps) {
        run(steps);
    }

    @Property(tries = 30)
    void shouldMatchAsTheModelDoesWhereEnvelopesAreMany(@ForAll("spread") final List<Step> steps) {
        run(steps);
    }

    private static void run(final List<Step> steps) {
        final Model model = new Model();
        final MatchingEngine engine = new MatchingEngine();
        int slots = 0;
        for (final Step step : steps) {
            switch (step.kind()) {
                case POST -> post(model, engine, receive(step, slots++), true);
                case POST_TOO_SMALL -> post(model, engine, receive(step, slots++), false);
                case ARRIVE -> arrive(model, engine, step);
                case CANCEL -> cancel(model, engine, step);
                case FIND -> find(model, engine, step, false);
                default -> find(model, engine, step, true);
            }
            assertThat(engine.unexpectedCount()).isEqualTo(model.messages.size());
        }
        final Set<ReceiveOperation> left = new HashSet<>();
        engine.forEachPosted(op -> assertThat(left.add(op)).isTrue());
        assertThat(left).containsExactlyInAnyOrderElementsOf(model.posted);
    }

    private static ReceiveOperation receive(final Step step, final int slot) {
        final ReceiveOperation op = new ReceiveOperation(slot);
        op.context = step.context();
        op.source = step.source();
        op.tag = step.tag();
        return op;
    }

    /** As the receiver does: a message that fits is taken out, unless it is too long. */
    private static void post(
            final Model model, final MatchingEngine engine, final ReceiveOperation op, final boolean large) {
        final UnexpectedMessage expected = model.find(op.context, op.source, op.tag);
        assertThat(engine.post(op)).isSameAs(expected);
        if (expected == null) {
            model.posted.add(op);
        } else if (large) {
            engine.remove(expected);
            model.messages.remove(expected);
        }
        assertThat(op.queue == null).isEqualTo(expected != null);
    }

    private static void arrive(final Model model, final MatchingEngine engine, final Step step) {
        final int source = Math.max(0, step.source());
        final int tag = Math.max(0, step.tag());
        final ReceiveOperation expected = model.takePosted(step.context(), source, tag);
        final ReceiveOperation found = engine.takePosted(step.context(), source, tag);
        assertThat(found).isSameAs(expected);
        if (found == null) {
            final UnexpectedMessage message = new UnexpectedMessage();
            message.context = step.context();
            message.source = source;
            message.tag = tag;
            engine.add(message);
            model.messages.add(message);
        } else {
            assertThat(engine.cancel(found)).isFalse();
        }
    }

    private static void cancel(final Model model, final MatchingEngine engine, final Step step) {
        if (!model.posted.isEmpty()) {
            final ReceiveOperation op = model.posted.remove(step.pick() % model.posted.size());
            assertThat(engine.cancel(op)).isTrue();
            assertThat(engine.cancel(op)).isFalse();
        }
    }

    private static void find(final Model model, final MatchingEngine engine, final Step step, final boolean take) {
        final UnexpectedMessage expected = model.find(step.context(), step.source(), step.tag());
        assertThat(engine.find(step.context(), step.source(), step.tag())).isSameAs(expected);
        if (expected != null && take) {
            engine.remove(expected);
            model.messages.remove(expected);
        }
    }

    @Property(tries = 20)
    void shouldLetReceiversCancelWhatTheyAreShown(@ForAll @IntRange(min = 1, max = 500) final int count) {
        final MatchingEngine engine = new MatchingEngine();
        for (int i = 0; i < count; i++) {
            engine.post(receive(new Step(Kind.POST, 0, i % 5 - 1, i % 7 - 1, 0), i));
        }
        final int[] shown = new int[1];
        engine.forEachPosted(op -> {
            shown[0]++;
            assertThat(engine.cancel(op)).isTrue();
        });
        assertThat(shown[0]).isEqualTo(count);
        engine.forEachPosted(op -> assertThat(op).isNull());
    }

    @Test
    void shouldNotKeepEmptyBins() {
        // A tag per message, as some programs have: memory must not grow with them.
        final MatchingEngine engine = new MatchingEngine();
        for (int tag = 0; tag < 500_000; tag++) {
            final ReceiveOperation op = receive(new Step(Kind.POST, 0, 1, tag, 0), 0);
            assertThat(engine.post(op) == null).isTrue();
            if (engine.takePosted(0, 1, tag) != op) {
                throw new AssertionError("tag " + tag);
            }
        }
        assertThat(engine.binCount()).isLessThan(1000);
    }
}
