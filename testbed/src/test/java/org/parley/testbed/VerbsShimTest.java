package org.parley.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerbsShimTest {
    private static final String CHECK = "verbs-check";

    @BeforeAll
    static void canBeBuilt() {
        final Optional<String> lack = VerbsShim.lacks();
        assumeTrue(lack.isEmpty(), lack.orElse(""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "messages",
                "shared_receives",
                "rdma",
                "without_rdma",
                "stale_key",
                "foreign_memory",
                "short_receive",
                "receiver_not_ready",
                "rnr_retries_end",
                "wrong_psn",
                "peer_in_error",
                "reset_and_again",
                "peer_is_killed",
                "send_queue_fills",
                "wrong_states",
                "limits",
                "events",
                "without_events",
                "port_down",
                "faults",
                "datagrams"
            })
    void shouldKeepTheRulesOfVerbs(final String rule) {
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            assertThat(shim.run(VerbsShim.programs().resolve(CHECK).toString())).contains(rule + "\n");
            assertThat(shim.run(VerbsShim.programs().resolve(CHECK).toString(), rule))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send_lat", "send_bw", "write_lat", "write_bw", "read_lat", "read_bw", "ud_lat", "ud_bw"})
    void shouldMoveWhatACProgramSends(final String test) {
        try (VerbsShim shim = VerbsShim.of(Map.of("ring", "65536"))) {
            for (final String size : new String[] {"2", "3000"}) {
                final String[] lines =
                        shim.perf((test + " -n 200 -s " + size).split(" ")).split("\n");
                assertThat(lines).hasSize(2);
                assertThat(lines[0]).contains("#bytes");
                assertThat(lines[1]).matches(" " + size + " +200 .*");
            }
        }
    }

    @Test
    void shouldLookLikeThePvrdmaOfQemu() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of("like", "qemu"))) {
            final Path device = shim.folder().resolve("sys/class/infiniband/shim0");
            assertThat(device.resolve("device/driver").toRealPath().getFileName())
                    .hasToString("vmw_pvrdma");
            assertThat(device.resolve("ports/1/gid_attrs/types/0")).hasContent("IB/RoCE v1");
            assertThat(device.resolve("ports/1/state")).hasContent("4: ACTIVE");
            assertThat(shim.perf("send_lat", "-n", "200")).contains(" 2 ");
        }
    }

    @Test
    void shouldCountAndFailWhenTold() {
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            shim.perf("send_bw", "-n", "20000", "-s", "8");
            assertThat(shim.counters().values())
                    .hasSize(2)
                    .anySatisfy(counters -> assertThat(counters)
                            .containsEntry("post_send", 40000L)
                            .containsEntry("send_wr", 40000L));
        }
        try (VerbsShim shim = VerbsShim.of(Map.of("fail_send", "20020"))) {
            assertThatThrownBy(() -> shim.perf("write_bw", "-n", "1000"))
                    .hasMessageContaining("transport retry counter exceeded");
        }
    }

    @Test
    void shouldTakeOptionsWhileItRuns() throws Exception {
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            shim.set("port", 0);
            assertThatThrownBy(() -> shim.perf("write_bw", "-n", "10")).hasMessageContaining("retry counter exceeded");
            assertThat(Files.readString(shim.folder().resolve("sys/class/infiniband/shim0/ports/1/state")))
                    .contains("DOWN");
        }
    }
}
