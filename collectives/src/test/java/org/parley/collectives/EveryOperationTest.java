package org.parley.collectives;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.parley.Communicator;
import org.parley.Datatype;
import org.parley.Op;
import org.parley.Parley;

/** The predefined operations on each type, in each kind of buffer, from one element to many parts. */
class EveryOperationTest {
    private static final int[] COUNTS = {1, 7, 8, 9, 333, 8193, 40_000};

    @ParameterizedTest
    @EnumSource(Datatype.class)
    void shouldReduceEachType(final Datatype type) {
        Parley.local(3, parley -> {
            for (final Op op : Model.predefined()) {
                if (Model.isDefined(op, type)) {
                    for (final int count : COUNTS) {
                        for (final TestBuffer.Kind kind : TestBuffer.Kind.values()) {
                            check(parley.world(), op, type, count, kind);
                        }
                    }
                }
            }
        });
    }

    private static void check(
            final Communicator world, final Op op, final Datatype type, final int count, final TestBuffer.Kind kind) {
        final TestBuffer in = new TestBuffer(kind, type, count);
        final TestBuffer out = new TestBuffer(kind, type, count);
        final long[] mine = Model.contribution(op, type, world.rank(), count);
        in.fill(mine);
        world.allReduce(in.object(), in.offset(), out.object(), out.offset(), count, in.wanted(), op);
        final String what = op + " of " + count + " " + type + " in " + kind;
        assertThat(out.values()).as(what).isEqualTo(Model.reduce(op, type, world.size(), count));
        assertThat(in.values()).as(what).isEqualTo(mine);
        assertThat(in.isIntactAround() && out.isIntactAround()).as(what).isTrue();
    }

    @Test
    void shouldKeepNotANumberInMinimumAndMaximum() {
        Parley.local(2, parley -> {
            final Communicator world = parley.world();
            for (final int count : new int[] {1, 1000}) {
                final double[] in = new double[count];
                in[count - 1] = world.rank() == 0 ? Double.NaN : 1;
                final double[] out = new double[count];
                world.allReduce(in, out, count, Op.MAX);
                assertThat(out[count - 1]).isNaN();
                world.allReduce(in, out, count, Op.MIN);
                assertThat(out[count - 1]).isNaN();
            }
        });
    }

    @Test
    void shouldGiveAllRanksTheSameBits() {
        Parley.local(7, parley -> {
            final Communicator world = parley.world();
            for (final int count : new int[] {3, 50_000}) {
                final double[] in = new double[count];
                for (int i = 0; i < count; i++) {
                    in[i] = Math.sin(world.rank() * 1e5 + i) * Math.pow(10, i % 30);
                }
                final double[] out = new double[count];
                world.allReduce(in, out, count, Op.SUM);
                final long[] bits = new long[count];
                for (int i = 0; i < count; i++) {
                    bits[i] = Double.doubleToRawLongBits(out[i]);
                }
                final long[] and = new long[count];
                final long[] or = new long[count];
                world.allReduce(bits, and, count, Op.BAND);
                world.allReduce(bits, or, count, Op.BOR);
                assertThat(and).isEqualTo(or);
            }
        });
    }
}
