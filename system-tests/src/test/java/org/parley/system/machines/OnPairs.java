package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.parley.testbed.Guests;

/** What runs between two guests whatever their device. */
abstract class OnPairs extends OnGuests {
    OnPairs(Guests.Device device) {
        super(2, device);
    }

    @Test
    void shouldHaveConnectionsOfVerbs() throws Exception {
        assertThat(pingpong("ibv_rc_pingpong")).contains("100 iters in");
    }

    @Test
    void shouldHaveDatagramsOfVerbs() throws Exception {
        assertThat(pingpong("ibv_ud_pingpong", "-s", "1024")).contains("100 iters in");
    }

    @Test
    void shouldMeasureOverDatagrams() throws Exception {
        assertThat(bench("latency", "ud", "8:2k")).hasSize(9).allMatch(row -> row.endsWith("Pass"));
    }

    @Test
    void shouldMeasureOverTcp() throws Exception {
        assertThat(bench("latency", "tcp", "8:32")).hasSize(3);
    }
}
