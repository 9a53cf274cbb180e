package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job that hangs tells why. */
class TimeoutTest {
    @TempDir
    Path folder;

    private Command.Result run(List<String> options, String... acts) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "-n", "2", "--timeout", "5"));
        words.addAll(options);
        words.addAll(List.of("-cp", Launch.CLASSES, "programs.Actor"));
        words.addAll(List.of(acts));
        try (Launch job = Launch.parley(folder, words.toArray(String[]::new))) {
            return job.end();
        }
    }

    @Test
    void shouldTellTheCallsOfADeadlock() throws Exception {
        Command.Result result = run(List.of(), "receive");

        assertThat(result.code()).isEqualTo(124);
        assertThat(result.err())
                .containsPattern("rank 0 on \\S+ \\(pid \\d+\\) waits in receive of up to 8 B from 1, tag 7")
                .containsPattern("rank 1 on \\S+ \\(pid \\d+\\) waits in receive of up to 8 B from 0, tag 7")
                .contains("parley: ranks wait for each other, and none can go on:\n")
                .containsPattern("\n    rank 0 waits for rank 1 since [\\d.]+ s: receive of up to 8 B from 1, tag 7\n"
                        + "    rank 1 waits for rank 0 since [\\d.]+ s: receive of up to 8 B from 0, tag 7\n")
                .contains("programs.Actor.play(")
                .contains("FAILED  the job did not end within 5.0 s")
                .endsWith("exit code 124\n")
                .doesNotContain("parley-control");
    }

    @Test
    void shouldTellWhatHasBeenCounted() throws Exception {
        assertThat(run(List.of(), "ring-receive").err())
                .containsPattern("rank 0 .* waits in receive .*; bytes.received 4, bytes.sent 4, messages.received 1");
    }

    @Test
    void shouldNameTheRankThatOthersWaitFor() throws Exception {
        assertThat(run(List.of(), "receive", "sleep").err())
                .contains("parley: rank 0 waits, in the end, for rank 1, in no call that waits for long\n")
                .doesNotContain("wait for each other");
    }

    @Test
    void shouldCountACommunicatorsRanksInTheWorld() throws Exception {
        assertThat(run(List.of(), "receive-in-reverse").err())
                .containsPattern("\n    rank 0 waits for rank 1 since [\\d.]+ s: receive of up to 8 B from 0, tag 7,"
                        + " communicator 1\n")
                .containsPattern("\n    rank 1 waits for rank 0 since [\\d.]+ s: receive of up to 8 B from 1, tag 7,"
                        + " communicator 1\n");
    }

    /** Takes 10 s, for which ranks must have been seen in the same waits. */
    @Test
    void shouldTellOfADeadlockByItselfInCheckedMode() throws Exception {
        try (Launch job = Launch.parley(
                folder,
                "run",
                "-n",
                "3",
                "--set",
                "check=true",
                "-cp",
                Launch.CLASSES,
                "programs.Actor",
                "receive",
                "barrier",
                "receive")) {
            job.awaitErr("parley: nothing happens any more: ranks wait for each other, and none can go on:\n");
            job.awaitErr("rank 0 waits for rank 1 since ");
            Launch.signal("TERM", job.pid());
            assertThat(job.end().code()).isEqualTo(143);
        }
    }

    @Test
    void shouldShowAllThreadsWhenAskedTo() throws Exception {
        assertThat(run(List.of("--get-stack-traces"), "sleep").err())
                .contains("\"main\"")
                .contains("\"Finalizer\"");
    }

    @Test
    void shouldTellOfRanksThatHaveNotJoined() throws Exception {
        Command.Result result = run(List.of(), "barrier", "stranger-sleep");

        assertThat(result.code()).isEqualTo(124);
        assertThat(result.err()).containsPattern("rank 1 on \\S+ \\(pid \\d+\\) has not joined the job");
        // The JVM's own answer to SIGQUIT.
        assertThat(result.out()).contains("Full thread dump").contains("programs.Actor.alone(");
    }

    @Test
    void shouldStopAnyProgram() throws Exception {
        try (Launch job = Launch.parley(folder, "run", "-n", "2", "--timeout", "1s", "--exec", "sleep", "100")) {
            assertThat(job.end().code()).isEqualTo(124);
        }
    }

    @Test
    void shouldNotDisturbAJobThatIsInTime() throws Exception {
        try (Launch job = Launch.parley(folder, "run", "-n", "2", "--timeout", "1min", "--exec", "true")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            assertThat(result.err()).isEmpty();
        }
    }
}
