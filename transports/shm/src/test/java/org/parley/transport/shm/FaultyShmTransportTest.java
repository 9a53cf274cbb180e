package org.parley.transport.shm;

import java.util.concurrent.ThreadLocalRandom;
import org.parley.transport.Transport;
import org.parley.transport.fault.FaultPlan;
import org.parley.transport.fault.FaultTransport;
import org.parley.transport.tck.TransportContract;

/** Full and late, as a transport may be at any time, over the real one. */
class FaultyShmTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        final long seed = ThreadLocalRandom.current().nextLong();
        return new FaultTransport(new ShmTransport(), new FaultPlan(seed, 200, 100, 300, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }
}
