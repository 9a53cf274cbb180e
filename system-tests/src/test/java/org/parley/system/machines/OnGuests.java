package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Guest;
import org.parley.testbed.Guests;

/**
 * Tests of jobs on virtual machines, which all tests of a class share; the launcher is on a host beside them. On
 * emulated processors a job takes a quarter of a minute, on a machine that has other work a multiple of it, and
 * Parley's patience is set accordingly.
 */
@Tag("machines")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnGuests {
    static final Duration PATIENCE = Duration.ofMinutes(18);
    private static final List<String> SLOW = List.of(
            "launch.timeout=5m",
            "wireup.timeout=5m",
            "silence.timeout=2m",
            "tcp.timeout=2m",
            "tcp.connect.timeout=5m",
            "rc.connect.timeout=5m",
            "ud.timeout=2m");

    private final Guests.Device device;
    private final Supplier<Guests> start;
    private Guests guests;

    @TempDir
    Path folder;

    @RegisterExtension
    final AfterTestExecutionCallback consoles = this::showConsoles;

    OnGuests(Guests.Device device, Supplier<Guests> start) {
        this.device = device;
        this.start = start;
    }

    @BeforeAll
    void startGuests() {
        Optional<String> lack = Guests.lacks(device);
        assumeTrue(lack.isEmpty(), lack.orElse(""));
        guests = start.get();
    }

    @AfterAll
    void endGuests() {
        if (guests != null) {
            guests.close();
        }
    }

    /** Whatever a test has left running ends with it. */
    @AfterEach
    void endJobs() {
        if (guests == null) {
            return;
        }
        for (Guest guest : guests.guests()) {
            guest.run("sh", "-c", "pkill -9 java; pkill -9 pingpong; rm -rf /dev/shm/*");
        }
    }

    private void showConsoles(ExtensionContext test) {
        if (test.getExecutionException().isPresent() && guests != null) {
            guests.guests()
                    .forEach(guest -> System.err.println("console of " + guest.name() + ":\n" + guest.console()));
        }
    }

    Guest guest(char letter) {
        return guests.guest(letter - 'a');
    }

    /** Returns all guests as an option has them. */
    String all() {
        return String.join(
                ",", guests.guests().stream().map(guest -> guest.name()).toList());
    }

    /** Starts {@code parley COMMAND} over guests such as {@code guest-a:2,guest-b}. */
    Launch start(String command, String hosts, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(command, "--set", "launch.ssh=" + guests.ssh(), "--host", hosts));
        for (String setting : SLOW) {
            line.addAll(List.of("--set", setting));
        }
        // The second compiler's work is not worth its cost in so short a run.
        line.addAll(List.of("--bind-to", "none", "--java-opt", "-XX:TieredStopAtLevel=1"));
        line.addAll(List.of(words));
        return Launch.on(guests.head(), folder, line.toArray(String[]::new));
    }

    /** Runs {@code parley COMMAND} over guests to its end. */
    Command.Result run(String command, String hosts, String... words) throws Exception {
        try (Launch job = start(command, hosts, words)) {
            return job.end(PATIENCE);
        }
    }

    /**
     * Runs a command of Parley's in a guest, not on the head beside it.
     *
     * @param user who does; all but root have 64 KiB of locked memory
     * @return what it printed, and at last {@code exit CODE}
     */
    String runIn(Guest guest, String user, String command, String... words) throws Exception {
        StringBuilder line = new StringBuilder("cd /tmp; ulimit -l 64; '" + Launch.PARLEY + "' " + command);
        List<String> settings = new ArrayList<>(SLOW);
        settings.add("launch.ssh=" + guests.ssh());
        settings.forEach(setting -> line.append(" --set '").append(setting).append('\''));
        List.of(words).forEach(word -> line.append(" '").append(word).append('\''));
        line.append("; echo exit $?");
        return output(guest, "su", "-s", "/bin/sh", user, "-c", line.toString());
    }

    /** Runs a command in a guest to its end, which may be far; returns what it printed. */
    String output(Guest guest, String... words) throws Exception {
        Path printed = folder.resolve("printed");
        Process process = new ProcessBuilder(guest.command(words))
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("whether it ended: %s", Files.readString(printed))
                    .isTrue();
            return Files.readString(printed);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Starts a class of package {@code programs} over all guests by one transport. */
    Launch program(String transport, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of("-v", "--transports", transport, "-cp", Launch.CLASSES));
        line.addAll(List.of(words));
        return start("run", all(), line.toArray(String[]::new));
    }

    /** Runs benchmarks over all guests by one transport, each payload checked; returns what they left. */
    Command.Result bench(String names, String transports, String sizes, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(names.split(" ")));
        line.addAll(List.of("-v", "--transports", transports, "-c", "-m", sizes));
        line.addAll(List.of(words));
        Command.Result result = run("bench", all(), line.toArray(String[]::new));
        assertThat(result.code()).as("code of %s", result).isZero();
        return result;
    }

    /** Runs benchmarks as {@link #bench}, a few times each size; returns their rows. */
    List<String> rows(String names, String transports, String sizes) throws Exception {
        return rows(bench(names, transports, sizes, "-i", "5", "-x", "1"));
    }

    static List<String> rows(Command.Result result) {
        return result.out()
                .lines()
                .filter(row -> !row.isBlank() && !row.startsWith("#"))
                .toList();
    }

    /** Runs one of rdma-core's ping-pongs between two guests; returns what the client printed. */
    String pingpong(String program, String... words) throws Exception {
        Guest server = guest('a');
        List<String> line = new ArrayList<>(List.of(program, "-d", server.verbs(), "-g", "1", "-n", "100"));
        line.addAll(List.of(words));
        Process listening = new ProcessBuilder(server.command(line.toArray(String[]::new)))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("server").toFile())
                .start();
        try {
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> !listening.isAlive()
                            || server.run("ss", "--tcp", "--listening", "--numeric")
                                    .contains(":18515 "));
            line.add(server.rdmaAddress());
            String printed = guest('b').run(line.toArray(String[]::new));
            assertThat(listening.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(listening.exitValue()).isZero();
            return printed;
        } finally {
            listening.destroyForcibly();
        }
    }
}
