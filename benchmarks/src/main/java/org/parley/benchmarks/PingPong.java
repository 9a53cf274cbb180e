package org.parley.benchmarks;

import org.parley.Communicator;
import org.parley.Status;

/** A message to and fro: latency, and with several pairs at once multi_lat. */
final class PingPong extends Workload {
    private static final int TAG = 1;

    private final Communicator world;
    private final Pair pair;
    private final Block out;
    private final Block in;
    private final Status status = new Status();
    private long bytes;

    PingPong(final Setup setup, final Pair pair) {
        this.world = setup.world();
        this.pair = pair;
        final long size = pair.takesPart() ? setup.maxBytes() : 0;
        this.out = new Block(setup.buffer(), size);
        this.in = new Block(setup.buffer(), size);
    }

    @Override
    boolean isTimed() {
        return pair.isFirst();
    }

    @Override
    void prepare(final long size) {
        bytes = size;
    }

    @Override
    long run(final int iterations, final Recorder recorder) {
        if (!pair.takesPart()) {
            return 0;
        }
        return pair.isFirst() ? ping(iterations, recorder) : pong(iterations);
    }

    private long ping(final int iterations, final Recorder recorder) {
        final Object sent = out.buffer();
        final Object received = in.buffer();
        final int peer = pair.peer();
        final long start = System.nanoTime();
        if (recorder != null) {
            recorder.start();
        }
        for (int i = 0; i < iterations; i++) {
            world.send(sent, 0, bytes, peer, TAG);
            world.receive(received, 0, bytes, peer, TAG, status);
            if (recorder != null) {
                recorder.lap();
            }
        }
        return System.nanoTime() - start;
    }

    private long pong(final int iterations) {
        final Object sent = out.buffer();
        final Object received = in.buffer();
        final int peer = pair.peer();
        final long start = System.nanoTime();
        for (int i = 0; i < iterations; i++) {
            world.receive(received, 0, bytes, peer, TAG, status);
            world.send(sent, 0, bytes, peer, TAG);
        }
        return System.nanoTime() - start;
    }

    @Override
    void fill(final int iteration) {
        if (pair.takesPart()) {
            out.fill(0, bytes, Contents.seed(world.rank(), iteration, 0));
        }
    }

    @Override
    String check(final int iteration) {
        return pair.takesPart() ? Contents.check(in, 0, bytes, pair.peer(), iteration, 0) : null;
    }

    @Override
    void close() {
        out.close();
        in.close();
    }
}
