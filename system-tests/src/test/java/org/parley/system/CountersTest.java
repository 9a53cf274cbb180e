package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ranks count is told to those who ask. */
class CountersTest {
    @TempDir
    Path folder;

    @Test
    void shouldTellWhatEachRankHasCountedWhenItLeaves() throws Exception {
        try (Launch job = Launch.parley(
                folder,
                "run",
                "-v",
                "-n",
                "2",
                "--transports",
                "tcp",
                "-cp",
                Launch.CLASSES,
                "programs.Actor",
                "ring")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            for (int rank = 0; rank < 2; rank++) {
                assertThat(result.err())
                        .containsPattern("parley: rank " + rank + ": bytes.received 4, bytes.sent 4,"
                                + " messages.received 1, messages.sent 1, .*"
                                + "tcp.bytes.received [1-9]\\d*, tcp.bytes.sent [1-9]\\d*, tcp.handshakes 1\\b");
            }
        }
    }
}
