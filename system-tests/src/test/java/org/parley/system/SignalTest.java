package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A job can always be stopped, and stops with its launcher: there are no orphans. */
class SignalTest {
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
    void shouldPassTheSignalOnAndStop(String signal, int code) throws Exception {
        Launch.assumeIsHeard(signal, code - 128);
        try (Launch job = Launch.actors(folder, 2, "sleep")) {
            job.awaitOut("rank 0: ");
            job.awaitOut("rank 1: ");
            Launch.signal(signal, job.pid());
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(code);
            assertThat(result.err()).contains("stopped by SIG" + signal).doesNotContain("FAILED");
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldKillWhoDoesNotStopWithinFiveSecondsAndAtOnceWhenAskedTwice() throws Exception {
        long patient = stopStubborn(false);
        long impatient = stopStubborn(true);

        assertThat(patient).isGreaterThanOrEqualTo(5 * SECOND);
        assertThat(impatient).isLessThan(patient);
    }

    private long stopStubborn(boolean isAskedTwice) throws Exception {
        try (Launch job = Launch.actors(folder, 2, "stubborn")) {
            job.awaitOut("rank 0: ");
            job.awaitOut("rank 1: ");
            long began = System.nanoTime();
            Launch.signal("TERM", job.pid());
            if (isAskedTwice) {
                // Two of a kind may be one to the receiver; until the second has been heard, again.
                await().atMost(Launch.PATIENCE).until(() -> {
                    Launch.signal("TERM", job.pid());
                    return !Launch.isThere(job.pid());
                });
            }
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(143);
            assertNothingIsLeft(job);
            return System.nanoTime() - began;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"USR1", "USR2"})
    void shouldPassUserSignalsOn(String signal) throws Exception {
        String line = "trap 'echo heard; exit 0' " + signal + "; echo ready; while :; do sleep 0.05; done";
        try (Launch job = Launch.parley(folder, "run", "-v", "-n", "2", "--exec", "sh", "-c", line)) {
            job.awaitOut("ready\nready\n");
            // What the launcher says it says when it hears signals too.
            job.awaitErr("rank 1 is pid ");
            job.awaitErr("rank 0 is pid ");
            Launch.signal(signal, job.pid());
            Command.Result result = job.end();

            assertThat(result.out()).isEqualTo("ready\nready\nheard\nheard\n");
            assertThat(result.code()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sleep", "spin", "receive", "stranger-spin"})
    void shouldNotOutliveItsLauncher(String act) throws Exception {
        try (Launch job = Launch.actors(folder, 2, act)) {
            job.awaitOut("rank 0: ");
            job.awaitOut("rank 1: ");
            long[] ranks = {job.pid(0), job.pid(1)};
            Launch.signal("KILL", job.pid());

            Launch.awaitGone(ranks[0]);
            Launch.awaitGone(ranks[1]);
            await().atMost(Launch.PATIENCE).until(() -> job.leftovers().isEmpty());
        }
    }

    /** Many ranks take their time to start; the folder is there before the first. */
    @Test
    void shouldLeaveNothingWhenItIsStoppedWhileItStarts() throws Exception {
        try (Launch job = Launch.parley(folder, "run", "-n", "300", "--exec", "sleep", "1000")) {
            await().atMost(Launch.PATIENCE).until(() -> !job.leftovers().isEmpty());
            Launch.signal("TERM", job.pid());

            assertThat(job.end().code()).isEqualTo(143);
            await().atMost(Launch.PATIENCE).until(() -> job.leftovers().isEmpty());
        }
    }

    /** Nor may what a rank has started. */
    @Test
    void shouldTakeWholeProcessGroupsAlong() throws Exception {
        String line = "sleep 1000 & echo child $!; wait";
        try (Launch job = Launch.parley(folder, "run", "-v", "-n", "2", "--exec", "sh", "-c", line)) {
            await().atMost(Launch.PATIENCE).until(() -> job.out().lines().count() == 2);
            long[] children = job.out()
                    .lines()
                    .mapToLong(text -> Long.parseLong(text.substring("child ".length())))
                    .toArray();
            long rank = job.pid(0);
            assertThat(Launch.isThere(children[0])).isTrue();
            Launch.signal("KILL", job.pid());

            Launch.awaitGone(rank);
            Launch.awaitGone(children[0]);
            Launch.awaitGone(children[1]);
        }
    }

    @Test
    void shouldStopWhatARankHasLeftRunning() throws Exception {
        try (Launch job = Launch.parley(folder, "run", "--exec", "sh", "-c", "sleep 1000 >&2 & echo $!")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            Launch.awaitGone(Long.parseLong(result.out().strip()));
        }
    }

    @Test
    void shouldStopStoppedRanks() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "sleep")) {
            job.awaitOut("rank 0: ");
            job.awaitOut("rank 1: ");
            Launch.signal("STOP", job.pid(1));
            Launch.signal("TERM", job.pid());

            assertThat(job.end().code()).isEqualTo(143);
            assertNothingIsLeft(job);
        }
    }

    private static void assertNothingIsLeft(Launch job) throws Exception {
        assertThat(Launch.isThere(job.pid(0))).isFalse();
        assertThat(Launch.isThere(job.pid(1))).isFalse();
        assertThat(job.leftovers()).isEmpty();
    }
}
