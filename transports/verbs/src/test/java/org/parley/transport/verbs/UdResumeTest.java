package org.parley.transport.verbs;

import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.parley.transport.Transport;
import org.parley.transport.tck.ResumeContract;

/** Queue pairs that are lost again and again, at all ends at once. */
class UdResumeTest extends ResumeContract {
    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    @Override
    protected Transport newTransport() {
        return new UdTransport();
    }

    @Override
    protected Map<String, String> breaking() {
        return Map.of("verbs.library", Shim.library(), "drill.interval", "10ms", "ud.retransmit", "1ms");
    }
}
