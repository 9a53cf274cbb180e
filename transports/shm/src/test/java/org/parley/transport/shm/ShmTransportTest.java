package org.parley.transport.shm;

import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

class ShmTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new ShmTransport();
    }
}
