package org.parley.transport.tcp;

import java.util.Map;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** With the JDK's channels. */
class NioTcpTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("tcp.native", "false");
    }
}
