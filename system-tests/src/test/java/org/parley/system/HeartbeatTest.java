package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Silence is no death: who is suspected and then heard of again goes on. Each of these takes the 10 s after which one is
 * suspected, or longer than the limit that it sets.
 */
class HeartbeatTest {
    /** So long that no machine makes a death of a suspicion. */
    private static final String NEVER = "silence.timeout=10min";

    private static final String SUSPICION = " has given no sign for ";

    @TempDir
    Path folder;

    private Launch run(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "-v"));
        words.addAll(List.of(options));
        words.addAll(List.of("-cp", Launch.CLASSES, "programs.Actor", "echo-ring", "ring"));
        Launch job = Launch.parley(folder, words.toArray(String[]::new));
        job.awaitOut("rank 0: echo-ring\n");
        job.awaitOut("rank 1: ring\n");
        return job;
    }

    /** Rank 0 goes on, and with it rank 1, which waits for it. */
    private static String goOn(Launch job) throws Exception {
        job.in().close();
        Command.Result result = job.end();
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out()).contains("rank 0 got 1\n", "rank 1 got 0\n");
        return result.err();
    }

    @Test
    void shouldGoOnWithARankThatWasOnlySuspected() throws Exception {
        try (Launch job = run("-n", "2", "--set", NEVER)) {
            Launch.signal("STOP", job.pid(1));
            job.awaitErr("parley: rank 1" + SUSPICION);
            Launch.signal("CONT", job.pid(1));

            assertThat(goOn(job)).doesNotContain("rank 0" + SUSPICION);
        }
    }

    @Test
    void shouldGoOnWithAHostThatWasOnlySuspected() throws Exception {
        FakeSsh ssh = FakeSsh.in(folder);
        try (Launch job = run("-H", "a,b", "--set", "launch.ssh=" + ssh.path(), "--set", NEVER)) {
            Launch.signal("STOP", ssh.agent("b"));
            job.awaitErr("parley: host b" + SUSPICION);
            Launch.signal("CONT", ssh.agent("b"));

            assertThat(goOn(job)).doesNotContain("host a" + SUSPICION);
        }
    }

    /** As a machine that is moved: launcher and ranks stand still for longer than anybody may be silent. */
    @Test
    void shouldNotTakeTheOwnSleepForTheRanksSilence() throws Exception {
        try (Launch job = run("-n", "2", "--set", "silence.timeout=10s")) {
            List<Long> all = List.of(job.pid(0), job.pid(1), job.pid());
            for (long pid : all) {
                Launch.signal("STOP", pid);
            }
            TimeUnit.SECONDS.sleep(14);
            for (long pid : all) {
                Launch.signal("CONT", pid);
            }

            assertThat(goOn(job)).doesNotContain("FAILED");
        }
    }
}
