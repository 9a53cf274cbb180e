package org.parley.benchmarks.perf;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.agrona.UnsafeApi;
import org.parley.Request;
import org.parley.transport.verbs.binding.WorkRequest;

/**
 * The loops, which are perftest's: {@code testbed/verbs-shim/verbs-perf.c} has the same in C. Rank 0 measures; rank 1 answers.
 */
final class PerfTest {
    /** Bytes that a send should take along inline, as perftest asks for. */
    static final int INLINE = 220;

    private static final int TAG = 18;
    private static final int MARKS = 127;
    private static final int POLLS_BEFORE_TEST = 2048;
    private static final int BATCHES = 4;

    /** What is done to the other rank's memory. */
    private enum Verb {
        SEND(WorkRequest.SEND),
        WRITE(WorkRequest.RDMA_WRITE),
        READ(WorkRequest.RDMA_READ);

        private final int opcode;

        Verb(final int opcode) {
            this.opcode = opcode;
        }
    }

    private final VerbsEnd end;
    private final PerfOptions options;
    private final Verb verb;
    private final int receiveSize;
    private final int half;
    private long sends;
    private long signalled;
    private long expected;
    private long posted;
    private final long[] before = new long[VerbsEnd.COUNTS];
    private final long[] after = new long[VerbsEnd.COUNTS];

    PerfTest(final PerfOptions options, final VerbsEnd end, final int largest) {
        this.options = options;
        this.end = end;
        verb = Verb.valueOf(
                options.name().substring(0, options.name().indexOf('_')).toUpperCase(Locale.ROOT));
        receiveSize = largest;
        half = options.depth() / 2;
        if (verb == Verb.SEND) {
            end.postReceives(receiveSize, VerbsEnd.RECEIVES);
            end.meet();
        }
    }

    static List<String> names() {
        return Arrays.asList("send_lat", "send_bw", "write_lat", "write_bw", "read_lat", "read_bw");
    }

    /** Measures one size; returns rank 0's row of the table. */
    String run(final int size, final int iterations) {
        return options.isBandwidth() ? bandwidth(size, iterations) : latency(size, iterations);
    }

    /** Returns what the last size cost rank 0 per message, besides time. */
    String counts(final long size, final int iterations) {
        final double[] each = new double[VerbsEnd.COUNTS];
        for (int i = 0; i < each.length; i++) {
            each[i] = (after[i] - before[i]) / (double) iterations;
        }
        return String.format(
                Locale.ROOT,
                "%d bytes, per message: %.2f doorbells, %.2f work requests, %.2f polls, %.2f of them empty,"
                        + " %.2f bytes allocated",
                size,
                each[0],
                each[1],
                each[2],
                each[3],
                each[4]);
    }

    // --- latency ---------------------------------------------------------------------------------

    private String latency(final int size, final int iterations) {
        final long[] times = new long[iterations];
        UnsafeApi.putByteVolatile(null, end.lastWritten(size), (byte) 0);
        end.meet();
        end.count(before);
        for (int i = 0; i < iterations; i++) {
            final long begin = System.nanoTime();
            if (verb == Verb.READ) {
                if (!end.isFirst()) {
                    break;
                }
                read(size);
                times[i] = System.nanoTime() - begin;
                continue;
            }
            if (end.isFirst()) {
                send(size, i);
                receive(size, i);
            } else {
                receive(size, i);
                send(size, i);
            }
            times[i] = (System.nanoTime() - begin) / 2;
        }
        end.count(after);
        end.awaitCompleted(signalled);
        end.meet();
        return PerfTable.latency(size, times);
    }

    private void read(final int size) {
        signalled++;
        end.post(verb.opcode, size, true, true);
        end.awaitCompleted(signalled);
    }

    private void send(final int size, final int i) {
        final boolean isSignalled = sends % half == 0;
        sends++;
        if (isSignalled) {
            end.awaitCompleted(signalled);
            signalled++;
        }
        UnsafeApi.putByteVolatile(null, end.lastSent(size), mark(i));
        end.post(verb.opcode, size, isSignalled, true);
    }

    private void receive(final int size, final int i) {
        if (verb == Verb.SEND) {
            expected++;
            end.awaitReceived(expected);
            postAgain();
            return;
        }
        final long last = end.lastWritten(size);
        for (long misses = 1; UnsafeApi.getByteVolatile(null, last) != mark(i); misses++) {
            end.giveWay(misses);
        }
    }

    private static byte mark(final int i) {
        return (byte) (i % MARKS + 1);
    }

    private void postAgain() {
        final int count = (int) (end.received() - posted);
        if (count >= VerbsEnd.BATCH) {
            posted += count;
            end.postReceives(receiveSize, count);
        }
    }

    // --- bandwidth -------------------------------------------------------------------------------

    private String bandwidth(final int size, final int iterations) {
        final Request over =
                options.isDatagram() && !end.isFirst() ? end.world().ireceive(new byte[1], 0, 1, 0, TAG) : null;
        end.meet();
        end.count(before);
        long nanos = 0;
        if (end.isFirst()) {
            nanos = stream(size, iterations);
        } else if (verb == Verb.SEND) {
            drain(iterations, over);
        }
        end.count(after);
        if (options.isDatagram() && end.isFirst()) {
            end.world().send(new byte[1], 0, 1, 1, TAG);
        }
        if (over != null) {
            over.await();
        }
        end.meet();
        return PerfTable.bandwidth(size, iterations, Math.max(1, nanos));
    }

    /** Returns how long it took. */
    private long stream(final int size, final int iterations) {
        final int every = Math.max(1, options.depth() / BATCHES / options.list()) * options.list();
        final long begin = System.nanoTime();
        for (int i = 0; i < iterations; i++) {
            if (signalled - end.completed() == BATCHES) {
                end.awaitCompleted(end.completed() + 1);
            }
            final boolean isSignalled = i % every == every - 1 || i == iterations - 1;
            if (isSignalled) {
                signalled++;
            }
            end.post(verb.opcode, size, isSignalled, isSignalled);
        }
        end.awaitCompleted(signalled);
        return System.nanoTime() - begin;
    }

    /** Receives what rank 0 sends; of datagrams, what arrives until it has ended. */
    private void drain(final int iterations, final Request over) {
        expected += iterations;
        for (long misses = 0; end.received() < expected; ) {
            if (end.poll() > 0) {
                postAgain();
                misses = 0;
                continue;
            }
            end.giveWay(++misses);
            if (over != null && misses % POLLS_BEFORE_TEST == 0 && over.test()) {
                break;
            }
        }
        expected = end.received();
    }
}
