package org.parley.transport.tcp;

import java.util.Map;
import org.parley.transport.Transport;
import org.parley.transport.tck.ResumeContract;

/** By descriptor. */
class TcpResumeTest extends ResumeContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }

    @Override
    protected Map<String, String> breaking() {
        return Map.of("drill.interval", "3ms");
    }
}
