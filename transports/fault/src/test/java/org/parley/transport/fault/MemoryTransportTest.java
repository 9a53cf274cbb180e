package org.parley.transport.fault;

import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** What the other tests here stand on. */
class MemoryTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new MemoryTransport();
    }
}
