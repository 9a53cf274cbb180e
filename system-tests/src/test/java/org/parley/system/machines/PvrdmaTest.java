package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.parley.testbed.Guests;

/** VMware's paravirtual RDMA device with its own driver, over QEMU's emulation of it. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PvrdmaTest extends OnPairs {
    PvrdmaTest() {
        super(Guests.Device.PVRDMA, false);
    }

    @Test
    void shouldFindWhatIsSoundSound() throws Exception {
        assertThat(runIn(guest('a'), "root", "doctor", "--local"))
                .contains("adapter     ok", "system      ok", "link        ok", "RoCE v1, GID 10.78.0.1", "exit 0");
    }

    /** The last of its class: the device does not come back. */
    @Test
    @Order(Integer.MAX_VALUE)
    void shouldFindADeviceWithoutItsDriver() throws Exception {
        guest('a')
                .run(
                        "sh",
                        "-c",
                        "cd /sys/bus/pci/drivers/vmw_pvrdma && for device in 0000:*; do echo $device > unbind; done");

        assertThat(runIn(guest('a'), "root", "doctor", "--local"))
                .contains("adapter     BROKEN", "D102", "not examined: system", "exit 1");
    }
}
