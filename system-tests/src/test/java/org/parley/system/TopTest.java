package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A running job can be looked at. */
class TopTest {
    private static final String ESCAPE = "\033";
    private static final Pattern RANK = Pattern.compile("\\{\"rank\":(\\d+),\"host\":\"([^\"]*)\"");

    @TempDir
    Path folder;

    private Command.Result top(String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(Launch.PARLEY.toString(), "top"));
        line.addAll(List.of(words));
        return Command.run(folder, Map.of(), line.toArray(String[]::new));
    }

    /** Returns a job's name: its launcher says it with its folder. */
    private static String nameOf(Launch job) throws Exception {
        String folder = job.leftovers().stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> name.matches(".*-[0-9a-f]+"))
                .findFirst()
                .orElseThrow();
        return folder.substring(("parley-" + System.getProperty("user.name") + "-").length());
    }

    private static long counter(String json, String name) {
        Matcher counter = Pattern.compile("\"" + name + "\":(\\d+)").matcher(json);
        assertThat(counter.find()).as("%s in %s", name, json).isTrue();
        return Long.parseLong(counter.group(1));
    }

    @Test
    void shouldShowWhatEachRankHasCountedAndWaitsFor() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "ring-receive", "ring-sleep")) {
            job.awaitOut("rank 0 got 1");
            job.awaitOut("rank 1 got 0");
            String name = nameOf(job);

            Command.Result table = top("--once", name);
            assertThat(table.code()).as(table.toString()).isZero();
            assertThat(table.out())
                    .startsWith("job " + name + ": 2 ranks, ")
                    .containsPattern("\nRANK HOST +MSG/S OUT +MSG/S IN +B/S OUT +B/S IN +RECON .* DOES\n")
                    .containsPattern("\n   0 \\S+ .* s in receive of up to 8 B from 1, tag 7\n")
                    .containsPattern("\n   1 \\S+ [ 0-9.]+\n")
                    .doesNotContain(ESCAPE);

            Command.Result json = top("--once", "--json", name);
            assertThat(json.code()).as(json.toString()).isZero();
            assertThat(json.out())
                    .hasLineCount(1)
                    .startsWith("{\"schema\":1,\"job\":\"" + name + "\"")
                    .contains("\"waitsIn\":\"receive of up to 8 B from 1, tag 7\"", "\"waitsFor\":[1]")
                    .contains("\"messagesSentPerSecond\":0.0", "\"reconnects\":0", "\"fallbacks\":0");
            assertThat(counter(json.out(), "messages.sent")).isOne();
            assertThat(counter(json.out(), "bytes.received")).isEqualTo(4);

            Command.Result info = Command.run(folder, Map.of(), Launch.PARLEY.toString(), "info");
            assertThat(info.out()).containsPattern("running jobs +.*\\b" + name);
        }
    }

    /** It is when one looks. */
    @Test
    void shouldShowARankThatDoesNotAnswer() throws Exception {
        try (Launch job = Launch.parley(
                folder,
                "run",
                "-v",
                "-n",
                "2",
                "--set",
                "silence.timeout=0s",
                "-cp",
                Launch.CLASSES,
                "programs.Actor",
                "ring-sleep")) {
            job.awaitOut("rank 0 got 1");
            job.awaitOut("rank 1 got 0");
            Launch.signal("STOP", job.pid(1));

            Command.Result table = top("--once", nameOf(job));
            assertThat(table.code()).as(table.toString()).isZero();
            assertThat(table.out()).containsPattern("\n   1 \\S+ .* has not answered\n");
            Launch.signal("CONT", job.pid(1));
        }
    }

    @Test
    void shouldCountReconnectsWhileTheyHappenAndEndWithTheJob() throws Exception {
        try (Launch job = Launch.parley(
                folder,
                "run",
                "-n",
                "2",
                "--drill",
                "200ms",
                "--transports",
                "tcp",
                "-cp",
                Launch.CLASSES,
                "programs.Rehearsal",
                "8")) {
            org.awaitility.Awaitility.await().atMost(Launch.PATIENCE).until(() -> isListed(job));
            Command.Result seen = top("--json", nameOf(job));

            assertThat(job.end().code()).isZero();
            assertThat(seen.code()).as(seen.toString()).isZero();
            List<String> lines = seen.out().lines().toList();
            String last = lines.get(lines.size() - 1);
            assertThat(counter(last, "reconnects")).as(last).isPositive();
            assertThat(last).contains("\"state\":\"ended\"", "\"code\":0");
        }
    }

    private boolean isListed(Launch job) throws Exception {
        return !job.leftovers().isEmpty() && Files.exists(job.leftovers().get(0).resolve("status"));
    }

    /** Also where the launcher itself has no rank beside it. */
    @Test
    void shouldShowRanksOfAllHosts() throws Exception {
        FakeSsh ssh = FakeSsh.in(folder);
        for (String hosts : List.of("localhost:1,b:2", "a:2,b:1")) {
            try (Launch job = Launch.parley(
                    folder,
                    "run",
                    "--set",
                    "launch.ssh=" + ssh.path(),
                    "-H",
                    hosts,
                    "-cp",
                    Launch.CLASSES,
                    "programs.Actor",
                    "ring-receive")) {
                for (int rank = 0; rank < 3; rank++) {
                    job.awaitOut("rank " + rank + " got ");
                }
                Command.Result seen = top("--once", "--json", nameOf(job));

                assertThat(seen.code()).as(seen.toString()).isZero();
                Matcher rank = RANK.matcher(seen.out());
                String[] parts = seen.out().split("\\{\"rank\":");
                assertThat(parts).hasSize(4);
                for (int number = 0; number < 3; number++) {
                    assertThat(rank.find()).isTrue();
                    assertThat(rank.group(1)).isEqualTo(String.valueOf(number));
                    assertThat(counter(parts[number + 1], "messages.sent")).isOne();
                }
                assertThat(seen.out()).contains("\"host\":\"b\"");
            }
        }
    }

    @Test
    void shouldSayWhyAJobCannotBeLookedAt() throws Exception {
        Command.Result unknown = top("no-such-job");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err())
                .startsWith("parley top: there is no job no-such-job whose launcher is on this machine");

        Command.Result none = top();
        assertThat(none.code()).isEqualTo(2);
        assertThat(none.err()).startsWith("parley top: which job? ");

        Path left = Files.createDirectory(folder.resolve("parley-somebody-1-a"));
        Files.writeString(left.resolve("owner"), "1 1 another-boot pid:[1]\n");
        Command.Result ended = top(left.toString());
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("has ended").contains("parley clean");

        Path other = Files.createDirectory(folder.resolve("parley-somebody-2-a"));
        assertThat(top(other.toString()).err()).contains("there is no launcher at " + other);
    }

    @Test
    void shouldNotShowTheJobsOfOthers() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can be another user");
        try (Launch job = Launch.actors(folder, 1, "sleep")) {
            job.awaitOut("rank 0: ");
            Command.Result result = Command.run(
                    folder,
                    Map.of(),
                    "setpriv",
                    "--reuid=65534",
                    "--regid=65534",
                    "--clear-groups",
                    Launch.PARLEY.toString(),
                    "top",
                    nameOf(job));

            assertThat(result.code()).isEqualTo(2);
            assertThat(result.err()).contains("is root's: only they can look at it");
        }
    }
}
