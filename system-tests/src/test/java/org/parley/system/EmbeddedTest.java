package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.testbed.VerbsShim;

/** Ranks that no launcher started find each other by the variables that the contract names. */
class EmbeddedTest {
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final Path LIB = Path.of(System.getProperty("test.dist"), "lib");

    @TempDir
    Path folder;

    private final String job = "test-" + UUID.randomUUID();
    private final Map<String, String> more = new HashMap<>();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start(int rank, int size, String rendezvous, Path token, String... acts) throws IOException {
        return start("programs.Actor", rank, size, rendezvous, token, acts);
    }

    private Process start(String program, int rank, int size, String rendezvous, Path token, String... acts)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(JAVA, "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED"));
        command.addAll(List.of("-cp", LIB + "/*:" + Launch.CLASSES, program));
        command.addAll(List.of(acts));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(out(rank).toFile())
                .redirectError(err(rank).toFile());
        builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        builder.environment().put("PARLEY_RANK", String.valueOf(rank));
        builder.environment().put("PARLEY_SIZE", String.valueOf(size));
        builder.environment().put("PARLEY_LOCAL_RANK", String.valueOf(rank));
        builder.environment().put("PARLEY_LOCAL_SIZE", String.valueOf(size));
        builder.environment().put("PARLEY_JOB", job);
        builder.environment().put("PARLEY_RENDEZVOUS", rendezvous);
        if (token != null) {
            builder.environment().put("PARLEY_TOKEN_FILE", token.toString());
        }
        builder.environment().putAll(more);
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private Path out(int rank) {
        return folder.resolve("out-" + rank);
    }

    private Path err(int rank) {
        return folder.resolve("err-" + rank);
    }

    private String errorOf(int rank) throws IOException {
        return Files.readString(err(rank));
    }

    private void awaitOut(int rank, String text) {
        await("rank " + rank + " says " + text)
                .atMost(Launch.PATIENCE)
                .until(() -> Files.readString(out(rank)).contains(text));
    }

    private void awaitError(int rank, String text) {
        await("rank " + rank + " complains: " + text)
                .atMost(Launch.PATIENCE)
                .until(() -> errorOf(rank).contains(text));
    }

    private int codeOf(Process process) throws Exception {
        assertThat(process.waitFor(Launch.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("the rank ends; %s", Files.readString(err(processes.indexOf(process))))
                .isTrue();
        return process.exitValue();
    }

    private Path token() throws IOException {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        Path file = Files.createTempFile(
                folder,
                "token",
                "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.write(file, secret);
    }

    private static String freeAddress() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "tcp:127.0.0.1:" + socket.getLocalPort();
        }
    }

    private List<Path> leftovers() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().endsWith(job))
                    .toList();
        }
    }

    @Test
    void shouldMeetByAFile() throws Exception {
        Path file = folder.resolve("rendezvous");
        // An earlier job's, whose rank 0 was killed.
        Files.writeString(file, "parley-rendezvous 1\njob another\naddress 127.0.0.1 1\nend\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        start(0, 3, "file:" + file, null, "ring");
        start(1, 3, "file:" + file, null, "ring");
        start(2, 3, "file:" + file, null, "ring");

        for (int rank = 0; rank < 3; rank++) {
            assertThat(codeOf(processes.get(rank))).as(errorOf(rank)).isZero();
            assertThat(out(rank)).content().contains("rank " + rank + " got " + (rank + 2) % 3);
        }
        assertThat(file).doesNotExist();
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void shouldMeetAtAnAddress() throws Exception {
        String address = freeAddress();
        Path token = token();
        start(0, 2, address, token, "ring");
        start(1, 2, address, token, "ring");

        for (int rank = 0; rank < 2; rank++) {
            assertThat(codeOf(processes.get(rank))).as(errorOf(rank)).isZero();
            assertThat(out(rank)).content().contains("rank " + rank + " got " + (1 - rank));
        }
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void shouldNameWhoDoesNotCome() throws Exception {
        String address = freeAddress();
        Path token = token();
        more.put("PARLEY_WIREUP_TIMEOUT", "2s");
        start(0, 3, address, token, "ring");
        start(1, 3, address, token, "ring");

        for (int rank = 0; rank < 2; rank++) {
            assertThat(codeOf(processes.get(rank))).isEqualTo(1);
        }
        // On a slow machine rank 1 may come late, too.
        assertThat(errorOf(0)).containsPattern("ranks? [01,]*2 did not join the job within 2 s");
        assertThat(leftovers()).isEmpty();
    }

    /** Rank 0 has the rendezvous: whoever else is killed, it tells; when it is, all see it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldLearnThatARankWasKilled(int killed) throws Exception {
        int other = 1 - killed;
        String[] acts = killed == 0 ? new String[] {"sleep", "receive"} : new String[] {"receive", "sleep"};
        Path file = folder.resolve("rendezvous");
        start(0, 2, "file:" + file, null, acts);
        start(1, 2, "file:" + file, null, acts);
        awaitOut(killed, "rank " + killed + ": sleep");
        awaitOut(other, "rank " + other + ": receive");
        processes.get(killed).destroyForcibly();

        assertThat(codeOf(processes.get(other))).isEqualTo(1);
        assertThat(errorOf(other))
                .contains("PeerFailedException: rank " + killed + " (")
                .contains("without leaving the job");
    }

    @Test
    void shouldLearnThatAPeerOverRdmaWasKilled() throws Exception {
        Optional<String> lack = VerbsShim.lacks();
        assumeTrue(lack.isEmpty(), lack.orElse(""));
        try (VerbsShim shim = VerbsShim.of(Map.of())) {
            more.putAll(OnShim.environment(shim));
            more.put("PARLEY_TRANSPORTS", "self,rc");
            Path file = folder.resolve("rendezvous");
            Process survivor = start(0, 2, "file:" + file, null, "ring-receive", "ring-sleep");
            Process killed = start(1, 2, "file:" + file, null, "ring-receive", "ring-sleep");
            awaitOut(0, "rank 0 got 1");
            awaitOut(1, "rank 1 got 0");
            killed.destroyForcibly();

            assertThat(codeOf(survivor)).isEqualTo(1);
            assertThat(errorOf(0)).contains("PeerFailedException: rank 1 (");
        }
    }

    @Test
    void shouldRefuseAnotherToken() throws Exception {
        more.put("PARLEY_WIREUP_TIMEOUT", "1h");
        String address = freeAddress();
        Process rank0 = start(0, 2, address, token(), "ring");
        Process rank1 = start(1, 2, address, token(), "ring");

        assertThat(codeOf(rank1)).isEqualTo(1);
        assertThat(errorOf(1)).contains("refused: it does not have the token of job " + job);
        awaitError(0, "that calls itself rank 1 (pid " + rank1.pid() + ") was refused: it does not have the token");
        assertThat(rank0.isAlive()).isTrue();
    }

    @Test
    void shouldRefuseAnotherJob() throws Exception {
        more.put("PARLEY_WIREUP_TIMEOUT", "1h");
        String address = freeAddress();
        Path token = token();
        Process rank0 = start(0, 2, address, token, "ring");
        more.put("PARLEY_JOB", job + "-other");
        Process rank1 = start(1, 2, address, token, "ring");

        assertThat(codeOf(rank1)).isEqualTo(1);
        String why = "it is of job " + job + "-other, and this is where the ranks of job " + job + " meet";
        assertThat(errorOf(1)).contains("refused: " + why);
        awaitError(0, "that calls itself rank 1 (pid " + rank1.pid() + ") was refused: " + why);
        assertThat(rank0.isAlive()).isTrue();
    }

    /** It may be that an earlier job has left the file, so the rank goes on looking. */
    @Test
    void shouldSayThatTheFileIsOfAnotherJob() throws Exception {
        more.put("PARLEY_WIREUP_TIMEOUT", "1h");
        Path file = folder.resolve("rendezvous");
        Process rank0 = start(0, 2, "file:" + file, null, "ring");
        more.put("PARLEY_JOB", job + "-other");
        Process rank1 = start(1, 2, "file:" + file, null, "ring");

        awaitError(1, file + " is of another job (job " + job + ", this is " + job + "-other)");
        assertThat(rank0.isAlive() && rank1.isAlive()).isTrue();
    }

    @Test
    void shouldRefuseAFileThatOthersCanRead() throws Exception {
        Path file = folder.resolve("rendezvous");
        Files.writeString(file, "parley-rendezvous 1\njob " + job + "\naddress 127.0.0.1 1\nend\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Process rank1 = start(1, 2, "file:" + file, null, "ring");
        assertThat(rank1.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(rank1.exitValue()).isEqualTo(1);
        assertThat(errorOf(1)).contains("the rendezvous file " + file + " can be read by others");
    }

    @Test
    void shouldSayWhereNobodyAnswered() throws Exception {
        String address = freeAddress();
        Path token = token();
        more.put("PARLEY_WIREUP_TIMEOUT", "1s");
        Process rank1 = start(1, 2, address, token, "ring");
        assertThat(rank1.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(rank1.exitValue()).isEqualTo(1);
        assertThat(errorOf(1))
                .contains("rank 0 at " + address + " has not answered within")
                .contains(address.substring("tcp:".length()) + ": Connection refused");
    }

    private List<Process> survivors(String rendezvous) throws IOException {
        more.put("PARLEY_FT", "continue");
        Path token = token();
        for (int rank = 0; rank < 3; rank++) {
            start("programs.Survivor", rank, 3, rendezvous, token, "1", "barrier");
        }
        for (int rank = 0; rank < 3; rank++) {
            awaitOut(rank, "rank " + rank + ": barrier");
        }
        return processes;
    }

    @Test
    void shouldGoOnWithoutARankThatIsKilled() throws Exception {
        List<Process> ranks = survivors(freeAddress());
        ranks.get(1).destroyForcibly();

        for (int rank : new int[] {0, 2}) {
            assertThat(codeOf(ranks.get(rank))).as(errorOf(rank)).isZero();
            assertThat(Files.readString(out(rank))).contains("rank " + rank + ": 2 are left, sum 2");
        }
    }

    /** Rank 0 is who decides where there is no launcher. */
    @Test
    void shouldEndWithoutRankZero() throws Exception {
        List<Process> ranks = survivors(freeAddress());
        ranks.get(0).destroyForcibly();

        for (int rank : new int[] {1, 2}) {
            assertThat(codeOf(ranks.get(rank))).isEqualTo(1);
            assertThat(errorOf(rank)).contains("rank 0");
        }
    }
}
