package org.parley.transport.tcp;

import java.util.concurrent.ThreadLocalRandom;
import org.parley.transport.Transport;
import org.parley.transport.fault.FaultPlan;
import org.parley.transport.fault.FaultTransport;
import org.parley.transport.tck.TransportContract;

/** Full and late, as a transport may be at any time, over the real one. */
class FaultyTcpTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        final long seed = ThreadLocalRandom.current().nextLong();
        return new FaultTransport(new TcpTransport(), new FaultPlan(seed, 200, 100, 300, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }
}
