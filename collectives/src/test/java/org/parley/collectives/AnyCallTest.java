package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.parley.Communicator;
import org.parley.Datatype;
import org.parley.Op;
import org.parley.Parley;
import org.parley.schedule.Collective;

/** Any sequence of calls, over the real transports, against the model. */
class AnyCallTest {
    /** One collective call, the same on all ranks but for what {@code seed} varies. */
    record Call(Collective collective, Op op, Datatype type, int count, TestBuffer.Kind kind, int root, long seed) {}

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void shouldAgreeWithTheModel(
            @ForAll @IntRange(min = 1, max = 7) final int ranks, @ForAll("calls") final List<Call> calls) {
        Parley.local(ranks, parley -> {
            for (final Call call : calls) {
                run(parley.world(), call);
            }
        });
    }

    @Provide
    static Arbitrary<List<Call>> calls() {
        final Arbitrary<Integer> counts = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(4, Arbitraries.integers().between(0, 20)),
                net.jqwik.api.Tuple.of(4, Arbitraries.integers().between(0, 5000)),
                net.jqwik.api.Tuple.of(1, Arbitraries.integers().between(0, 400_000)));
        final Arbitrary<Op> ops = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(3, Arbitraries.of(Model.predefined())),
                net.jqwik.api.Tuple.of(1, Arbitraries.just(Ops.COMPOSE)));
        return Combinators.combine(
                        Arbitraries.of(Collective.class),
                        ops,
                        Arbitraries.of(Datatype.class),
                        counts,
                        Arbitraries.of(TestBuffer.Kind.class),
                        Arbitraries.integers().between(0, 1000),
                        Arbitraries.longs())
                .as(Call::new)
                .map(AnyCallTest::made)
                .list()
                .ofMinSize(1)
                .ofMaxSize(8);
    }

    /** Gives the call a type that its operation is defined for. */
    private static Call made(final Call call) {
        final Datatype type = call.op == Ops.COMPOSE
                ? Datatype.LONG
                : Model.isDefined(call.op, call.type) ? call.type : Datatype.SHORT;
        return new Call(call.collective, call.op, type, call.count, call.kind, call.root, call.seed);
    }

    private static void run(final Communicator world, final Call call) {
        final int root = call.root % world.size();
        final int rank = world.rank();
        final boolean inPlace = (call.seed >> rank & 1) == 1;
        // Ranks may use different kinds of buffers.
        final TestBuffer.Kind[] kinds = TestBuffer.Kind.values();
        final TestBuffer.Kind kind = kinds[(call.kind.ordinal() + (int) (call.seed >> 8 & 1) * rank) % kinds.length];
        final TestBuffer in = new TestBuffer(kind, call.type, call.count);
        final TestBuffer out = new TestBuffer(kind, call.type, call.count);
        final long[] mine = Model.contribution(call.op, call.type, rank, call.count);
        in.fill(mine);
        switch (call.collective) {
            case BARRIER -> world.barrier();
            case BCAST -> {
                world.bcast(in.object(), in.offset(), bcastCount(in, call), root);
                check(in, Model.contribution(call.op, call.type, root, call.count), call);
            }
            case REDUCE -> {
                reduce(world, call, root, in, out, inPlace && rank == root);
                if (rank != root) {
                    check(in, mine, call);
                }
            }
            default -> {
                final TestBuffer result = inPlace ? in : out;
                world.allReduce(
                        inPlace ? Communicator.IN_PLACE : in.object(),
                        in.offset(),
                        result.object(),
                        result.offset(),
                        call.count,
                        in.wanted(),
                        call.op);
                check(result, Model.reduce(call.op, call.type, world.size(), call.count), call);
                assertThat(inPlace || java.util.Arrays.equals(in.values(), mine))
                        .isTrue();
            }
        }
    }

    private static void reduce(
            final Communicator world,
            final Call call,
            final int root,
            final TestBuffer in,
            final TestBuffer out,
            final boolean inPlace) {
        final boolean isRoot = world.rank() == root;
        final TestBuffer result = inPlace ? in : out;
        world.reduce(
                inPlace ? Communicator.IN_PLACE : in.object(),
                in.offset(),
                isRoot ? result.object() : null,
                isRoot ? result.offset() : 0,
                call.count,
                in.wanted(),
                call.op,
                root);
        if (isRoot) {
            check(result, Model.reduce(call.op, call.type, world.size(), call.count), call);
        }
    }

    /** A broadcast has no type: buffers of bytes count bytes. */
    private static long bcastCount(final TestBuffer buffer, final Call call) {
        return buffer.wanted() == null ? call.count : (long) call.count * call.type.size();
    }

    private static void check(final TestBuffer buffer, final long[] expected, final Call call) {
        assertThat(buffer.values()).as(call.toString()).isEqualTo(expected);
        assertThat(buffer.isIntactAround()).as(call.toString()).isTrue();
    }
}
