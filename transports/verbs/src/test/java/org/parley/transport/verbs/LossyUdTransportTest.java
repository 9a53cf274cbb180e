package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.parley.transport.Transport;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TransportContract;

/** Datagrams that are lost, come twice, and overtake each other. */
class LossyUdTransportTest extends TransportContract {
    @BeforeAll
    static void hasDevice() {
        Shim.assume();
        set(5);
    }

    @AfterAll
    static void isReliableAgain() {
        set(0);
    }

    static void set(final int percent) {
        Shim.set("drop_percent", percent);
        Shim.set("duplicate_percent", percent);
        Shim.set("overtake_percent", percent);
    }

    @Override
    protected Transport newTransport() {
        return new UdTransport();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("verbs.library", Shim.library(), "ud.retransmit", "1ms");
    }

    @Override
    protected boolean reachesTheIdle() {
        return false;
    }

    @Test
    void shouldCountWhatHappensToDatagrams() {
        try (TestJob job = new TestJob(2, this::newTransport, options())) {
            final int largest = job.rank(0).transport().capabilities().maxFrame();
            for (int i = 0; i < 2000; i++) {
                job.send(0, 1, Pattern.bytes(i, 1 + i * 37 % largest));
            }
            for (int i = 0; i < 2000; i++) {
                assertThat(job.take(1, 0)).isEqualTo(Pattern.bytes(i, 1 + i * 37 % largest));
            }
            final Map<String, Long> sender = job.rank(0).transport().statistics();
            final Map<String, Long> receiver = job.rank(1).transport().statistics();
            assertThat(sender.get("ud.retransmits")).isPositive();
            assertThat(receiver.get("ud.duplicates.dropped")).isPositive();
            assertThat(receiver.get("ud.overtaking.held")).isPositive();
            assertThat(sender.get("ud.datagrams.sent")).isGreaterThan(receiver.get("ud.datagrams.received") / 2);
        }
    }
}
