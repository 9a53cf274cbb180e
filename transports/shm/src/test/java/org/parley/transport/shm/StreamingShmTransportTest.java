package org.parley.transport.shm;

import java.util.Map;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;

/** Where the kernel allows no copy from process to process, and space is short. */
class StreamingShmTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new ShmTransport();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("shm.single.copy", "false", "shm.ring.size", "32k");
    }
}
