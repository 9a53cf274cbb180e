package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs leave nothing behind, and do not see each other. */
class ManyJobsTest {
    private static final int JOBS = 200;
    private static final int AT_ONCE = 4;

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldLeaveNothingAfterTwoHundredJobs() throws Exception {
        Set<String> before = sharedFiles();
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        List<Future<Launch>> jobs = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            boolean joins = i % 20 == 0;
            Callable<Launch> run = () -> {
                try (Launch job = joins
                        ? Launch.actors(folder, 2, "ring")
                        : Launch.parley(folder, "run", "-n", "2", "--exec", "true")) {
                    assertThat(job.end().code()).isZero();
                    return job;
                }
            };
            jobs.add(threads.submit(run));
        }
        List<Path> leftovers = new ArrayList<>();
        for (Future<Launch> job : jobs) {
            leftovers.addAll(job.get().leftovers());
        }
        threads.shutdown();

        assertThat(leftovers).isEmpty();
        // Others' jobs come and go meanwhile, ours have said above that they are gone.
        Set<String> after = sharedFiles();
        after.removeAll(before);
        assertThat(after).noneMatch(name -> name.startsWith("parley-guard"));
    }

    private static Set<String> sharedFiles() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    @Test
    void shouldNotSeeAnotherJob() throws Exception {
        try (Launch first = Launch.actors(folder, 2, "ring", "ring");
                Launch second = Launch.actors(folder, 3, "ring", "ring", "ring");
                Launch third = Launch.actors(folder, 2, "throw", "receive")) {
            assertThat(first.end().code()).isZero();
            assertThat(second.end().code()).isZero();
            assertThat(third.end().code()).isEqualTo(1);
            assertThat(first.out()).contains("rank 0 got 1").doesNotContain("rank 2");
            assertThat(second.out()).contains("rank 0 got 2");
        }
    }

    /** Killed with its guard, a job leaves its folder; the next one takes it away. */
    @Test
    void shouldRemoveWhatAKilledJobHasLeft() throws Exception {
        try (Launch killed = Launch.actors(folder, 2, "sleep")) {
            killed.awaitOut("rank 0: ");
            killed.awaitOut("rank 1: ");
            Path left = killed.leftovers().get(0);
            long guard = ProcessHandle.of(killed.pid())
                    .orElseThrow()
                    .children()
                    .filter(child -> child.info().commandLine().orElse("").contains("parley-guard"))
                    .findFirst()
                    .orElseThrow()
                    .pid();
            try (Launch other = Launch.parley(folder, "clean")) {
                assertThat(other.end().out()).doesNotContain(left.toString());
            }
            Launch.signal("KILL", guard);
            Launch.signal("KILL", killed.pid());
            Launch.awaitGone(killed.pid());
            assertThat(left).exists();

            try (Launch dry = Launch.parley(folder, "clean", "--dry-run")) {
                assertThat(dry.end().out()).contains("would remove " + left);
            }
            try (Launch next = Launch.parley(folder, "run", "--exec", "true")) {
                assertThat(next.end().code()).isZero();
            }
            assertThat(left).doesNotExist();
        }
    }
}
