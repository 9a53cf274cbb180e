package org.parley.transport.verbs;

import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** With few receives and sends, and little that may be under way: every limit is met. */
class SmallQueuesRcTransportTest extends TransportContract {
    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    @Override
    protected Transport newTransport() {
        return new RcTransport();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of(
                "verbs.library",
                Shim.library(),
                "verbs.queue.depth",
                "8",
                "rc.window",
                "256k",
                "rc.eager.limit",
                "32k");
    }
}
