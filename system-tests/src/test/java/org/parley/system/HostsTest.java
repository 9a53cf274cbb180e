package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Protocol;

/** What works on one machine works over hosts: real agents, behind what stands for ssh. */
class HostsTest {
    @TempDir
    Path folder;

    private FakeSsh ssh;

    @BeforeEach
    void makeSsh() throws Exception {
        ssh = FakeSsh.in(folder);
    }

    private Launch run(String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of("run", "--set", "launch.ssh=" + ssh.path()));
        line.addAll(List.of(words));
        return Launch.parley(folder, line.toArray(String[]::new));
    }

    private Launch sh(String hosts, String line) throws Exception {
        return run("-H", hosts, "--exec", "sh", "-c", line);
    }

    private Launch actors(String hosts, String... acts) throws Exception {
        List<String> words = new ArrayList<>(List.of("-v", "-H", hosts, "-cp", Launch.CLASSES, "programs.Actor"));
        words.addAll(List.of(acts));
        return run(words.toArray(String[]::new));
    }

    private void assertNothingIsLeft(Launch job) {
        await().atMost(Launch.PATIENCE).until(() -> job.leftovers().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:2,b:2", "localhost:2,b:2", "b:2,localhost:2"})
    void shouldRunRanksOnTheirHosts(String hosts) throws Exception {
        try (Launch job = sh(hosts, "echo $PARLEY_RANK/$PARLEY_SIZE $PARLEY_LOCAL_RANK/$PARLEY_LOCAL_SIZE")) {
            Command.Result result = job.end();

            assertThat(result.err()).isEmpty();
            assertThat(result.code()).isZero();
            assertThat(result.out().lines()).containsExactlyInAnyOrder("0/4 0/2", "1/4 1/2", "2/4 0/2", "3/4 1/2");
            assertThat(Launch.isThere(ssh.agent("b"))).isFalse();
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldWireRanksOfAllHostsUp() throws Exception {
        try (Launch job = actors("localhost:2,b:1,c:1", "end")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            assertThat(result.out().lines()).hasSize(4);
            assertThat(result.err()).contains("4 ranks on 3 hosts; ready in ", "rank 3 is pid ", " on c\n");
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldChooseTransportsByHosts() throws Exception {
        try (Launch job = actors("localhost:2,b:1", "ring")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            assertThat(result.out()).contains("rank 0 got 2", "rank 1 got 0", "rank 2 got 1");
            // Why not over RDMA depends on the machine.
            assertThat(result.err())
                    .containsPattern("rank 0: shm, same host, to 1; tcp( \\(rc: .*\\))?, other host, to 2\n")
                    .containsPattern("rank 2: tcp( \\(rc: .*\\))?, other host, to 0,1\n");
        }
    }

    /** Each host starts the next one. */
    @Test
    void shouldStartHostsByHosts() throws Exception {
        String[] words = {"-H", "a,b,c,d", "--set", "launch.fanout=1", "-cp", Launch.CLASSES, "programs.Actor", "end"};
        try (Launch job = run(words)) {
            Command.Result result = job.end();

            assertThat(result.err()).isEmpty();
            assertThat(result.code()).isZero();
            assertThat(result.out().lines()).hasSize(4);
            assertThat(parentOf(ssh.shell("d"))).isNotEqualTo(job.pid());
            assertNothingIsLeft(job);
        }
    }

    private static long parentOf(long gone) {
        return ProcessHandle.of(gone)
                .flatMap(ProcessHandle::parent)
                .map(ProcessHandle::pid)
                .orElse(-1L);
    }

    @Test
    void shouldGiveTheInputToRankZeroWhereverItIs() throws Exception {
        try (Launch job = run("-H", "a,b", "--exec", "sh", "-c", "wc -c")) {
            byte[] bytes = new byte[1_000_000];
            try (OutputStream in = job.in()) {
                in.write(bytes);
            }

            assertThat(job.end().out().lines().map(String::strip)).containsExactlyInAnyOrder("1000000", "0");
        }
    }

    @Test
    void shouldNotWaitForInputThatNobodyReads() throws Exception {
        try (Launch job = sh("a,b", "exit 0")) {
            assertThat(job.end().code()).isZero();
        }
    }

    @Test
    void shouldTagAndCopyOutput() throws Exception {
        String[] words = {
            "-H", "a,b", "--tag-output", "--output-filename", "logs", "--exec", "sh", "-c", "echo one; echo two >&2"
        };
        try (Launch job = run(words)) {
            Command.Result result = job.end();

            assertThat(result.out().lines()).containsExactlyInAnyOrder("[1,0]<stdout>: one", "[1,1]<stdout>: one");
            assertThat(result.err().lines()).containsExactlyInAnyOrder("[1,0]<stderr>: two", "[1,1]<stderr>: two");
            assertThat(folder.resolve("logs/1/rank.1/stdout")).hasContent("one\n");
            assertThat(folder.resolve("logs/1/rank.0/stderr")).hasContent("two\n");
        }
    }

    /** Of ranks on other hosts, too, the copies are made here. */
    @Test
    void shouldStartNoRankWithoutItsCopy() throws Exception {
        Files.createFile(Files.createDirectory(folder.resolve("logs")).resolve("1"));
        try (Launch job = run("--output-filename", "logs", "-H", "localhost,b", "--exec", "echo", "said")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("FAILED  rank ", " could not be started: ", "logs");
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldKeepLinesWhole() throws Exception {
        try (Launch job = run("-H", "a:2,b", "-cp", Launch.CLASSES, "programs.Lines", "40", "300000")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            assertThat(result.out().lines())
                    .hasSize(3 * 40 + 3)
                    .allMatch(line -> line.chars().distinct().count() == 1);
        }
    }

    /** Ranks wait, the agent answers, and nothing is lost. */
    @Test
    void shouldWaitForASlowReader() throws Exception {
        String parley = Path.of(System.getProperty("test.dist"), "bin", "parley") + " run --set launch.ssh="
                + ssh.path() + " --set silence.timeout=5s -H a,b --exec sh -c 'yes | head -c 20000000'";
        Command.Result result = Command.run(
                folder, java.util.Map.of(), "bash", "-c", "{ " + parley + "; echo $? >code; } | (sleep 9; wc -c)");

        assertThat(result.err()).isEmpty();
        assertThat(result.out().strip()).isEqualTo("40000000");
        assertThat(Files.readString(folder.resolve("code"))).isEqualTo("0\n");
    }

    @ParameterizedTest
    @CsvSource({"exit-3, 3, exited with code 3", "abort, 9, ended the job with code 9", "throw, 1, on purpose"})
    void shouldNameTheHostOfTheFirstCause(String act, int code, String how) throws Exception {
        try (Launch job = actors("a,b,c", "sleep", act, "sleep")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(code);
            assertThat(result.err()).contains("FAILED  rank 1 of 3 on b (pid ").contains(how);
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldEndWhenARankIsKilled() throws Exception {
        try (Launch job = actors("a:2,b", "sleep")) {
            awaitRanks(job, 3);
            Launch.signal("KILL", job.pid(2));
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(137);
            assertThat(result.err())
                    .contains("FAILED  rank 2 of 3 on b (pid " + job.pid(2) + ") ended by SIGKILL")
                    .contains("ranks 0,1 were told to stop");
            assertNothingIsLeft(job);
        }
    }

    private static void awaitRanks(Launch job, int ranks) {
        IntStream.range(0, ranks).forEach(rank -> job.awaitOut("rank " + rank + ": "));
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void shouldPassSignalsOnAndStop(String signal, int code) throws Exception {
        Launch.assumeIsHeard(signal, code - 128);
        try (Launch job = actors("a,b", "sleep")) {
            awaitRanks(job, 2);
            Launch.signal(signal, job.pid());
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(code);
            assertThat(result.err()).contains("stopped by SIG" + signal).doesNotContain("FAILED");
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldPassUserSignalsOn() throws Exception {
        String line = "trap 'echo heard; exit 0' USR1; echo ready; while :; do sleep 0.05; done";
        try (Launch job = sh("a,b", line)) {
            job.awaitOut("ready\nready\n");
            Launch.signal("USR1", job.pid());

            assertThat(job.end().out()).isEqualTo("ready\nready\nheard\nheard\n");
        }
    }

    /**
     * An agent, the shell to it, or the launcher: whoever is killed, all ends everywhere. By evidence, not by silence, for
     * which this job waits longer than the test.
     */
    @ParameterizedTest
    @ValueSource(strings = {"agent", "shell", "launcher"})
    void shouldEndEverywhereWhenALinkIsKilled(String who) throws Exception {
        try (Launch job = run(
                "-v", "-H", "a,b", "--set", "silence.timeout=1h", "-cp", Launch.CLASSES, "programs.Actor", "sleep")) {
            awaitRanks(job, 2);
            long[] ranks = {job.pid(0), job.pid(1)};
            Launch.signal(
                    "KILL",
                    switch (who) {
                        case "agent" -> ssh.agent("b");
                        case "shell" -> ssh.shell("b");
                        default -> job.pid();
                    });
            Command.Result result = job.end();
            Launch.awaitGone(ranks[0]);
            Launch.awaitGone(ranks[1]);

            if (!who.equals("launcher")) {
                assertThat(result.code()).isEqualTo(1);
                assertThat(result.err()).contains("FAILED  lost the link to host b: ", "rank 1 there");
            }
            assertNothingIsLeft(job);
        }
    }

    /** The host in the middle takes along those that are reached through it. */
    @Test
    void shouldNameHostsThatAreLostWithAnother() throws Exception {
        String[] words = {
            "-v", "-H", "a,b,c", "--set", "launch.fanout=1", "-cp", Launch.CLASSES, "programs.Actor", "sleep"
        };
        try (Launch job = run(words)) {
            awaitRanks(job, 3);
            long[] ranks = {job.pid(0), job.pid(1), job.pid(2)};
            Launch.signal("KILL", ssh.agent("b"));

            assertThat(job.end().err())
                    .contains("FAILED  lost the link to host b and, through it, to c: ", "ranks 1,2 there");
            for (long rank : ranks) {
                Launch.awaitGone(rank);
            }
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldGiveUpAHostThatIsSilent() throws Exception {
        String[] words = {
            "-v", "-H", "a,b", "--set", "silence.timeout=4s", "-cp", Launch.CLASSES, "programs.Actor", "sleep"
        };
        try (Launch job = run(words)) {
            awaitRanks(job, 2);
            long rank = job.pid(1);
            Launch.signal("STOP", ssh.agent("b"));
            Command.Result result = job.end();
            Launch.signal("CONT", ssh.agent("b"));

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("FAILED  lost the link to host b: has given no sign for ");
            Launch.awaitGone(rank);
            assertNothingIsLeft(job);
        }
    }

    /** No split brain: who is cut off ends by itself. */
    @Test
    void shouldEndRanksThatHearNothingOfTheLauncher() throws Exception {
        String[] words = {
            "-v", "-H", "a,b", "--set", "silence.timeout=4s", "-cp", Launch.CLASSES, "programs.Actor", "sleep"
        };
        try (Launch job = run(words)) {
            awaitRanks(job, 2);
            long[] ranks = {job.pid(0), job.pid(1)};
            Launch.signal("STOP", job.pid());
            for (long rank : ranks) {
                await().atMost(Launch.PATIENCE).until(() -> !Launch.isThere(rank));
            }
            Launch.signal("CONT", job.pid());

            assertThat(job.end().code()).isNotZero();
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldReportOfAllHostsWhenTheTimeIsOver() throws Exception {
        String[] words = {"-H", "a,b", "--timeout", "8", "-cp", Launch.CLASSES, "programs.Actor", "sleep"};
        try (Launch job = run(words)) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(124);
            assertThat(result.err())
                    .containsPattern("rank 0 on a \\(pid \\d+\\) is in no call")
                    .containsPattern("rank 1 on b \\(pid \\d+\\) is in no call")
                    .contains("programs.Actor.alone(");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "launch.home=/nowhere, exited with code 127: there is no Parley in /nowhere here",
        "launch.java=/nowhere, exited with code 127: there is no Java in /nowhere here",
        "launch.ssh=false, exited with code 1",
        "launch.ssh=echo hello, it did not start a Parley agent but said: hello b exec /bin/sh"
    })
    void shouldSayWhyAHostCannotBeUsed(String setting, String why) throws Exception {
        try (Launch job = run("--set", setting, "-H", "b", "--exec", "true")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("FAILED  no way to host b: ").contains(why);
            assertThat(result.err().lines()).hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void shouldNameBothVersions() throws Exception {
        String hello =
                "\\000PARLEYAG\\000\\000\\000\\000\\027\\002\\000\\000\\000\\143\\000\\000\\000\\0039.9\\000\\000\\000\\007/theirs";
        Path other = FakeSsh.executable(folder, "other", "#!/bin/sh\nprintf '" + hello + "'; exec sleep 100\n");
        try (Launch job = run("--set", "launch.ssh=" + other, "-H", "b", "--exec", "true")) {
            assertThat(job.end().err())
                    .contains("no way to host b: runs Parley 9.9 in /theirs, which speaks version 99 ")
                    .contains("here is Parley " + System.getProperty("test.version") + " in ")
                    .contains("which speaks version " + Protocol.version() + ": install the same on both");
        }
    }

    @Test
    void shouldGiveRanksTheVariablesThatAreNamed() throws Exception {
        Path clean = FakeSsh.executable(
                folder, "clean", "#!/bin/sh\nexec env -i PATH=\"$PATH\" HOME=/ " + ssh.path() + " \"$@\"\n");
        String[] words = {
            "--set",
            "launch.ssh=" + clean,
            "-H",
            "b",
            "-x",
            "FOO=1",
            "--exec",
            "sh",
            "-c",
            "echo $FOO.$JAVA_TOOL.$LOGNAME"
        };
        try (Launch job = run(words)) {
            assertThat(job.end().out()).isEqualTo("1..\n");
        }
    }

    @Test
    void shouldRefuseAShellThatDoesNotExist() throws Exception {
        try (Launch job = run("--set", "launch.ssh=no-such-ssh -q", "-H", "b", "--exec", "true")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(2);
            assertThat(result.err())
                    .isEqualTo("parley run: launch.ssh=no-such-ssh -q: there is no program no-such-ssh\n");
        }
    }

    /** As ssh itself does it; whatever a shell's start-up files print before is passed over. */
    @Test
    void shouldNameARefusalAndPassOverNoise() throws Exception {
        Path picky = FakeSsh.executable(
                folder,
                "picky",
                "#!/bin/sh\n[ $1 = a ] && { echo welcome; exec " + ssh.path() + " \"$@\"; }\n"
                        + "echo 'Permission denied (publickey).' >&2; exit 255\n");
        try (Launch job = run("--set", "launch.ssh=" + picky, "-H", "a", "--exec", "echo", "x")) {
            assertThat(job.end().out()).isEqualTo("x\n");
        }
        try (Launch job = run("--set", "launch.ssh=" + picky, "-H", "a,b", "--exec", "echo", "x")) {
            Command.Result result = job.end();

            assertThat(result.err())
                    .contains("no way to host b: ", "exited with code 255: Permission denied (publickey).");
            assertThat(result.out()).isEmpty();
            assertNothingIsLeft(job);
        }
    }

    @Test
    void shouldNotWaitForEverForAHost() throws Exception {
        Path deaf = FakeSsh.executable(folder, "deaf", "#!/bin/sh\nexec sleep 100\n");
        String[] words = {"--set", "launch.ssh=" + deaf, "--set", "launch.timeout=2s", "-H", "a,b", "--exec", "true"};
        try (Launch job = run(words)) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("FAILED  no answer from a, b within 2.0 s");
        }
    }

    @Test
    void shouldGiveAllRanksTheSameOptions() throws Exception {
        Files.writeString(folder.resolve("parley.properties"), "eager.window=2m\n");
        String[] words = {"-H", "localhost,b", "-wdir", "/", "-cp", Launch.CLASSES, "programs.Actor", "end"};
        try (Launch job = run(words)) {
            assertThat(job.end().code()).isZero();
        }
        try (Launch job = sh("b", "echo $PARLEY_EAGER_WINDOW")) {
            assertThat(job.end().out()).isEqualTo("2m\n");
        }
    }

    @Test
    void shouldShowWhereRanksRun() throws Exception {
        String[] words = {"-H", "localhost:2,b:2", "-n", "5", "--map-by", "node", "--display", "map", "--exec", "true"};
        try (Launch job = run(words)) {
            assertThat(job.end().err())
                    .contains(": 5 ranks on 2 hosts\n", " (here): ranks 0,2,4\n", "host b: ranks 1,3\n");
        }
    }

    @Test
    void shouldCopyTheProgramToOtherHosts() throws Exception {
        Path there = Files.createDirectories(folder.resolve("classes/programs"));
        Files.copy(Path.of(Launch.CLASSES, "programs", "ClassPath.class"), there.resolve("ClassPath.class"));
        Files.write(there.resolve("large"), new byte[5_000_000]);
        try (Launch job = run("--copy", "-H", "localhost,b", "-cp", "classes", "programs.ClassPath")) {
            Command.Result result = job.end();

            assertThat(result.err()).isEmpty();
            List<String> lines = result.out().lines().sorted().toList();
            assertThat(lines).hasSize(2);
            assertThat(lines.get(0))
                    .startsWith("rank 0: " + folder.toRealPath())
                    .endsWith(" 5000000");
            assertThat(lines.get(1)).startsWith("rank 1: " + System.getProperty("java.io.tmpdir") + "/parley-");
            assertThat(lines.get(1)).endsWith(" 5000000");
            Path copy = Path.of(lines.get(1).split(" ")[2]);
            await().atMost(Launch.PATIENCE).until(() -> !Files.exists(copy));
        }
    }

    @Test
    void shouldExamineHosts() throws Exception {
        try (Launch job = run("--preflight", "-H", "a,b")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            assertThat(result.out().lines()).hasSize(3);
            assertThat(result.out()).containsPattern("b +ok +ok \\(\\S+ in \\S+\\) +ok +ok +ok");
        }
        try (Launch job = run("--preflight", "-H", "localhost")) {
            Command.Result result = job.end();

            assertThat(result.code()).isZero();
            assertThat(result.out()).containsPattern("\\S+ +ok \\(here\\) +ok \\(\\S+ in \\S+\\) +ok +ok +-");
        }
        try (Launch job = run("--preflight", "-H", "a,b", "--set", "launch.java=/nowhere")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.out()).containsPattern("a +failed: .*there is no Java in /nowhere here");
        }
    }
}
