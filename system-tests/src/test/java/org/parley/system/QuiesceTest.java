package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranks whose host is to be moved are left alone until that is over, and nothing is lost. */
class QuiesceTest {
    private static final Pattern SENT = Pattern.compile("\"messages.sent\":(\\d+)");

    @TempDir
    Path folder;

    private Command.Result parley(String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(Launch.PARLEY.toString()));
        line.addAll(List.of(words));
        Path own = Files.createTempDirectory(folder, "words");
        return Command.run(own, Map.of(), line.toArray(String[]::new));
    }

    private Launch rehearsal(String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("run", "-v", "--transports", "tcp"));
        words.addAll(List.of(options));
        words.addAll(List.of("-cp", Launch.CLASSES, "programs.Rehearsal", "told"));
        return Launch.parley(folder, words.toArray(String[]::new));
    }

    /** Returns the name of a job whose ranks have all met. */
    private static String nameOf(Launch job) throws Exception {
        job.awaitErr("ready in ");
        await().atMost(Launch.PATIENCE)
                .until(() -> job.leftovers().stream().anyMatch(path -> Files.exists(path.resolve("hook"))));
        String path = job.leftovers().stream()
                .filter(one -> Files.exists(one.resolve("hook")))
                .findFirst()
                .orElseThrow()
                .getFileName()
                .toString();
        return path.substring(("parley-" + System.getProperty("user.name") + "-").length());
    }

    private void assertDone(String text, String... words) throws Exception {
        Command.Result result = parley(words);
        assertThat(result.code()).as(result.toString()).isZero();
        assertThat(result.out()).contains(text);
    }

    private List<String> sent(String job) throws Exception {
        Command.Result seen = parley("top", "--once", "--json", job);
        Matcher matcher = SENT.matcher(seen.out());
        List<String> all = new ArrayList<>();
        while (matcher.find()) {
            all.add(matcher.group(1));
        }
        assertThat(all).as(seen.toString()).hasSize(2);
        return all;
    }

    private static void assertRehearsed(Launch job) throws Exception {
        job.say("enough");
        Command.Result result = job.end();
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out())
                .containsPattern("rank 0: \\d+ rounds are right")
                .containsPattern("rank 1: \\d+ rounds are right");
    }

    @Test
    void shouldStopTheTrafficOfAHostAndLetItGoOn() throws Exception {
        FakeSsh ssh = FakeSsh.in(folder);
        try (Launch job = rehearsal("-H", "a,b", "--set", "launch.ssh=" + ssh.path())) {
            String name = nameOf(job);
            assertDone("job " + name + ": quiesced 1 rank", "quiesce", name, "--host", "b");
            sent(name);
            List<String> before = sent(name);
            for (int i = 0; i < 4; i++) {
                assertThat(sent(name)).isEqualTo(before);
            }
            assertThat(job.isOver()).isFalse();

            // Twice does no harm.
            assertDone("quiesced 2 ranks", "quiesce", name);
            assertDone("resumed 2 ranks", "resume", name);
            assertDone("resumed 1 rank", "resume", name, "--host", "b");
            assertRehearsed(job);
        }
    }

    /** As a guest that is moved: its agent and its rank stand still for longer than anybody else may be silent. */
    @Test
    void shouldNotTakeTheSilenceOfAQuiescedHostForDeath() throws Exception {
        FakeSsh ssh = FakeSsh.in(folder);
        try (Launch job = rehearsal("-H", "a,b", "--set", "launch.ssh=" + ssh.path(), "--set", "silence.timeout=10s")) {
            String name = nameOf(job);
            assertDone("quiesced 1 rank", "quiesce", name, "--host", "b");
            List<Long> all = List.of(ssh.agent("b"), job.pid(1));
            for (long pid : all) {
                Launch.signal("STOP", pid);
            }
            TimeUnit.SECONDS.sleep(15);
            for (long pid : all) {
                Launch.signal("CONT", pid);
            }
            assertDone("resumed 1 rank", "resume", name, "--host", "b");
            assertRehearsed(job);
        }
    }

    @Test
    void shouldResumeByItselfWhenNobodyDoes() throws Exception {
        try (Launch job = rehearsal("-n", "2", "--set", "quiesce.limit=2s")) {
            assertDone("quiesced 2 ranks", "quiesce", nameOf(job));
            assertRehearsed(job);
        }
    }

    @Test
    void shouldNameRanksThatAreNotReady() throws Exception {
        try (Launch job = Launch.actors(folder, 2, "sleep", "receive")) {
            job.awaitOut("rank 0: sleep");
            job.awaitOut("rank 1: receive");
            Command.Result result = parley("quiesce", "--timeout", "2", nameOf(job));

            assertThat(result.code()).as(result.toString()).isEqualTo(1);
            assertThat(result.err())
                    .containsPattern("parley quiesce: job \\S+: rank 0 on \\S+: has not called the library since")
                    .doesNotContain("rank 1");
        }
    }

    @Test
    void shouldEndWhenARankIsKilledThatIsQuiesced() throws Exception {
        try (Launch job = rehearsal("-n", "2")) {
            assertDone("quiesced 2 ranks", "quiesce", nameOf(job));
            Launch.signal("KILL", job.pid(1));

            Command.Result result = job.end();
            assertThat(result.code()).isEqualTo(137);
            assertThat(result.err()).contains("rank 1").contains("SIGKILL");
        }
    }

    @Test
    void shouldSayWhatCannotBeQuiesced() throws Exception {
        Command.Result unknown = parley("quiesce", "no-such-job");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err()).contains("there is no job no-such-job");

        assertThat(parley("resume").err()).contains("it takes one JOB, or --all");

        try (Launch job = rehearsal("-n", "2")) {
            Command.Result result = parley("quiesce", nameOf(job), "--host", "elsewhere");
            assertThat(result.code()).as(result.toString()).isEqualTo(1);
            assertThat(result.err()).contains("no host of the job is called elsewhere; there are ");
        }
    }

    // --- VMware Tools ------------------------------------------------------------------------------

    /** Tells of a move when there is a file {@code start}, and of its end when there is one {@code end}. */
    private static final String TOOLS = """
            #!/bin/sh
            cd "$(dirname "$0")" && echo "$2" >>log
            case $2 in
                *.register*) echo '{"version":"1.0.0", "result": true, "guaranteed": true, "uniqueToken": "52-ab", "notificationTimeoutInSec": 120 }' ;;
                *.check-for-event*)
                    for type in start end; do
                        if [ -e $type ]; then
                            rm $type
                            echo '{"version":"1.0.0", "result": true, "eventType": "'$type'",  "opType": "host-migration", "notificationTimeoutInSec": 120, "operationId": 6279072692702276663 }'
                            exit
                        fi
                    done
                    echo '{"version":"1.0.0", "result": true }' ;;
                *) echo '{"version":"1.0.0", "result": true }' ;;
            esac
            """;

    private static Path script() {
        return Launch.PARLEY.resolveSibling("parley-vmotion");
    }

    @Test
    void shouldQuiesceWhileVMwareToolsTellOfAMove() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        FakeSsh.executable(tools, "vmtoolsd", TOOLS);
        try (Launch job = rehearsal("-n", "2");
                Launch watch = Launch.start(
                        folder,
                        List.of(
                                "env",
                                "PATH=" + tools + ":" + System.getenv("PATH"),
                                script().toString(),
                                nameOf(job)))) {
            Path log = tools.resolve("log");
            Files.createFile(tools.resolve("start"));
            await().atMost(Launch.PATIENCE)
                    .until(() -> Files.exists(log)
                            && Files.readString(log)
                                    .contains(
                                            "vm-operation-notification.ack-event {\"operationId\": 6279072692702276663,"
                                                    + " \"uniqueToken\": \"52-ab\"}"));
            assertThat(watch.out()).contains("quiesced 2 ranks");
            assertThat(watch.err()).isEmpty();
            Files.createFile(tools.resolve("end"));
            watch.awaitOut("resumed 2 ranks");
            assertRehearsed(job);

            Launch.signal("TERM", watch.pid());
            assertThat(watch.end().code()).isZero();
            assertThat(Files.readString(log))
                    .contains("vm-operation-notification.unregister {\"uniqueToken\": \"52-ab\"}");
        }
    }

    @Test
    void shouldDoNothingWithoutVMwareTools() throws Exception {
        Command.Result result = Command.run(folder, Map.of("PATH", "/usr/bin:/bin"), script().toString());

        assertThat(result.code()).isZero();
        assertThat(result.err()).contains("there is no vmtoolsd here");
    }
}
