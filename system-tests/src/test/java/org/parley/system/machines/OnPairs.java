package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.parley.system.Command;
import org.parley.testbed.Guests;

/** What runs between two guests whatever their device. */
abstract class OnPairs extends OnGuests {
    private final boolean reads;

    /**
     * Tests of a kind of guests.
     *
     * @param reads whether their device does RDMA READ
     */
    OnPairs(Guests.Device device, boolean reads) {
        super(2, device);
        this.reads = reads;
    }

    @Test
    void shouldHaveConnectionsOfVerbs() throws Exception {
        assertThat(pingpong("ibv_rc_pingpong")).contains("100 iters in");
    }

    @Test
    void shouldHaveDatagramsOfVerbs() throws Exception {
        assertThat(pingpong("ibv_ud_pingpong", "-s", "1024")).contains("100 iters in");
    }

    /** Several at once, at once and when the receiver is ready. */
    @Test
    void shouldMeasureOverConnections() throws Exception {
        assertThat(rows("latency bw allreduce", "rc", "8k:32k")).hasSize(9).allMatch(row -> row.endsWith("Pass"));
    }

    /** The receiver reads them where the device does that; else they are streams of SENDs. */
    @Test
    void shouldCarryLongMessages() throws Exception {
        Command.Result result = bench("latency", "rc", "64m:64m", "-i", "1", "-x", "0");

        assertThat(rows(result)).hasSize(1).allMatch(row -> row.endsWith("Pass"));
        // What is zero is not told.
        assertThat(result.err().contains("rc.registrations "))
                .as(result.toString())
                .isEqualTo(reads);
    }

    @Test
    void shouldMeasureOverDatagrams() throws Exception {
        assertThat(rows("latency", "ud", "8:2k")).hasSize(9).allMatch(row -> row.endsWith("Pass"));
    }

    @Test
    void shouldMeasureOverTcp() throws Exception {
        assertThat(rows("latency", "tcp", "8:32")).hasSize(3);
    }
}
