package org.parley.system.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Host;
import org.parley.testbed.Network;

/** Tests of jobs over several hosts, which all tests of a class share; the launcher is on node-a. */
@Tag("network")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnHosts {
    private final int count;
    private final Network.Addressing addressing;
    private final List<Process> guests = new ArrayList<>();
    private Network network;

    @TempDir
    Path folder;

    OnHosts(int count, Network.Addressing addressing) {
        this.count = count;
        this.addressing = addressing;
    }

    @BeforeAll
    void startHosts() {
        Optional<String> lack = Network.lacks();
        assumeTrue(lack.isEmpty(), lack.orElse(""));
        network = Network.of(count, addressing);
    }

    @AfterAll
    void endHosts() {
        if (network != null) {
            network.close();
        }
    }

    /** Whatever a test has started ends with it, so that the next finds quiet hosts. */
    @AfterEach
    void endGuests() {
        if (network == null) {
            return;
        }
        for (Process guest : guests) {
            guest.descendants().forEach(ProcessHandle::destroyForcibly);
            guest.destroyForcibly();
        }
        guests.clear();
        for (Host host : network.hosts()) {
            if (host.isUp()) {
                jvms(host).forEach(ProcessHandle::destroyForcibly);
                host.run("sh", "-c", "rm -rf /dev/shm/*");
            }
        }
    }

    Host host(char letter) {
        return network.host(letter - 'a');
    }

    Network network() {
        return network;
    }

    /** Starts {@code parley COMMAND} over hosts such as {@code node-b:2,node-c}. */
    Launch start(String command, String hosts, String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of(command, "--set", "launch.ssh=" + Network.SSH, "--host", hosts));
        all.addAll(List.of(words));
        return Launch.on(host('a'), folder, all.toArray(String[]::new));
    }

    /** Starts a class of package {@code programs}, with {@code -v}. */
    Launch program(String hosts, String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of("-v", "-cp", Launch.CLASSES));
        all.addAll(List.of(words));
        return start("run", hosts, all.toArray(String[]::new));
    }

    /** Runs {@code parley COMMAND} over hosts to its end, which is a good one. */
    Command.Result run(String command, String hosts, String... words) throws Exception {
        try (Launch job = start(command, hosts, words)) {
            Command.Result result = job.end();
            assertGood(result);
            return result;
        }
    }

    /** Starts a class of package {@code programs} on a host by itself; ends with the test. */
    Process guest(Host host, Path out, String... words) throws IOException {
        List<String> all = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-Xshare:auto", "-cp", Launch.CLASSES));
        all.addAll(List.of(words));
        return command(host, out, all.toArray(String[]::new));
    }

    /** Starts a command on a host; ends with the test. */
    Process command(Host host, Path out, String... words) throws IOException {
        Process process = new ProcessBuilder(host.command(words))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        guests.add(process);
        return process;
    }

    /** Ends the standard input, at which programs of this package's tests end well. */
    static Command.Result finish(Launch job) throws Exception {
        job.in().close();
        return job.end();
    }

    static void assertGood(Command.Result result) {
        assertThat(result.code()).as("code of %s", result).isZero();
    }

    /** Returns a failed job's last words. */
    static String block(Command.Result result) {
        assertThat(result.err()).contains("FAILED  ");
        return result.err().substring(result.err().lastIndexOf("FAILED  "));
    }

    /** Returns the JVMs that were started by way of the host's sshd. */
    static List<ProcessHandle> jvms(Host host) {
        return ProcessHandle.of(host.pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .filter(process -> process.info().command().orElse("").endsWith("/java"))
                .toList();
    }

    /** Waits until nothing of a job is left on a host. */
    static void awaitQuiet(Host host) {
        if (!host.isUp()) {
            return;
        }
        await().atMost(Launch.PATIENCE)
                .untilAsserted(() ->
                        assertThat(jvms(host)).as("JVMs on %s", host.name()).isEmpty());
        await().atMost(Launch.PATIENCE)
                .untilAsserted(() -> assertThat(host.run("ls", "/dev/shm"))
                        .as("/dev/shm of %s", host.name())
                        .isEmpty());
    }
}
