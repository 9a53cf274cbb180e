package org.parley.transport.self;

import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

class SelfTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new SelfTransport();
    }

    @Override
    protected int ranks() {
        return 1;
    }
}
