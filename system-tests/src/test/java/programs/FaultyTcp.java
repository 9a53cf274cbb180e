package programs;

import org.parley.transport.fault.FaultTransport;
import org.parley.transport.tcp.TcpTransport;

/** TCP on bad days: a service where a class path says so, under the plan of {@code fault.*}. */
public final class FaultyTcp extends FaultTransport {
    /** For the service loader. */
    public FaultyTcp() {
        super("faulty-tcp", new TcpTransport());
    }
}
