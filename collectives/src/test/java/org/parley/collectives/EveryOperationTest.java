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

    /** A function that does not commute shows in which order operands came. */
    @Test
    void shouldCombineByFunctionsOnIntsAndDoublesInTheOrderOfRanks() {
        Parley.local(5, parley -> {
            final Communicator world = parley.world();
            final int rank = world.rank();
            for (final int count : new int[] {1, 3, 20_000}) {
                final int[] ints = new int[count];
                final double[] doubles = new double[count];
                for (int i = 0; i < count; i++) {
                    ints[i] = place(rank, i);
                    doubles[i] = place(rank, i);
                }
                final int[] intResult = new int[count];
                final double[] doubleResult = new double[count];
                world.allReduce(ints, intResult, count, Op.ofInt((a, b) -> join(a, b), false));
                world.allReduce(doubles, doubleResult, count, Op.ofDouble((a, b) -> join((int) a, (int) b), false));
                for (int i = 0; i < count; i++) {
                    int expected = place(0, i);
                    for (int other = 1; other < world.size(); other++) {
                        expected = join(expected, place(other, i));
                    }
                    assertThat(intResult[i]).as("int " + i).isEqualTo(expected);
                    assertThat(doubleResult[i]).as("double " + i).isEqualTo(expected);
                }
            }
        });
    }

    /** A map of the numbers 0 to 15, x to a x + b, as a + 16 b: composition is associative, and not commutative. */
    private static int place(final int rank, final int index) {
        return (rank * 5 + index) % 16 | (rank + index * 3) % 16 << 4;
    }

    private static int join(final int left, final int right) {
        final int a = (left & 15) * (right & 15) & 15;
        final int b = (right & 15) * (left >> 4) + (right >> 4) & 15;
        return a | b << 4;
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
