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
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private TestJob job;
    private TestRank sender;
    private TestRank receiver;
    private Endpoint endpoint;
    private long windows;

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

    /**
     * Now and then a block allocates some hundred bytes, in code that makes no object and not when it is interpreted; two strings were seen
     * once. Most likely the JVM makes a class's constants when it compiles. What allocates by message would show in every block.
     */
    @Test
    void shouldRingOnceForManyMessagesAndAllocateNothing() {
        final int warmUp = 50;
        final int blocks = 5;
        final int rounds = 50;
        for (int round = 0; round < warmUp; round++) {
            sendWindow();
            takeWindow();
        }
        final long[] allocated = new long[blocks];
        long rung = 0;
        for (int round = 0; round < blocks * rounds; round++) {
            final long rungBefore = doorbells();
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            sendWindow();
            allocated[round / rounds] += THREADS.getCurrentThreadAllocatedBytes() - before;
            rung += doorbells() - rungBefore;
            takeWindow();
        }
        assertThat(8 * rung).isLessThanOrEqualTo((long) blocks * rounds * WINDOW);
        assertThat(allocated)
                .as("bytes in each block of %d messages", rounds * WINDOW)
                .contains(0);
    }

    private void sendWindow() {
        for (int i = 0; i < WINDOW; i++) {
            commitLater(i);
        }
        sender.poll();
    }

    private void takeWindow() {
        windows++;
        takeAll(1 + windows * WINDOW);
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
