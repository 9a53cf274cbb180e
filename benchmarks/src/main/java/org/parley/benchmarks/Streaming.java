package org.parley.benchmarks;

import org.parley.Communicator;
import org.parley.Request;
import org.parley.Status;

/**
 * Windows of non-blocking messages: bw (one way, each window answered by one short message), bibw
 * (both ways, no answer), mbw_mr (one way, several pairs at once).
 *
 * <p>All messages of a window use the same memory, as in OSU's default. Where they are checked each
 * has its own, and a window may be smaller to stay below {@link #CHECKED_BYTES}.
 */
final class Streaming extends Workload {
    private static final int DATA = 1;
    private static final int ANSWER = 2;
    private static final long CHECKED_BYTES = 64 << 20;
    private static final int ANSWER_BYTES = 4;

    private final Communicator world;
    private final Pair pair;
    private final boolean bothWays;
    private final boolean isChecked;
    private final int fullWindow;
    private final Block out;
    private final Block in;
    private final byte[] answer = new byte[ANSWER_BYTES];
    private final Status status = new Status();
    private Request[] sends;
    private Request[] receives;
    private int window;
    private long bytes;

    /** From one message's memory to the next one's. */
    private long stride;

    Streaming(final Setup setup, final Pair pair, final boolean bothWays) {
        this.world = setup.world();
        this.pair = pair;
        this.bothWays = bothWays;
        this.isChecked = setup.validate();
        this.fullWindow = setup.window();
        final long size = isChecked ? checkedBytes(setup) : setup.maxBytes();
        this.out = new Block(setup.buffer(), isSource() ? size : 0);
        this.in = new Block(setup.buffer(), isSink() ? size : 0);
    }

    private static long checkedBytes(final Setup setup) {
        final long max = setup.maxBytes();
        return Math.min(max * setup.window(), Math.max(max, CHECKED_BYTES));
    }

    /** Returns the messages of a window. */
    static int window(final long bytes, final int wanted, final boolean isChecked) {
        final long fit = isChecked ? Math.max(1, CHECKED_BYTES / Math.max(1, bytes)) : wanted;
        return (int) Math.min(wanted, fit);
    }

    @Override
    boolean isTimed() {
        return pair.isFirst();
    }

    @Override
    void prepare(final long size) {
        bytes = size;
        stride = isChecked ? size : 0;
        window = window(size, fullWindow, isChecked);
        sends = new Request[window];
        receives = new Request[window];
    }

    @Override
    long run(final int iterations, final Recorder recorder) {
        if (!pair.takesPart()) {
            return 0;
        }
        final long start = System.nanoTime();
        if (recorder != null) {
            recorder.start();
        }
        if (bothWays) {
            exchange(iterations, recorder);
        } else if (pair.isFirst()) {
            source(iterations, recorder);
        } else {
            sink(iterations);
        }
        return System.nanoTime() - start;
    }

    private void source(final int iterations, final Recorder recorder) {
        final int peer = pair.peer();
        for (int i = 0; i < iterations; i++) {
            send(peer);
            Request.awaitAll(sends);
            world.receive(answer, 0, ANSWER_BYTES, peer, ANSWER, status);
            if (recorder != null) {
                recorder.lap();
            }
        }
    }

    private void sink(final int iterations) {
        final int peer = pair.peer();
        for (int i = 0; i < iterations; i++) {
            receive(peer);
            Request.awaitAll(receives);
            world.send(answer, 0, ANSWER_BYTES, peer, ANSWER);
        }
    }

    private void exchange(final int iterations, final Recorder recorder) {
        final int peer = pair.peer();
        for (int i = 0; i < iterations; i++) {
            receive(peer);
            send(peer);
            Request.awaitAll(sends);
            Request.awaitAll(receives);
            if (recorder != null) {
                recorder.lap();
            }
        }
    }

    private void send(final int peer) {
        final Object buffer = out.buffer();
        long offset = 0;
        for (int slot = 0; slot < window; slot++) {
            sends[slot] = world.isend(buffer, offset, bytes, peer, DATA);
            offset += stride;
        }
    }

    private void receive(final int peer) {
        final Object buffer = in.buffer();
        long offset = 0;
        for (int slot = 0; slot < window; slot++) {
            receives[slot] = world.ireceive(buffer, offset, bytes, peer, DATA);
            offset += stride;
        }
    }

    private boolean isSource() {
        return pair.takesPart() && (pair.isFirst() || bothWays);
    }

    private boolean isSink() {
        return pair.takesPart() && (!pair.isFirst() || bothWays);
    }

    @Override
    void fill(final int iteration) {
        for (int slot = 0; isSource() && slot < window; slot++) {
            out.fill(slot * stride, bytes, Contents.seed(world.rank(), iteration, slot));
        }
    }

    @Override
    String check(final int iteration) {
        for (int slot = 0; isSink() && slot < window; slot++) {
            final String wrong = Contents.check(in, slot * stride, bytes, pair.peer(), iteration, slot);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    @Override
    void close() {
        out.close();
        in.close();
    }
}
