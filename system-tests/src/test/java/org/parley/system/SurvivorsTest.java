package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With {@code --ft continue} ranks go on without those that fail, and the job ends with their result. */
class SurvivorsTest {
    @TempDir
    Path folder;

    private Launch survivors(String transports, int ranks, int deaths, String... acts) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "-v", "--ft", "continue", "-n", String.valueOf(ranks)));
        if (!transports.isEmpty()) {
            words.addAll(List.of("--transports", transports));
        }
        words.addAll(List.of("-cp", Launch.CLASSES, "programs.Survivor", String.valueOf(deaths)));
        words.addAll(List.of(acts));
        return Launch.parley(folder, words.toArray(String[]::new));
    }

    /** Waits until all are at it. */
    private static void awaitAll(Launch job, int ranks) {
        for (int rank = 0; rank < ranks; rank++) {
            job.awaitOut("rank " + rank + ": ");
        }
    }

    private static Command.Result assertLeft(Launch job, int ranks, Set<Integer> dead) throws Exception {
        Command.Result result = job.end();
        int sum = IntStream.range(0, ranks).filter(rank -> !dead.contains(rank)).sum();
        for (int rank = 0; rank < ranks; rank++) {
            String last = "rank " + rank + ": " + (ranks - dead.size()) + " are left, sum " + sum;
            if (dead.contains(rank)) {
                assertThat(result.out()).doesNotContain("rank " + rank + ": " + (ranks - dead.size()) + " are");
            } else {
                assertThat(result.out()).as("%s", result).contains(last);
            }
            assertThat(Launch.isThere(job.pid(rank))).isFalse();
        }
        assertThat(result.err())
                .contains("parley: " + dead.size() + " of " + ranks + (dead.size() == 1 ? " ranks has" : " ranks have")
                        + " failed:");
        dead.forEach(rank -> assertThat(result.err()).contains("\n    rank " + rank + " on "));
        assertThat(job.leftovers()).isEmpty();
        return result;
    }

    @ParameterizedTest
    @CsvSource({
        "receive, shm, 4",
        "receive-any, shm, 4",
        "send, shm, 4",
        "wait-all, shm, 4",
        "barrier, shm, 8",
        "all-reduce, shm, 8",
        "long, shm, 4",
        "receive, tcp, 4",
        "receive-any, tcp, 4",
        "wait-all, tcp, 4",
        "barrier, tcp, 4",
        "all-reduce, tcp, 8",
        "long, tcp, 4"
    })
    void shouldGoOnWithoutARankThatIsKilled(String act, String transport, int ranks) throws Exception {
        String[] acts = IntStream.range(0, ranks)
                .mapToObj(rank -> rank == 1 && !act.equals("long") && !act.equals("all-reduce") ? "sleep" : act)
                .toArray(String[]::new);
        try (Launch job = survivors(transport, ranks, 1, acts)) {
            awaitAll(job, ranks);
            Launch.signal("KILL", job.pid(1));
            Command.Result result = assertLeft(job, ranks, Set.of(1));

            assertThat(result.code()).isZero();
            assertThat(result.err()).contains("ended by SIGKILL").doesNotContain("FAILED");
        }
    }

    @Test
    void shouldGoOnWithoutRankZero() throws Exception {
        try (Launch job = survivors("", 3, 1, "sleep", "barrier")) {
            awaitAll(job, 3);
            Launch.signal("KILL", job.pid(0));

            assertThat(assertLeft(job, 3, Set.of(0)).code()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"halt-at-agree", "halt-at-shrink"})
    void shouldGoOnWhenMoreRanksFailWhileTheOthersRecover(String act) throws Exception {
        try (Launch job = survivors("shm,tcp", 5, 3, "barrier", "sleep", act, "barrier", "throw")) {
            awaitAll(job, 5);
            Launch.signal("KILL", job.pid(1));

            assertThat(assertLeft(job, 5, Set.of(1, 2, 4)).code()).isZero();
        }
    }

    /** Its process is there, but says nothing: it is ended, so that it does not come back. */
    @Test
    void shouldEndARankThatIsTakenForDead() throws Exception {
        String[] words = {
            "run",
            "-v",
            "--ft",
            "continue",
            "-n",
            "3",
            "--set",
            "silence.timeout=4s",
            "-cp",
            Launch.CLASSES,
            "programs.Survivor",
            "1",
            "barrier",
            "sleep",
            "receive-any"
        };
        try (Launch job = Launch.parley(folder, words)) {
            awaitAll(job, 3);
            Launch.signal("STOP", job.pid(1));
            Command.Result result = assertLeft(job, 3, Set.of(1));

            assertThat(result.err()).contains("rank 1 on ", "has given no sign for ");
            assertThat(result.code()).isZero();
        }
    }

    @Test
    void shouldPassOnTheCodeOfARankThatHasOutlivedOthers() throws Exception {
        try (Launch job = survivors("", 3, 1, "barrier", "exit-3", "sleep")) {
            awaitAll(job, 3);
            Launch.signal("KILL", job.pid(2));
            Command.Result result = assertLeft(job, 3, Set.of(2));

            assertThat(result.err()).contains("FAILED  rank 1 of 3 ", "exited with code 3");
            assertThat(result.code()).isEqualTo(3);
        }
    }

    /** What has an option of its own is said by that, wherever it stands. */
    @Test
    void shouldTakeTheOptionRatherThanTheSetting() throws Exception {
        String[] words = {
            "run",
            "--ft",
            "continue",
            "--set",
            "ft=abort",
            "-n",
            "3",
            "-cp",
            Launch.CLASSES,
            "programs.Survivor",
            "1",
            "barrier",
            "throw",
            "barrier"
        };
        try (Launch job = Launch.parley(folder, words)) {
            Command.Result result = job.end();

            assertThat(result.code()).as(result.toString()).isZero();
            assertThat(result.out()).contains("rank 0: 2 are left, sum 2", "rank 2: 2 are left, sum 2");
        }
    }

    @Test
    void shouldFailWhenNobodyIsLeft() throws Exception {
        try (Launch job = survivors("", 2, 1, "throw", "throw")) {
            Command.Result result = job.end();

            assertThat(result.err()).contains("parley: 2 of 2 ranks have failed", "FAILED  rank ", "on purpose");
            assertThat(result.code()).isEqualTo(1);
        }
    }

    /** Whoever ends the job means all of it. */
    @Test
    void shouldStillEndByAbort() throws Exception {
        String[] words = {
            "run",
            "-v",
            "--ft",
            "continue",
            "-n",
            "3",
            "-cp",
            Launch.CLASSES,
            "programs.Actor",
            "barrier",
            "abort",
            "receive"
        };
        try (Launch job = Launch.parley(folder, words)) {
            Command.Result result = job.end();

            assertThat(result.err()).contains("FAILED  rank 1 of 3 ", "ended the job with code 9");
            assertThat(result.code()).isEqualTo(9);
        }
    }

    /** Nobody can be met without it. */
    @Test
    void shouldFailWhenARankEndsBeforeAllHaveJoined() throws Exception {
        String[] words = {
            "run",
            "-v",
            "--ft",
            "continue",
            "-n",
            "3",
            "-cp",
            Launch.CLASSES,
            "programs.Actor",
            "barrier",
            "stranger-exit-4",
            "barrier"
        };
        try (Launch job = Launch.parley(folder, words)) {
            assertThat(job.end().code()).isEqualTo(4);
        }
    }
}
