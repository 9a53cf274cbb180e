package org.parley.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("network")
class NetworkTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static Network network;
    private static Host nodeA;
    private static Host nodeB;
    private static Host nodeC;

    @BeforeAll
    static void startHosts() {
        final Optional<String> lack = Network.lacks();
        assumeTrue(lack.isEmpty(), lack.orElse(""));
        network = Network.of(3, Network.Addressing.IPV4);
        nodeA = network.host(0);
        nodeB = network.host(1);
        nodeC = network.host(2);
    }

    @AfterAll
    static void endHosts() {
        if (network != null) {
            network.close();
        }
    }

    /** Logs in to another host with little patience, and returns what a command prints there. */
    private static String ssh(final Host from, final Host to, final String command) {
        final List<String> words = new ArrayList<>(List.of(Network.SSH.split(" ")));
        words.addAll(List.of("-o", "ConnectTimeout=1", to.name(), command));
        return from.run(words.toArray(String[]::new));
    }

    private static void assertReaches(final Host from, final Host to) {
        assertThat(ssh(from, to, "hostname")).isEqualTo(to.name() + "\n");
    }

    private static void assertDoesNotReach(final Host from, final Host to, final String why) {
        assertThatThrownBy(() -> ssh(from, to, "hostname"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(why);
    }

    @Test
    void shouldLogInFromEveryHostToEveryOther() {
        for (final Host from : network.hosts()) {
            for (final Host to : network.hosts()) {
                assertReaches(from, to);
            }
        }
    }

    @Test
    void shouldKeepHostsApart() {
        nodeA.run("touch", "/tmp/ours", "/dev/shm/ours");

        assertThat(ssh(nodeA, nodeB, "ls /tmp /dev/shm; ls -d /proc/[0-9]* | wc -l; ls /sys/class/net"))
                .doesNotContain("ours")
                .contains("eth0", "lo")
                .doesNotContain("node-");
        assertThat(Path.of("/tmp/ours")).doesNotExist();
        assertThat(nodeB.run("cat", "/proc/1/cmdline")).contains("sshd");
    }

    @Test
    void shouldLetHostsShareOneFolderAndTheJdk() {
        nodeA.run("sh", "-c", "echo shared >file");

        assertThat(ssh(nodeA, nodeB, "cat " + Network.FOLDER + "/file")).isEqualTo("shared\n");
        assertThat(network.file("file")).hasContent("shared\n");
        assertThat(ssh(nodeA, nodeB, System.getProperty("java.home") + "/bin/java -version 2>&1"))
                .contains("build");
    }

    @Test
    void shouldCutAHostOffAndConnectItAgain() {
        nodeB.isolate();
        assertDoesNotReach(nodeA, nodeB, "timed out");
        assertDoesNotReach(nodeB, nodeC, "timed out");
        assertReaches(nodeA, nodeC);

        nodeB.rejoin();
        assertReaches(nodeA, nodeB);
    }

    @Test
    void shouldCutTwoHostsOffFromEachOther() {
        nodeB.cut(nodeC);
        assertDoesNotReach(nodeB, nodeC, "timed out");
        assertDoesNotReach(nodeC, nodeB, "timed out");
        assertReaches(nodeA, nodeB);
        assertReaches(nodeA, nodeC);

        nodeB.heal(nodeC);
        assertReaches(nodeB, nodeC);
        assertReaches(nodeC, nodeB);
    }

    @Test
    void shouldTakeAndGiveARoute() {
        nodeB.loseRouteTo(nodeC);
        assertDoesNotReach(nodeB, nodeC, "No route to host");

        nodeB.regainRouteTo(nodeC);
        assertReaches(nodeB, nodeC);
    }

    @Test
    void shouldSlowAHost() {
        nodeA.slow("1mbit");
        final long begin = System.nanoTime();
        ssh(nodeB, nodeA, "head -c 200000 /dev/zero").length();
        nodeA.fullSpeed();

        // 32 kB go at once; the rest, at least 168 kB, at 125 kB a second.
        assertThat(System.nanoTime() - begin).isGreaterThan(1_000_000_000L);
    }

    @Test
    void shouldAddInterfacesThatLeadNowhere() {
        nodeA.addDeadEnd("eth1", "192.168.99.1/24");
        nodeA.addBridge("docker0", "172.17.0.1/16");
        assertThat(nodeA.run("ip", "-brief", "address")).contains("192.168.99.1/24", "172.17.0.1/16");
        assertReaches(nodeA, nodeB);

        nodeA.remove("eth1");
        nodeA.remove("docker0");
        assertThat(nodeA.run("ls", "/sys/class/net")).doesNotContain("eth1", "docker0");
    }

    @Test
    void shouldTellWhoListens() throws Exception {
        assertThat(nodeA.listening()).isEmpty();
        final String program =
                "import java.net.*; public class Listen { public static void main(String[] a) throws Exception {"
                        + " new ServerSocket(4711).accept(); } }";
        Files.writeString(network.file("Listen.java"), program);
        final Process listener =
                new ProcessBuilder(nodeA.command(System.getProperty("java.home") + "/bin/java", "Listen.java")).start();
        try {
            await().atMost(PATIENCE).until(() -> nodeA.listening().equals(List.of(4711)));
        } finally {
            listener.descendants().forEach(ProcessHandle::destroyForcibly);
        }
        await().atMost(PATIENCE).until(() -> nodeA.listening().isEmpty());
    }

    @Test
    void shouldShowHostsWhatIsTestedWhereverItIs(@TempDir final Path folder) throws Exception {
        assumeTrue(folder.startsWith("/tmp"), "only /tmp is hidden from hosts");
        final Path dist = Files.createDirectories(folder.resolve("dist/lib")).getParent();
        final Path jar = Files.writeString(dist.resolve("lib/jar"), "ours");
        Files.writeString(folder.resolve("hidden"), "nobody's");
        final Path script = Files.writeString(dist.resolve("script"), "this, too");
        final Map<String, String> changed = Map.of(
                "test.dist",
                dist.toString(),
                // Within the same folder, and named first.
                "java.class.path",
                jar + ":" + System.getProperty("java.class.path"));
        final Properties before = (Properties) System.getProperties().clone();
        System.getProperties().putAll(changed);
        try (Network other = Network.of(1, Network.Addressing.IPV4)) {
            assertThat(other.host(0).run("cat", jar.toString())).isEqualTo("ours");
            assertThat(other.host(0).run("cat", script.toString())).isEqualTo("this, too");
            assertThat(other.host(0).run("ls", folder.toString())).isEqualTo("dist\n");
        } finally {
            System.setProperties(before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLogInHoweverNamesAndAddressesAre(final Network.Addressing addressing) {
        try (Network other = Network.of(2, addressing)) {
            assertReaches(other.host(0), other.host(1));
            final boolean isIpv6 = addressing == Network.Addressing.IPV6;
            assertThat(other.host(0).run("ip", "-4", "address", "show", "eth0").contains("inet "))
                    .isEqualTo(!isIpv6);
            if (addressing == Network.Addressing.NAMELESS) {
                assertThatThrownBy(() -> other.host(0).run("getent", "hosts", "node-b"))
                        .hasMessageContaining("ended with code 2");
            } else {
                assertThat(other.host(0).run("getent", "hosts", "node-b"))
                        .contains(other.host(1).address());
            }
        }
    }

    @Test
    void shouldEndAHostWithAllItsProcesses() throws Exception {
        try (Network other = Network.of(2, Network.Addressing.IPV4)) {
            final Process sleep = new ProcessBuilder(other.host(1).command("sleep", "1000")).start();
            await().atMost(PATIENCE).until(() -> sleep.descendants().findAny().isPresent());
            other.host(1).kill();

            assertThat(sleep.waitFor(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS))
                    .isTrue();
            assertThat(ProcessHandle.of(other.host(1).pid()).filter(ProcessHandle::isAlive))
                    .isEmpty();
            assertReaches(other.host(0), other.host(0));
        }
    }

    @Test
    void shouldLeaveNothingBehind() {
        final Network other = Network.of(8, Network.Addressing.IPV4);
        final List<Long> inits = other.hosts().stream().map(Host::pid).toList();
        final Path folder = other.file("");
        assertThat(folder).isDirectory();
        other.close();

        await().atMost(PATIENCE).until(() -> inits.stream().noneMatch(NetworkTest::isThere));
        assertThat(folder).doesNotExist();
    }

    /** However the JVM ends that started them. */
    @Test
    void shouldEndWithItsJvm() throws Exception {
        final Process jvm = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Starter.class.getName())
                .start();
        final String line = jvm.inputReader().readLine();
        final List<Long> inits =
                List.of(line.split(" ")).stream().map(Long::valueOf).toList();
        assertThat(inits).hasSize(2).allMatch(NetworkTest::isThere);
        jvm.destroyForcibly();

        await().atMost(PATIENCE).until(() -> inits.stream().noneMatch(NetworkTest::isThere));
    }

    private static boolean isThere(final long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    /** Starts two hosts, prints their first processes, and waits to be killed. */
    static final class Starter {
        private Starter() {}

        public static void main(final String[] arguments) throws Exception {
            final Network network = Network.of(2, Network.Addressing.IPV4);
            System.out.println(network.host(0).pid() + " " + network.host(1).pid());
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
