package org.parley.transport.verbs;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The same where hellos and frames are lost, come twice, and overtake each other. */
class LossyUdResumeTest extends UdResumeTest {
    @BeforeAll
    static void isLossy() {
        LossyUdTransportTest.set(5);
    }

    @AfterAll
    static void isReliableAgain() {
        LossyUdTransportTest.set(0);
    }

    @Override
    protected Map<String, String> breaking() {
        return Map.of("verbs.library", Shim.library(), "drill.interval", "30ms", "ud.retransmit", "1ms");
    }
}
