package org.parley.transport.fault;

import java.util.concurrent.ThreadLocalRandom;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** Full and late as a transport may be at any time, the decorator keeps the contract. */
class LegalFaultsTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        final long seed = ThreadLocalRandom.current().nextLong();
        return new FaultTransport(new MemoryTransport(), new FaultPlan(seed, 200, 100, 300, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }
}
