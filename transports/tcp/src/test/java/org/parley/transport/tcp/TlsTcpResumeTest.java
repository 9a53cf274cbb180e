package org.parley.transport.tcp;

import java.util.Map;
import org.parley.transport.Transport;
import org.parley.transport.tck.ResumeContract;

/** Encrypted, which makes each new link dearer. */
class TlsTcpResumeTest extends ResumeContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }

    @Override
    protected Map<String, String> breaking() {
        return Map.of("drill.interval", "30ms", "tcp.tls", "true");
    }
}
