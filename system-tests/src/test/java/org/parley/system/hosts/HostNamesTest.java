package org.parley.system.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Network;

/** Jobs need neither IPv4 nor names. */
class HostNamesTest {
    private static void assertRuns(OnHosts hosts) throws Exception {
        Command.Result result = hosts.run("run", "node-b:2,node-c", "-cp", Launch.CLASSES, "programs.Actor", "ring");

        assertThat(result.out()).contains("rank 0 got 2", "rank 1 got 0", "rank 2 got 1");
    }

    @Nested
    class Ipv6 extends OnHosts {
        Ipv6() {
            super(3, Network.Addressing.IPV6);
        }

        @Test
        void shouldRunWhereThereIsNoIpv4() throws Exception {
            assertRuns(this);
        }
    }

    @Nested
    class Nameless extends OnHosts {
        Nameless() {
            super(3, Network.Addressing.NAMELESS);
        }

        @Test
        void shouldRunWhereOnlySshKnowsTheNames() throws Exception {
            assertRuns(this);
        }
    }
}
