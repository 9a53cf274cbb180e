package org.parley.transport.tcp;

import java.util.Map;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** Over IPv6. */
class Ipv6TcpTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("tcp.interfaces", "::1/128");
    }
}
