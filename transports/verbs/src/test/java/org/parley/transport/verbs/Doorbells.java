package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.Endpoint;
import org.parley.transport.Transport;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;

/** Each doorbell is an exit to the hypervisor: frames of a sender who will be back leave together. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
abstract class Doorbells {
    private static final int WINDOW = 64;
    private static final long SMALLEST_OBJECT = 16;

    private TestJob job;
    private TestRank sender;
    private TestRank receiver;
    private Endpoint endpoint;

    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    /** Makes a transport that is not open. */
    abstract Transport newTransport();

    @BeforeEach
    void connect() {
        job = new TestJob(2, this::newTransport, Map.of("verbs.library", Shim.library()));
        sender = job.rank(0);
        receiver = job.rank(1);
        endpoint = sender.to(1);
        job.send(0, 1, Pattern.bytes(0, 8));
        job.take(1, 0);
        job.await("the acknowledgement", endpoint::isAcknowledged);
    }

    @AfterEach
    void close() {
        job.close();
    }

    private long doorbells() {
        return sender.transport().statistics().get(sender.transport().name() + ".doorbells");
    }

    private boolean commitLater(final long word) {
        long frame;
        while ((frame = endpoint.claim(Long.BYTES)) < 0) {
            sender.poll();
        }
        UnsafeApi.putLong(frame, word);
        return endpoint.commitLater();
    }

    private void takeAll(final long all) {
        TestJob.await("all frames", () -> receiver.received() == all, receiver::poll);
        job.await("acknowledgements", endpoint::isAcknowledged);
    }

    @Test
    void shouldRingOnceForManyMessagesAndAllocateNothing() {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final int rounds = 300;
        final int warmUp = 50;
        long allocated = 0;
        long rung = 0;
        for (int round = 0; round < rounds; round++) {
            final long rungBefore = doorbells();
            final long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < WINDOW; i++) {
                commitLater(i);
            }
            sender.poll();
            if (round >= warmUp) {
                allocated += threads.getCurrentThreadAllocatedBytes() - before;
                rung += doorbells() - rungBefore;
            }
            takeAll(1 + (long) (round + 1) * WINDOW);
        }
        assertThat(8 * rung).isLessThanOrEqualTo((long) (rounds - warmUp) * WINDOW);
        // Not an object a window. A few bytes in 16 000 messages are seen now and then; from where is not known.
        assertThat(allocated).isLessThan(SMALLEST_OBJECT * (rounds - warmUp));
    }

    @Test
    void shouldNotLetTheFirstAfterAPollWait() {
        for (int i = 0; i < 100; i++) {
            job.await("room", endpoint::isAcknowledged);
            sender.poll();
            assertThat(commitLater(i)).isFalse();
            assertThat(endpoint.isSent()).isTrue();
        }
        takeAll(101);
    }

    @Test
    void shouldSendWhatWaitsWithWhatDoesNot() {
        sender.poll();
        for (int i = 0; i < 3; i++) {
            commitLater(i);
        }
        final long frame = endpoint.claim(Long.BYTES);
        UnsafeApi.putLong(frame, 3);
        endpoint.commit();
        assertThat(endpoint.isSent()).isTrue();
        takeAll(5);
    }

    @Test
    void shouldSendWhatWaitsWhereTheSenderStaysAway() {
        sender.poll();
        for (int i = 0; i < 4; i++) {
            commitLater(i);
        }
        TestJob.await("all frames", () -> receiver.received() == 5, receiver::poll);
    }
}
