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
    protected int often() {
        return 2;
    }

    @Override
    protected Map<String, String> breaking() {
        return Map.of("drill.interval", "100ms", "tcp.tls", "true");
    }
}
