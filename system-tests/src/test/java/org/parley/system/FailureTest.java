package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How jobs end whose ranks do not end well: named, with the code of the first cause, and whole. */
class FailureTest {
    @TempDir
    Path folder;

    @Test
    void shouldEndWithZeroWhenAllIsWell() throws Exception {
        try (Launch job = Launch.actors(folder, 3, "ring")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            assertThat(result.out()).contains("rank 0 got 2", "rank 1 got 0", "rank 2 got 1");
            assertThat(result.err()).doesNotContain("FAILED");
            assertThat(job.leftovers()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "exit-3, 3, exited with code 3",
        "stranger-exit-4, 4, exited with code 4",
        "abort, 9, ended the job with code 9",
        "init-again, 1, joined its job as rank 1 already: a rank joins once",
        "throw, 1, IllegalStateException: on purpose",
        "throw-with-thread, 1, IllegalStateException: on purpose",
        "out-of-memory, 1, OutOfMemoryError",
        "crash, 134, ended by SIGABRT",
        "careless-end, 1, without leaving the job",
        "careless-exit-0, 1, without leaving the job"
    })
    void shouldPassOnTheCodeOfTheFirstCauseAndNameIt(String act, int code, String how) throws Exception {
        try (Launch job = Launch.actors(folder, 3, "receive", act, "receive")) {
            Command.Result result = job.end();

            assertThat(block(result))
                    .contains("FAILED  rank 1 of 3 on ")
                    .contains("(pid " + job.pid(1) + ")")
                    .contains(how)
                    .contains("exit code " + code);
            assertThat(result.code()).isEqualTo(code);
            assertNothingIsLeft(job, 3);
        }
    }

    /** Of what it has died it may have nothing left to say with, its control thread included. */
    @Test
    void shouldNameARankWhoseHeapIsFull() throws Exception {
        try (Launch job = Launch.parley(
                folder,
                "run",
                "-v",
                "-n",
                "3",
                "--java-opt",
                "-Xmx64m",
                "-cp",
                Launch.CLASSES,
                "programs.Actor",
                "receive",
                "out-of-heap",
                "barrier")) {
            Command.Result result = job.end();

            assertThat(block(result)).contains("FAILED  rank 1 of 3 on ");
            assertThat(result.code()).isEqualTo(1);
            assertNothingIsLeft(job, 3);
        }
    }

    @Test
    void shouldNameTheReportOfACrashInNativeCode() throws Exception {
        try (Launch job = Launch.actors(folder, 3, "receive", "crash-in-native-code", "barrier")) {
            Command.Result result = job.end();

            Path report = folder.resolve("hs_err_pid" + job.pid(1) + ".log");
            assertThat(block(result)).contains("FAILED  rank 1 of 3 on ", "SIGABRT", "crash report: " + report);
            assertThat(Files.readString(report)).contains("SIGSEGV", "libc.so", "Native.invokeLong");
            assertThat(result.code()).isEqualTo(134);
            assertNothingIsLeft(job, 3);
        }
    }

    /** What it had committed arrives, what it had not does not, and the ring is no trap. */
    @Test
    void shouldEndWhenARankIsKilledBetweenClaimAndCommit() throws Exception {
        String classes = Launch.withTransport(folder, programs.DyingShm.class);
        try (Launch job = Launch.parley(
                folder,
                "run",
                "-v",
                "-n",
                "3",
                "--java-opt",
                "-Dparley.transports=dying-shm",
                "-cp",
                classes,
                "programs.Actor",
                "barrier",
                "send-and-die-in-the-next",
                "receive-twice")) {
            Command.Result result = job.end();

            assertThat(block(result))
                    .contains("FAILED  rank 1 of 3 on ", "ended by SIGKILL", "ranks 0,2 were told to stop");
            assertThat(result.out()).contains("rank 2 got 1").doesNotContain("rank 2 got 2");
            assertThat(result.code()).isEqualTo(137);
            assertNothingIsLeft(job, 3);
        }
    }

    /** Where the program called is no matter of it: the block at the end says all. Rank 1 only waits. */
    @Test
    void shouldPrintNoStackWhereNoTransportLeadsToAPeer() throws Exception {
        try (Launch job = Launch.parley(
                folder, "run", "-n", "2", "--transports", "self", "-cp", Launch.CLASSES, "programs.Rehearsal", "1")) {
            Command.Result result = job.end();

            assertThat(result.err())
                    .contains("FAILED  rank 0 of 2", "no permitted transport leads there")
                    .doesNotContain("\" org.parley.JobException", "Links.java");
            assertThat(result.code()).isEqualTo(1);
        }
    }

    /** Their failure is a consequence, however fast it comes. */
    @Test
    void shouldNotTakeThoseWhoBlameAnotherForTheCause() throws Exception {
        try (Launch job = Launch.actors(folder, 4, "receive", "receive-any", "throw", "send")) {
            Command.Result result = job.end();

            assertThat(block(result)).contains("FAILED  rank 2 of 4").contains("on purpose");
        }
    }

    /** Rank 0 fails as rank 1 has left, which failed as rank 2 has left; that one says last why. */
    @Test
    void shouldFollowTheBlameToWhoSaysLastWhyItEnds() throws Exception {
        try (Launch job = Launch.actors(folder, 3, "receive", "receive", "slow-throw")) {
            Command.Result result = job.end();

            assertThat(block(result)).contains("FAILED  rank 2 of 3").contains("on purpose");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send", "send-long", "receive", "receive-any", "barrier", "sleep", "spin"})
    void shouldEndWhenARankIsKilled(String act) throws Exception {
        try (Launch job = Launch.actors(folder, 3, act, "sleep", act)) {
            for (int rank = 0; rank < 3; rank++) {
                job.awaitOut("rank " + rank + ": ");
            }
            Launch.signal("KILL", job.pid(1));
            Command.Result result = job.end();

            assertThat(block(result))
                    .contains("FAILED  rank 1 of 3 on ")
                    .contains("ended by SIGKILL")
                    .contains("ranks 0,2 were told to stop")
                    .contains("exit code 137");
            assertThat(result.code()).isEqualTo(137);
            assertNothingIsLeft(job, 3);
        }
    }

    @Test
    void shouldTellTheLastCallOfARankThatWasKilledInIt() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "receive", "sleep")) {
            Path waits = waitFile(job, 0);
            org.awaitility.Awaitility.await()
                    .atMost(Launch.PATIENCE)
                    .until(() -> Files.readString(waits, java.nio.charset.StandardCharsets.ISO_8859_1)
                            .contains("receive"));
            Launch.signal("KILL", job.pid(0));

            assertThat(block(job.end()))
                    .contains("FAILED  rank 0 of 2")
                    .contains("last call: receive")
                    .contains("from 1");
        }
    }

    private static Path waitFile(Launch job, int rank) throws Exception {
        job.awaitOut("rank " + rank + ": ");
        return job.leftovers().get(0).resolve("wait-" + rank);
    }

    @Test
    void shouldEndWhenARankIsKilledBeforeItJoins() throws Exception {
        try (Launch job = Launch.actors(folder, 3, "barrier", "stranger-sleep", "barrier")) {
            job.awaitOut("rank 1: ");
            Launch.signal("KILL", job.pid(1));

            assertThat(job.end().code()).isEqualTo(137);
            assertNothingIsLeft(job, 3);
        }
    }

    @Test
    void shouldNotHangWhenARankEndsWithoutJoining() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "barrier", "stranger-end")) {
            Command.Result result = job.end();

            assertThat(block(result))
                    .contains("FAILED  rank 1 of 2")
                    .contains("without joining the job, and rank 0 waits for it");
            assertThat(result.code()).isEqualTo(1);
        }
    }

    @Test
    void shouldNameTheRankThatDoesNotJoinInTime() throws Exception {
        String[] words = {
            "run",
            "-n",
            "3",
            "--set",
            "wireup.timeout=2s",
            "-cp",
            Launch.CLASSES,
            "programs.Actor",
            "barrier",
            "barrier",
            "stranger-sleep"
        };
        try (Launch job = Launch.parley(folder, words)) {
            Command.Result result = job.end();

            assertThat(block(result)).contains("FAILED  rank 2 of 3").contains("did not join the job within 2 s");
            assertThat(result.code()).isEqualTo(1);
        }
    }

    @Test
    void shouldTakeRanksThatNeverJoinForPrograms() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "stranger-end")) {
            assertThat(job.end().code()).isZero();
        }
    }

    @Test
    void shouldStopRanksWhoseOptionsDiffer() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String line = "PARLEY_EAGER_WINDOW=$((PARLEY_RANK + 1))m exec " + java
                + " --add-opens java.base/jdk.internal.misc=ALL-UNNAMED -cp '" + Launch.CLASSES + ":"
                + System.getProperty("test.dist") + "/lib/*' programs.Actor barrier";
        try (Launch job = Launch.parley(folder, "run", "-n", "2", "--exec", "sh", "-c", line)) {
            Command.Result result = job.end();

            assertThat(block(result))
                    .contains("ranks must agree on options: eager.window is ")
                    .contains("1m on rank 0")
                    .contains("2m on rank 1");
            assertThat(result.code()).isEqualTo(1);
        }
    }

    @Test
    void shouldSayNothingOfARankThatStopsForLess() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "sleep", "sleep")) {
            job.awaitOut("rank 0: ");
            job.awaitOut("rank 1: ");
            Launch.signal("STOP", job.pid(1));
            Launch.signal("CONT", job.pid(1));
            Launch.signal("TERM", job.pid(1));

            assertThat(block(job.end())).contains("ended by SIGTERM").doesNotContain("no sign");
        }
    }

    @Test
    void shouldGiveUpARankThatIsSilentForLong() throws Exception {
        String[] words = {
            "run", "-v", "-n", "2", "--set", "silence.timeout=4s", "-cp", Launch.CLASSES, "programs.Actor", "sleep"
        };
        try (Launch job = Launch.parley(folder, words)) {
            job.awaitOut("rank 0: ");
            job.awaitOut("rank 1: ");
            Launch.signal("STOP", job.pid(1));
            Command.Result result = job.end();

            assertThat(block(result)).contains("FAILED  rank 1 of 2").contains("has given no sign for ");
            assertThat(result.code()).isEqualTo(1);
            assertNothingIsLeft(job, 2);
        }
    }

    @Test
    void shouldNotLetTextsOfRanksMoveTheTerminal() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "abort-\u001b[2J", "receive")) {
            assertThat(block(job.end())).contains("?[2J").doesNotContain("\u001b");
        }
    }

    /** Returns the failed job's last words. */
    private static String block(Command.Result result) {
        assertThat(result.err()).contains("FAILED  ");
        return result.err().substring(result.err().lastIndexOf("FAILED  "));
    }

    private static void assertNothingIsLeft(Launch job, int ranks) throws Exception {
        for (int rank = 0; rank < ranks; rank++) {
            assertThat(Launch.isThere(job.pid(rank))).isFalse();
        }
        assertThat(job.leftovers()).isEqualTo(List.of());
    }
}
