package org.parley.transport.tcp;

import java.util.Map;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** With little that may be under way. */
class SmallWindowTcpTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("tcp.window", "256k", "tcp.eager.limit", "1k");
    }
}
