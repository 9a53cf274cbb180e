package org.parley.system.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Network;

/** Hosts that are not as this one, or more like another than they should be: told before a job, or no matter to it. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostDifferencesTest extends OnHosts {
    private static final String PAIR = "node-b,node-c";
    private static final Path JDK = Path.of(System.getProperty("java.home"));
    private static final String KEY = Network.FOLDER.resolve("id.pub").toString();

    private Runnable repair = () -> {};

    HostDifferencesTest() {
        super(3, Network.Addressing.IPV4);
    }

    @AfterEach
    void repair() {
        repair.run();
        repair = () -> {};
    }

    /** What is at a place on node-c only, until the test ends. */
    private void put(String what, String place) {
        host('c').run("mount", "--bind", what, place);
        repair = () -> host('c').run("umount", place);
    }

    private static Optional<Path> anotherJdk() throws IOException {
        Path folder = JDK.toRealPath().getParent();
        try (Stream<Path> jdks = Files.list(folder)) {
            return jdks.filter(
                            jdk -> Files.isExecutable(jdk.resolve("bin/java")) && Files.exists(jdk.resolve("release")))
                    .filter(jdk -> !jdk.toString().contains(JDK.toString()))
                    .filter(jdk -> !version(jdk).equals(version(JDK)))
                    .findFirst();
        }
    }

    private static String version(Path jdk) {
        try {
            return Files.readAllLines(jdk.resolve("release")).stream()
                    .filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.replaceAll("JAVA_VERSION=|\"", ""))
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void shouldNameTheJavaOfEachHostBeforeAJob() throws Exception {
        Optional<Path> another = anotherJdk();
        assumeTrue(another.isPresent(), "there is one JDK in " + JDK.getParent());
        put(another.get().toString(), JDK.toString());
        try (Launch job = start("run", PAIR, "--preflight")) {
            Command.Result result = job.end();

            assertGood(result);
            assertThat(result.out())
                    .containsPattern("node-b +ok +ok \\(" + version(JDK))
                    .containsPattern("node-c +ok +ok \\(" + version(another.get()));
        }
    }

    @Test
    void shouldNameTheHostThatDoesNotTakeTheKeyBeforeAJob() throws Exception {
        put("/dev/null", KEY);
        try (Launch job = start("run", PAIR, "--preflight")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.out())
                    .containsPattern("node-b +ok +ok .*ok *\n")
                    .containsPattern("node-c +failed: .*Permission denied");
        }
    }

    /** As containers of one image may: the name is no place, and what one has in memory the other has not. */
    @Test
    void shouldConnectTwoHostsOfOneName() throws Exception {
        host('c').run("sh", "-c", "echo node-b >/proc/sys/kernel/hostname");
        repair = () -> host('c').run("sh", "-c", "echo node-c >/proc/sys/kernel/hostname");
        try (Launch job = program("node-b:2,node-c:2", "--display", "map", "programs.Actor", "ring")) {
            Command.Result result = job.end();

            assertGood(result);
            assertThat(result.out()).contains("rank 0 got 3", "rank 1 got 0", "rank 2 got 1", "rank 3 got 2");
            assertThat(result.err() + result.out()).contains("shm", "tcp");
        }
    }
}
