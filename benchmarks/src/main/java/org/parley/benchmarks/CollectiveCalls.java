package org.parley.benchmarks;

import org.parley.Communicator;
import org.parley.Datatype;
import org.parley.Op;

/** Collectives: each call is timed, and a barrier that is not stands between two of them. */
abstract class CollectiveCalls extends Workload {
    static final int ROOT = 0;

    final Communicator world;

    CollectiveCalls(final Setup setup) {
        this.world = setup.world();
    }

    /** Makes the call. */
    abstract void call();

    @Override
    final boolean isTimed() {
        return true;
    }

    @Override
    final long run(final int iterations, final Recorder recorder) {
        long total = 0;
        for (int i = 0; i < iterations; i++) {
            final long start = System.nanoTime();
            call();
            final long nanos = System.nanoTime() - start;
            total += nanos;
            if (recorder != null) {
                recorder.record(nanos);
            }
            world.barrier();
        }
        return total;
    }

    /** Carries no data. */
    static final class Barrier extends CollectiveCalls {
        Barrier(final Setup setup) {
            super(setup);
        }

        @Override
        void call() {
            world.barrier();
        }

        @Override
        void prepare(final long bytes) {
            // Nothing has a size.
        }

        @Override
        void fill(final int iteration) {
            // Nothing is sent.
        }

        @Override
        String check(final int iteration) {
            return null;
        }

        @Override
        void close() {
            // Nothing is held.
        }
    }

    /** From rank 0. */
    static final class Bcast extends CollectiveCalls {
        private final Block block;
        private long bytes;

        Bcast(final Setup setup) {
            super(setup);
            block = new Block(setup.buffer(), setup.maxBytes());
        }

        @Override
        void call() {
            world.bcast(block.buffer(), 0, bytes, ROOT);
        }

        @Override
        void prepare(final long size) {
            bytes = size;
        }

        @Override
        void fill(final int iteration) {
            if (world.rank() == ROOT) {
                block.fill(0, bytes, Contents.seed(ROOT, iteration, 0));
            }
        }

        @Override
        String check(final int iteration) {
            return Contents.check(block, 0, bytes, ROOT, iteration, 0);
        }

        @Override
        void close() {
            block.close();
        }
    }

    /** Sums, to rank 0 or to all. */
    static final class Reduction extends CollectiveCalls {
        private final boolean toAll;
        private final Numbers in;
        private final Numbers out;
        private Object input;
        private Object output;
        private Datatype type;
        private long count;

        Reduction(final Setup setup, final boolean toAll) {
            super(setup);
            this.toAll = toAll;
            in = new Numbers(setup.buffer(), setup.maxBytes());
            out = new Numbers(setup.buffer(), setup.maxBytes());
        }

        @Override
        void call() {
            if (toAll) {
                world.allReduce(input, 0, output, 0, count, type, Op.SUM);
            } else {
                world.reduce(input, 0, output, 0, count, type, Op.SUM, ROOT);
            }
        }

        @Override
        void prepare(final long size) {
            type = Numbers.type(size);
            count = size / type.size();
            input = in.buffer(type);
            output = out.buffer(type);
            fill(0);
        }

        @Override
        void fill(final int iteration) {
            for (long i = 0; i < count; i++) {
                in.put(type, i, (world.rank() + 1) * unit(iteration, i));
                out.put(type, i, -1);
            }
        }

        @Override
        String check(final int iteration) {
            if (!toAll && world.rank() != ROOT) {
                return null;
            }
            final double ranks = world.size() * (world.size() + 1) / 2;
            for (long i = 0; i < count; i++) {
                final double expected = ranks * unit(iteration, i);
                if (out.get(type, i) != expected) {
                    return "element "
                            + i
                            + " of "
                            + count
                            + " in iteration "
                            + iteration
                            + " is "
                            + out.get(type, i)
                            + ", should be "
                            + expected;
                }
            }
            return null;
        }

        /** Whole and small, so that sums are exact in any order. */
        private static int unit(final int iteration, final long index) {
            return 1 + (int) ((iteration + index) % 13);
        }

        @Override
        void close() {
            in.close();
            out.close();
        }
    }
}
