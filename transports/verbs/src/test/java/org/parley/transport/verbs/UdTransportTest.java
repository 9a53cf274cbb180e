package org.parley.transport.verbs;

import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** Datagrams without hardware. */
class UdTransportTest extends TransportContract {
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
        return Map.of("verbs.library", Shim.library());
    }
}
