package org.parley.transport.tcp;

import java.util.Map;
import org.parley.transport.Transport;
import org.parley.transport.tck.ResumeContract;

/** With the JDK's channels. */
class NioTcpResumeTest extends ResumeContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }

    @Override
    protected Map<String, String> breaking() {
        return Map.of("drill.interval", "3ms", "tcp.native", "false");
    }
}
