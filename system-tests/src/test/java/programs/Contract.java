package programs;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.parley.transport.Transport;
import org.parley.transport.tck.TransportContract;
import org.parley.transport.verbs.RcTransport;
import org.parley.transport.verbs.UdTransport;

/**
 * {@code Contract TRANSPORT...}: holds transports to the contract over the RDMA device of the machine that this runs on, whatever
 * runs there of a build. Says of each test how it ended and after how long; the code is 0 if all ended well.
 */
public final class Contract implements TestExecutionListener {
    private static final Map<String, Class<?>> CONTRACTS =
            Map.of("rc", Rc.class, "rc-without-reads", RcWithoutReads.class, "ud", Ud.class);

    private final String transport;
    private long began;
    private int good;
    private int bad;

    private Contract(String transport) {
        this.transport = transport;
    }

    /** Runs it. */
    public static void main(String[] transports) {
        int bad = 0;
        for (String transport : transports) {
            Contract contract = new Contract(transport);
            Launcher launcher = LauncherFactory.create();
            launcher.execute(
                    LauncherDiscoveryRequestBuilder.request()
                            .selectors(selectClass(CONTRACTS.get(transport)))
                            // What waits has a deadline of its own; a machine may be slow.
                            .configurationParameter("junit.jupiter.execution.timeout.mode", "disabled")
                            .build(),
                    contract);
            System.out.println(transport + ": " + contract.good + " good, " + contract.bad + " bad");
            bad += contract.bad;
        }
        System.exit(bad == 0 ? 0 : 1);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        began = System.nanoTime();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean isGood = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (test.isTest()) {
            good += isGood ? 1 : 0;
            System.out.println(transport + " " + test.getDisplayName() + " " + result.getStatus() + " after "
                    + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) + " ms");
        }
        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
            bad++;
        }
        result.getThrowable().ifPresent(why -> why.printStackTrace(System.out));
    }

    /** Over reliable connections. */
    static class Rc extends TransportContract {
        @Override
        protected Transport newTransport() {
            return new RcTransport();
        }
    }

    /** On a device that makes a SEND of an RDMA READ, which peers find out. */
    static final class RcWithoutReads extends Rc {
        @Override
        protected boolean fetches() {
            return false;
        }
    }

    /** Over datagrams. */
    static final class Ud extends TransportContract {
        @Override
        protected Transport newTransport() {
            return new UdTransport();
        }

        @Override
        protected boolean reachesTheIdle() {
            return false;
        }
    }
}
