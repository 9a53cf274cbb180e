package org.parley;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.fault.FaultCounters.Fault;

/** A wire may let frames of non-blocking sends wait for others; here each waits as long as it may. */
@Timeout(240)
class LateSendTest {
    private static final Map<String, String> LATE =
            Map.of("transports", "faulty-shm", "fault.seed", "1", "fault.linger", "1000");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLetNothingWaitOnceARequestHasEnded(final boolean awaits) {
        FaultyShm.forget();
        final CountDownLatch received = new CountDownLatch(1);
        Wire.withOptions(
                LATE,
                () -> Parley.local(2, parley -> {
                    final Communicator world = parley.world();
                    final int[] data = new int[3];
                    if (world.rank() == 1) {
                        world.receive(data, 0, 3, 0, 1);
                        world.send(data, 0, 3, 0, 1);
                        world.receive(data, 0, 3, 0, 2);
                        received.countDown();
                        return;
                    }
                    world.send(data, 0, 3, 1, 1);
                    world.receive(data, 0, 3, 1, 1);
                    final Request send = world.isend(data, 0, 3, 1, 2);
                    if (awaits) {
                        send.await();
                    } else {
                        assertThat(send.test()).isTrue();
                    }
                    // The rank does something else: nobody but the wire could send now.
                    assertThat(received.await(60, TimeUnit.SECONDS)).isTrue();
                }));
        assertThat(FaultyShm.count(Fault.LINGERED)).isOne();
    }
}
