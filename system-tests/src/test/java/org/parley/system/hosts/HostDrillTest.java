package org.parley.system.hosts;

import org.junit.jupiter.api.Test;
import org.parley.system.DrillTest;
import org.parley.system.Launch;
import org.parley.testbed.Network;

/** Links between hosts that are broken again and again. */
class HostDrillTest extends OnHosts {
    HostDrillTest() {
        super(3, Network.Addressing.IPV4);
    }

    @Test
    void shouldLoseNothingBetweenHosts() throws Exception {
        DrillTest.assertRehearsed(
                run("run", "node-b,node-c", "--drill", "50ms", "-cp", Launch.CLASSES, "programs.Rehearsal", "3"));
    }
}
