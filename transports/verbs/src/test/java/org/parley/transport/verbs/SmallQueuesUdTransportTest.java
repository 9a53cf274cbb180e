package org.parley.transport.verbs;

import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** Short datagrams, and so few receives that peers send more at once than there are. */
class SmallQueuesUdTransportTest extends TransportContract {
    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    @Override
    protected Transport newTransport() {
        return new UdTransport();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of(
                "verbs.library",
                Shim.library(),
                "verbs.queue.depth",
                "8",
                "verbs.mtu",
                "256",
                "ud.window",
                "32k",
                "ud.retransmit",
                "1ms");
    }

    @Override
    protected boolean reachesTheIdle() {
        return false;
    }
}
