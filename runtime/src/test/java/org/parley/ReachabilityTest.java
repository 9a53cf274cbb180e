package org.parley;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Buffers live as long as operations need them, and no longer. */
@Timeout(240)
class ReachabilityTest {
    private static final int SIZE = 100_000;
    private static final int LONG = 4 << 20;

    /** Collects until something is so; the memory that comes free is written over. */
    private static boolean collectUntil(final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            stressCollector();
        }
        return true;
    }

    private static void stressCollector() {
        System.gc();
        for (int i = 0; i < 50; i++) {
            // Native memory that was freed is taken, and dirtied, by these.
            final ByteBuffer scratch = ByteBuffer.allocateDirect(SIZE);
            for (int at = 0; at < SIZE; at += 8) {
                scratch.putLong(at, -1);
            }
        }
    }

    private static Object buffer(final int kind, final int seed) {
        return switch (kind % 4) {
            case 0 -> Sample.direct(seed, SIZE);
            case 1 -> Sample.bytes(seed, SIZE);
            case 2 -> new UnsafeBuffer(Sample.direct(seed, SIZE));
            default -> {
                final Memory memory = Parley.allocate(SIZE);
                memory.wrap(0, SIZE).putBytes(0, Sample.bytes(seed, SIZE));
                yield memory;
            }
        };
    }

    @ParameterizedTest
    @EnumSource(Wire.class)
    void shouldKeepBuffersOfSendsUnderWay(final Wire wire) {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            final int count = 40;
            if (world.rank() == 0) {
                // The requests are dropped too: the library alone holds the buffers.
                for (int i = 0; i < count; i++) {
                    world.isend(buffer(i, i), 0, SIZE, 1, i);
                }
                for (int i = 0; i < 5; i++) {
                    stressCollector();
                }
                world.send(null, 0, 0, 1, 1000);
                world.receive(null, 0, 0, 1, 1001);
            } else {
                world.receive(null, 0, 0, 0, 1000);
                final byte[] bytes = new byte[SIZE];
                final ByteBuffer direct = ByteBuffer.allocateDirect(SIZE);
                for (int i = 0; i < count; i++) {
                    if (i % 3 == 0) {
                        world.receive(bytes, 0, SIZE, 0, i);
                        Sample.check(i, SIZE, bytes);
                    } else {
                        world.receive(direct, 0, SIZE, 0, i);
                        Sample.check(i, SIZE, direct);
                    }
                }
                world.send(null, 0, 0, 0, 1001);
            }
        });
    }

    @Test
    void shouldKeepMemoryWhileAViewOfItIsReachable() {
        final List<UnsafeBuffer> views = new ArrayList<>();
        final List<WeakReference<Memory>> memories = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            final Memory memory = Parley.allocate(SIZE);
            memory.wrap(0, SIZE).putBytes(0, Sample.bytes(i, SIZE));
            memories.add(new WeakReference<>(memory));
            views.add(memory.wrap(0, SIZE));
        }
        stressCollector();
        for (int i = 0; i < views.size(); i++) {
            final byte[] bytes = new byte[SIZE];
            views.get(i).getBytes(0, bytes);
            Sample.check(i, SIZE, bytes);
        }
        views.clear();
        assertThat(collectUntil(() -> memories.stream().allMatch(memory -> memory.get() == null)))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(Wire.class)
    void shouldKeepBuffersOfReceivesUnderWay(final Wire wire) {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 1) {
                world.receive(null, 0, 0, 0, 1000);
                for (int i = 0; i < 20; i++) {
                    world.send(Sample.direct(i, SIZE), 0, SIZE, 0, i);
                }
                world.receive(null, 0, 0, 0, 1001);
                return;
            }
            final List<WeakReference<Object>> buffers = new ArrayList<>();
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                final Object buffer = buffer(i, -1);
                buffers.add(new WeakReference<>(buffer));
                requests.add(world.ireceive(buffer, 0, SIZE, 1, i));
            }
            stressCollector();
            assertThat(buffers).noneMatch(buffer -> buffer.get() == null);
            world.send(null, 0, 0, 1, 1000);
            Request.awaitAll(requests);
            world.send(null, 0, 0, 1, 1001);
        });
    }

    @ParameterizedTest
    @EnumSource(Wire.class)
    void shouldLetGoOfBuffersWhenOperationsHaveEnded(final Wire wire) {
        wire.run(2, parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            final List<WeakReference<Object>> buffers = new ArrayList<>();
            exchange(world, other, buffers);
            assertThat(collectUntil(() -> buffers.stream().allMatch(b -> b.get() == null)))
                    .as("freed: %s", buffers.stream().map(b -> b.get() == null).toList())
                    .isTrue();
            world.sendReceive(null, 0, 0, other, 1000, null, 0, 0, other, 1000);
        });
    }

    /** A frame of its own, so that none of its variables keeps a buffer. */
    private static void exchange(final Communicator world, final int other, final List<WeakReference<Object>> buffers) {
        for (int kind = 0; kind < 4; kind++) {
            for (final int size : new int[] {0, 50, SIZE}) {
                final Object out = buffer(kind, 1);
                final Object in = buffer(kind, 2);
                final Object replaced = buffer(kind, 3);
                final Object cancelled = buffer(kind, 4);
                buffers.add(new WeakReference<>(out));
                buffers.add(new WeakReference<>(in));
                buffers.add(new WeakReference<>(replaced));
                buffers.add(new WeakReference<>(cancelled));
                world.sendReceive(out, 0, size, other, 1, in, 0, size, other, 1);
                world.sendReceiveReplace(replaced, 0, size, other, 2, other, 2);
                final Request receive = world.ireceive(in, 0, size, other, 3);
                final Request sent = world.issend(out, 0, size, other, 3);
                Request.awaitAll(receive, sent);
                world.bsend(out, 0, size, other, 4);
                world.mprobe(other, 4).receive(in, 0, size);
                final Request never = world.ireceive(cancelled, 0, size, other, 5);
                never.cancel();
                never.await();
                final PersistentRequest persistent = world.receiveInit(in, 0, size, other, 6);
                persistent.start();
                world.send(out, 0, size, other, 6);
                persistent.await();
            }
        }
    }

    @Test
    void shouldReportDroppedRequestsInDebugMode() {
        final List<String> reports = new ArrayList<>();
        final Handler handler = new Handler() {
            @Override
            public void publish(final LogRecord report) {
                synchronized (reports) {
                    reports.add(new java.util.logging.SimpleFormatter().formatMessage(report)
                            + " "
                            + stackOf(report.getThrown()));
                }
            }

            @Override
            public void flush() {
                // Nothing is kept back.
            }

            @Override
            public void close() {
                // Nothing is held.
            }
        };
        final Logger log = Logger.getLogger("org.parley.DroppedRequests");
        log.addHandler(handler);
        log.setUseParentHandlers(false);
        try {
            Wire.withOptions(
                    java.util.Map.of("debug", "true"),
                    () -> Parley.local(2, parley -> dropAndCollect(parley, reports)));
        } finally {
            log.removeHandler(handler);
            log.setUseParentHandlers(true);
        }
        synchronized (reports) {
            assertThat(reports)
                    .hasSize(2)
                    .allSatisfy(report -> assertThat(report)
                            .contains("a request was dropped before it completed")
                            .contains("await or test it"));
            assertThat(reports)
                    .anySatisfy(report -> assertThat(report)
                            .contains("receive of up to 9 B from 0, tag 41")
                            .contains("ReachabilityTest.dropOne"));
            assertThat(reports)
                    .anySatisfy(report ->
                            assertThat(report).contains("from 1, tag 43").contains("ReachabilityTest.dropMatched"));
        }
    }

    private static String stackOf(final Throwable thrown) {
        return thrown == null ? "" : java.util.Arrays.toString(thrown.getStackTrace());
    }

    private static void dropAndCollect(final Parley parley, final List<String> reports) {
        final Communicator world = parley.world();
        if (world.rank() == 1) {
            world.send(new byte[LONG], 0, LONG, 0, 43);
            world.send(null, 0, 0, 0, 44);
            return;
        }
        dropOne(world);
        dropMatched(world);
        // These are completed, and not reported.
        final Request kept = world.ireceive(new byte[3], 0, 3, 0, 42);
        world.send(new byte[3], 0, 3, 0, 42);
        kept.await();
        assertThat(collectUntil(() -> {
                    synchronized (reports) {
                        return reports.size() == 2;
                    }
                }))
                .as("reports while the program runs")
                .isTrue();
        world.receive(null, 0, 0, 1, 44);
    }

    private static void dropOne(final Communicator world) {
        world.ireceive(new byte[9], 0, 9, 0, 41);
    }

    /** An array of that length comes in pieces, as the receiver asks for them: none has come when this returns. */
    private static void dropMatched(final Communicator world) {
        world.mprobe(1, 43).ireceive(new byte[LONG], 0, LONG);
    }
}
