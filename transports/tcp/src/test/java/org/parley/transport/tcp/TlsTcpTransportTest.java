package org.parley.transport.tcp;

import java.util.Map;
import org.junit.jupiter.api.RepeatedTest;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** Encrypted. */
class TlsTcpTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("tcp.tls", "true");
    }

    /** The end of the connection races with that of the handshake. */
    @RepeatedTest(50)
    void shouldKeepLastWordsReadable() {
        shouldKeepCommittedFramesReadableAfterClose();
    }
}
