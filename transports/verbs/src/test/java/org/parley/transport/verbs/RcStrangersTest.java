package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.RankAddress;
import org.parley.transport.Strangers;
import org.parley.transport.tck.TestJob;

/** Who calls on the control link of connections without being of the job, and ranks that are not to be taken for such. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class RcStrangersTest {
    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    /** Takes the warnings that users would see. */
    private static final class Warnings extends Handler {
        private final Queue<String> texts = new ConcurrentLinkedQueue<>();

        @Override
        public void publish(final LogRecord entry) {
            if (entry.getLevel() == Level.WARNING) {
                texts.add(new SimpleFormatter().formatMessage(entry));
            }
        }

        @Override
        public void flush() {
            // Nothing is kept back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    /** As ranks do that give up a call, because the other's is to stand or because of a better address. */
    @Test
    void shouldCountWhoHangsUpWithoutAWordAndWarnOnlyOfOthers() throws IOException {
        final Warnings warnings = new Warnings();
        final Logger logger = Logger.getLogger(Strangers.class.getName());
        logger.addHandler(warnings);
        try (TestJob job = new TestJob(2, RcTransport::new, Map.of("verbs.library", Shim.library()))) {
            final InetSocketAddress address = RankAddress.decode(
                            "rc", ByteBuffer.wrap(job.rank(0).address()), FabricPort.BYTES)
                    .sockets()
                    .get(0);
            try (Socket cut = new Socket(address.getAddress(), address.getPort())) {
                cut.getOutputStream().write(new byte[7]);
            }
            awaitRejected(job, 1);
            try (Socket browser = new Socket(address.getAddress(), address.getPort())) {
                browser.getOutputStream().write(new byte[300]);
                awaitRejected(job, 2);
            }
            TestJob.await("a warning", () -> !warnings.texts.isEmpty(), Thread::onSpinWait);

            assertThat(warnings.texts)
                    .singleElement()
                    .asString()
                    .contains("was turned away (it does not speak this protocol); 2 so far");
            job.send(1, 0, new byte[] {1, 2, 3});
            assertThat(job.take(0, 1)).containsExactly(1, 2, 3);
        } finally {
            logger.removeHandler(warnings);
        }
    }

    private static void awaitRejected(final TestJob job, final long count) {
        TestJob.await(
                count + " who were rejected",
                () -> job.rank(0).transport().statistics().get("rc.rejected") == count,
                Thread::onSpinWait);
    }

    /** While it makes a queue pair, which may take seconds, a rank is not told that others did not answer meanwhile. */
    @Test
    void shouldCountNoTimeInWhichItLookedAtNothing() {
        final AtomicLong told = new AtomicLong();
        final AtomicLong done = new AtomicLong();
        try (ControlThread thread = new ControlThread(0, now -> {
            if (done.get() != 0 && told.get() == 0) {
                told.set(now);
            }
        })) {
            thread.start();
            thread.execute(() -> done.set(System.nanoTime()));
            TestJob.await("a tick", () -> told.get() != 0, Thread::onSpinWait);

            assertThat(told.get() - done.get()).isNegative();
        }
    }
}
