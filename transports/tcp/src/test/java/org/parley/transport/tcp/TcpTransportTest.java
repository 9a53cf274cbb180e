package org.parley.transport.tcp;

import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

class TcpTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }
}
