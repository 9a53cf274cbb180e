package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that do not move are told of; a message that nobody has sent is not. */
class StallTest {
    private static final Pattern WARNING = Pattern.compile(
            "rank 0: \\d{7} bytes for rank 1 \\(\\S+, over (tcp|shm)\\) have not moved for \\d+ s: the peer takes none");

    @TempDir
    Path folder;

    /** A job that hangs is asked what it does after some time, which lets it look several times. */
    private Command.Result run(String transport, String... acts) throws Exception {
        String[] words = {
            "run",
            "-n",
            "2",
            "--timeout",
            "15",
            "--transports",
            transport,
            "--set",
            "stall.warning=2s",
            "-cp",
            Launch.CLASSES,
            "programs.Actor",
            acts[0],
            acts[1]
        };
        try (Launch job = Launch.parley(folder, words)) {
            return job.end();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void shouldTellOnceOfAReceiverThatNeverTakes(String transport) throws Exception {
        Command.Result result = run(transport, "send-long", "sleep");

        assertThat(result.code()).isEqualTo(124);
        assertThat(WARNING.matcher(result.err()).results()).as(result.err()).hasSize(1);
        assertThat(result.err()).containsPattern("rank 0 .* waits in ssend of 1048576 B .*, stalls 1\\b");
    }

    @Test
    void shouldNotTakeAMessageThatNobodySentForAStall() throws Exception {
        for (String act : new String[] {"receive", "send"}) {
            // With links made before: bytes that wait for a link are such that do not move.
            assertThat(run("tcp", "ring-" + act, "ring-sleep").err())
                    .contains("rank 0 ")
                    .doesNotContain("have not moved")
                    .doesNotContain("stalls");
        }
    }
}
