package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.parley.transport.fault.FaultCounters.Fault;

/** What {@code check=true} finds. */
class CheckedModeTest {
    private static final int TAG = 3;
    private static final Map<String, String> CHECKED = Map.of("check", "true");

    /** Every frame has one bit changed. */
    private static final Map<String, String> CORRUPT =
            Map.of("transports", "faulty-shm", "fault.corrupt", "1000", "fault.seed", "1", "shm.eager.limit", "12k");

    private static void local(final Map<String, String> options, final int ranks, final Program program) {
        Wire.withOptions(options, () -> Parley.local(ranks, program));
    }

    private static Map<String, String> checked(final Map<String, String> others) {
        final Map<String, String> all = new HashMap<>(others);
        all.putAll(CHECKED);
        return all;
    }

    /** Sends once each way a message can go; what comes back must be what was sent. */
    @ParameterizedTest
    @EnumSource(Wire.class)
    void shouldLetPassWhatIsWell(final Wire wire) {
        wire.run(2, ThreadLevel.SERIALIZED, CHECKED, parley -> {
            final Communicator world = parley.world();
            final int other = 1 - world.rank();
            for (final int length : new int[] {0, 1, 100, 5000, 20_000, 70_000, 300_000}) {
                final byte[] array = Sample.bytes(length, length);
                try (Memory memory = Parley.allocate(length + 1);
                        Memory into = Parley.allocate(length + 1)) {
                    memory.wrap(0, length).putBytes(0, array);
                    for (final Object buffer : new Object[] {array, memory}) {
                        final Request received = world.ireceive(into, 0, length, other, TAG);
                        final Request sent = world.isend(buffer, 0, length, other, TAG);
                        sent.await();
                        received.await();
                        final byte[] came = new byte[length];
                        into.wrap(0, length).getBytes(0, came);
                        Sample.check(length, length, came);
                        if (world.rank() == 0) {
                            world.ssend(buffer, 0, length, 1, TAG);
                            world.bsend(buffer, 0, length, 1, TAG);
                        } else {
                            final byte[] late = new byte[length];
                            world.probe(0, TAG);
                            world.receive(late, 0, length, 0, TAG);
                            Sample.check(length, length, late);
                            world.receive(into, 0, length, Communicator.ANY_SOURCE, Communicator.ANY_TAG);
                        }
                    }
                }
            }
        });
    }

    private static void damaged(final Parley parley) {
        final Communicator world = parley.world();
        final byte[] data = new byte[10_000];
        if (world.rank() == 0) {
            world.send(data, 0, data.length, 1, TAG);
        } else {
            world.receive(data, 0, data.length, 0, TAG);
            assertThat(data).as("a bit was changed").isNotEqualTo(new byte[data.length]);
        }
    }

    @Test
    void shouldFindDamageThatIsNotSeenOtherwise() {
        FaultyShm.forget();
        assertThatCode(() -> local(CORRUPT, 2, CheckedModeTest::damaged)).doesNotThrowAnyException();
        assertThat(FaultyShm.count(Fault.CORRUPTED)).isPositive();

        assertThatThrownBy(() -> local(checked(CORRUPT), 2, CheckedModeTest::damaged))
                .isInstanceOf(ParleyException.class)
                .hasMessageContaining("the message of 10000 B from 0, tag 3, is not what was sent");
    }

    @Test
    void shouldFindThatABufferWasChangedWhileItWasSent() {
        local(CHECKED, 2, parley -> {
            final Communicator world = parley.world();
            final byte[] data = new byte[1_000_000];
            if (world.rank() == 0) {
                final Request sent = world.isend(data, 0, data.length, 1, TAG);
                data[999_999] = 1;
                world.send(null, 0, 0, 1, TAG + 1);
                assertThatThrownBy(sent::await)
                        .isInstanceOf(ParleyException.class)
                        .hasMessageContaining("the buffer of the send of 1000000 B to 1, tag 3 was changed before");
            } else {
                world.receive(null, 0, 0, 0, TAG + 1);
                assertThatThrownBy(() -> world.receive(data, 0, data.length, 0, TAG))
                        .isInstanceOf(ParleyException.class)
                        .hasMessageContaining("is not what was sent");
            }
        });
    }

    @Test
    void shouldFindThatABufferWasChangedWhileItWaitedForItsMessage() {
        local(CHECKED, 2, parley -> {
            final Communicator world = parley.world();
            final int[] data = new int[100];
            if (world.rank() == 0) {
                final Request received = world.ireceive(data, 0, 100, 1, TAG);
                data[7] = 1;
                world.send(null, 0, 0, 1, TAG);
                assertThatThrownBy(received::await)
                        .isInstanceOf(ParleyException.class)
                        .hasMessageContaining("the buffer of the receive of up to 400 B from 1, tag 3 was changed");
            } else {
                world.receive(null, 0, 0, 0, TAG);
                world.send(data, 0, 100, 0, TAG);
            }
        });
    }

    /** Returns what a class logs while a program runs in checked mode. */
    private static List<String> told(final Class<?> who, final Program program) {
        final List<String> told = Collections.synchronizedList(new ArrayList<>());
        final Handler handler = new Handler() {
            @Override
            public void publish(final LogRecord report) {
                told.add(new SimpleFormatter().format(report));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        final Logger log = Logger.getLogger(who.getName());
        log.addHandler(handler);
        log.setUseParentHandlers(false);
        try {
            local(CHECKED, 1, program);
        } finally {
            log.removeHandler(handler);
            log.setUseParentHandlers(true);
        }
        return told;
    }

    @Test
    void shouldTellOfRequestsThatAreLeftBehind() {
        final List<String> told = told(DroppedRequests.class, parley -> {
            final Communicator world = parley.world();
            final List<Request> kept = new ArrayList<>();
            kept.add(leaveBehind(world));
            kept.add(world.ireceive(new byte[3], 0, 3, 0, 42));
            world.send(new byte[3], 0, 3, 0, 42);
            kept.get(1).await();
            parley.close();
            assertThat(kept.get(0).isDone()).isFalse();
        });
        assertThat(told).hasSize(2);
        assertThat(told.get(0)).contains("rank 0 leaves before 1 of its requests have completed");
        assertThat(told.get(1))
                .contains("not completed: receive of up to 9 B from 0, tag 41")
                .contains("CheckedModeTest.leaveBehind");
    }

    private static Request leaveBehind(final Communicator world) {
        return world.ireceive(new byte[9], 0, 9, 0, 41);
    }

    @Test
    void shouldTellOfMemoryThatIsNotClosed() {
        final List<Memory> kept = new ArrayList<>();
        final List<String> told = told(OpenMemory.class, parley -> {
            Parley.allocate(4096).close();
            kept.add(allocate());
            kept.add(Parley.allocate(100_000));
            kept.get(1).close();
        });

        assertThat(told).hasSize(2);
        assertThat(told.get(0)).contains("rank 0 leaves and has not closed 1 of its pieces", "5000 bytes");
        assertThat(told.get(1)).contains("not closed: 5000 bytes").contains("CheckedModeTest.allocate");
        kept.get(0).close();
    }

    private static Memory allocate() {
        return Parley.allocate(5000);
    }
}
