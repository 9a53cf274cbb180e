package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.parley.testbed.Guests;

/** Soft-RoCE on VMware's paravirtual network card. */
class Vmxnet3Test extends OnGuests {
    Vmxnet3Test() {
        super(Guests.Device.VMXNET3, () -> Guests.of(2, Guests.Device.VMXNET3));
    }

    @Test
    void shouldHaveConnectionsOfVerbs() throws Exception {
        assertThat(pingpong("ibv_rc_pingpong")).contains("100 iters in");
    }

    @Test
    @WhenAskedFor
    void shouldMeasureOverConnections() throws Exception {
        assertThat(rows("latency bw allreduce", "rc", "8k:32k")).hasSize(9).allMatch(row -> row.endsWith("Pass"));
    }
}
