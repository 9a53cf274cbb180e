package org.parley.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Availability;
import org.parley.transport.Endpoint;
import org.parley.transport.JobSecret;
import org.parley.transport.PeerGoneException;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;
import org.parley.transport.tck.ChildJvm;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.StandardOptions;
import org.parley.transport.tck.TestJob;

/** Files: whose they are, how long they live, and what becomes of those that somebody else made. */
@Timeout(240)
class ShmFilesTest {
    private static final int NONCE_IN_RING = 32;
    private static final int PID_IN_RING = 20;
    private static final int PROCESS_IN_RING = 40;
    private static final int NONCE_IN_BOX = 8;

    @TempDir
    Path temp;

    private static TestJob job(final int ranks) {
        return new TestJob(ranks, ShmTransport::new, Map.of());
    }

    private static List<String> names(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    // --- whose -----------------------------------------------------------------------------------

    @Test
    void shouldKeepFilesFromOtherUsersUnderAnyUmask() throws IOException {
        try (ChildJvm child = ChildJvm.start(
                "umask 000",
                List.of(),
                Map.of(),
                ShmPrograms.class,
                "modes",
                temp.resolve("job").toString())) {
            child.awaitSuccess();
        }
    }

    @Test
    void shouldNotBeAvailableWithoutItsFolder() {
        final Transport transport = new ShmTransport();

        final Availability availability = transport.probe(context(transport, temp.resolve("nowhere")));

        assertThat(availability.available()).isFalse();
        assertThat(availability.reason())
                .isEqualTo(temp.resolve("nowhere") + " is no folder that this user can write to");
    }

    private static TransportContext context(final Transport transport, final Path folder) {
        return new TransportContext(
                "job", 0, 1, 1, folder, JobSecret.create(), new StandardOptions(transport, Map.of()));
    }

    // --- how long --------------------------------------------------------------------------------

    @Test
    void shouldRemoveTheNameOfARingOnceBothHaveIt() throws IOException {
        try (TestJob job = job(3)) {
            assertThat(names(job.folder())).containsExactly("box-0", "box-1", "box-2");
            job.rank(0).to(1);
            assertThat(names(job.folder())).contains("ring-0-1");
            job.rank(1).poll();
            assertThat(names(job.folder())).containsExactly("box-0", "box-1", "box-2");
            job.send(0, 1, new byte[] {1});
            assertThat(job.take(1, 0)).containsExactly(1);
        }
    }

    @Test
    void shouldRemoveItsMailboxWhenItCloses() throws IOException {
        try (TestJob job = job(2)) {
            job.send(0, 1, new byte[] {1});
            job.take(1, 0);
            job.rank(0).close();
            assertThat(names(job.folder())).containsExactly("box-1");
            assertThat(job.rank(1).transport().reaches(new byte[0]).available()).isFalse();
            job.rank(1).close();
            assertThat(names(job.folder())).isEmpty();
        }
    }

    @Test
    void shouldSayThatAPeerIsGone() {
        try (TestJob job = job(2)) {
            final byte[] address = job.rank(0).address();
            job.rank(0).close();
            // It was within reach, and so the runtime does not look for another way.
            assertThat(job.rank(1).transport().reaches(address).available()).isTrue();
            assertThatThrownBy(() -> job.rank(1).transport().connect(0, address))
                    .isInstanceOf(PeerGoneException.class)
                    .hasMessageContaining("box-0")
                    .hasMessageContaining("is gone: who made it has left the job, or ended");
        }
    }

    // --- made by somebody else -------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"file", "link", "dangling link", "folder"})
    void shouldRefuseAMailboxThatIsThereAlready(final String kind) throws IOException {
        final Path folder = Files.createDirectory(temp.resolve("job"));
        final Path target = plant(folder.resolve("box-0"), kind);

        final Transport transport = new ShmTransport();
        assertThatThrownBy(() -> transport.open(context(transport, folder), null))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("box-0")
                .hasMessageContaining("exists");

        assertUntouched(target, kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", "link", "dangling link", "folder"})
    void shouldRefuseARingThatIsThereAlready(final String kind) throws IOException {
        try (TestJob job = job(2)) {
            final Path ring = job.folder().resolve("ring-0-1");
            final Path target = plant(ring, kind);

            assertThatThrownBy(() -> job.rank(0).to(1))
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("ring-0-1")
                    .hasMessageContaining("exists");

            assertUntouched(target, kind);
            // Without it all is well.
            Files.delete(ring);
            job.send(0, 1, new byte[] {7});
            assertThat(job.take(1, 0)).containsExactly(7);
        }
    }

    /** Makes what an enemy, or an accident, would; returns what must not change. */
    private Path plant(final Path path, final String kind) throws IOException {
        final Path target = temp.resolve("target");
        switch (kind) {
            case "file" -> {
                Files.writeString(path, "precious");
                return path;
            }
            case "folder" -> {
                return Files.createDirectory(path);
            }
            case "link" -> Files.writeString(target, "precious");
            default -> assertThat(target).doesNotExist();
        }
        Files.createSymbolicLink(path, target);
        return target;
    }

    private static void assertUntouched(final Path target, final String kind) {
        switch (kind) {
            case "folder" -> assertThat(target).isEmptyDirectory();
            case "dangling link" -> assertThat(target).doesNotExist();
            default -> assertThat(target).hasContent("precious");
        }
    }

    @Test
    void shouldNotFollowALinkToAPeersMailbox() throws IOException {
        try (TestJob job = job(2)) {
            final Path box = job.folder().resolve("box-1");
            final Path elsewhere = temp.resolve("elsewhere");
            Files.move(box, elsewhere);
            Files.createSymbolicLink(box, elsewhere);

            final Availability availability =
                    job.rank(0).transport().reaches(job.rank(1).address());

            assertThat(availability.available()).isFalse();
            assertThat(availability.reason()).contains("box-1");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 100, 136, 4096})
    void shouldRefuseAMailboxThatIsNotThePeers(final int size) throws IOException {
        try (TestJob job = job(2)) {
            final Path box = job.folder().resolve("box-1");
            Files.write(box, Arrays.copyOf(Files.readAllBytes(box), size));
            if (size == 136) {
                // The right form, another nonce: what a killed job of the same name would leave.
                overwrite(box, NONCE_IN_BOX, 12345L);
            }
            final Availability availability =
                    job.rank(0).transport().reaches(job.rank(1).address());

            assertThat(availability.available()).isFalse();
            assertThat(availability.reason()).contains("box-1 is not the mailbox of rank 1 of this job");
            assertThatThrownBy(() -> job.rank(0).to(1)).isInstanceOf(TransportException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"empty", "short", "cut", "capacity", "magic", "sender", "link"})
    void shouldRefuseARingThatIsNone(final String kind) throws IOException {
        try (TestJob job = job(2)) {
            job.rank(0).to(1);
            final Path ring = job.folder().resolve("ring-0-1");
            final byte[] all = Files.readAllBytes(ring);
            final Map<String, byte[]> contents = new HashMap<>();
            contents.put("empty", new byte[0]);
            contents.put("short", Arrays.copyOf(all, 100));
            contents.put("cut", Arrays.copyOf(all, all.length - 4096));
            contents.put("capacity", changed(all, 8, 1 << 30));
            contents.put("magic", changed(all, 0, 1));
            contents.put("sender", changed(all, 12, 1));
            Files.delete(ring);
            if (kind.equals("link")) {
                Files.write(temp.resolve("ring"), all);
                Files.createSymbolicLink(ring, temp.resolve("ring"));
            } else {
                Files.write(ring, contents.get(kind));
            }

            assertThatThrownBy(() -> job.rank(1).poll())
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("ring-0-1");
        }
    }

    private static byte[] changed(final byte[] all, final int at, final int value) {
        final byte[] result = all.clone();
        ByteBuffer.wrap(result).order(ByteOrder.nativeOrder()).putInt(at, value);
        return result;
    }

    private static void overwrite(final Path file, final int at, final long value) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(at);
            access.writeLong(value);
        }
    }

    // --- space -----------------------------------------------------------------------------------

    @Test
    void shouldFailWithATextWhereThereIsNoSpace() throws IOException {
        final String reason = ChildJvm.whyNoMount();
        assumeTrue(reason == null, reason);
        try (ChildJvm child =
                ChildJvm.startWithSmallFileSystem(temp, "1m", ShmPrograms.class, "full", temp.toString())) {
            child.awaitSuccess();
        }
    }

    @Test
    void shouldCarryThirtyTwoRanksInTheSharedMemoryOfAContainer() throws IOException {
        final String reason = ChildJvm.whyNoMount();
        assumeTrue(reason == null, reason);
        try (ChildJvm child =
                ChildJvm.startWithSmallFileSystem(temp, "64m", ShmPrograms.class, "all pairs", temp.toString(), "32")) {
            child.awaitSuccess();
        }
    }

    // --- single copies ---------------------------------------------------------------------------

    @Test
    void shouldCopyBetweenProcesses() throws IOException {
        copyBetweenProcesses("", true);
    }

    /** Both are process 1 of their containers, and share the folder: a number names no process. */
    @Test
    void shouldNotTakeProcessesOfTheSameNumberForOne() throws IOException {
        final String reason = ChildJvm.whyNoProcessNamespace();
        assumeTrue(reason == null, reason);
        copyBetweenProcesses("exec unshare -pf --kill-child --mount-proc \"$@\"", false);
    }

    private void copyBetweenProcesses(final String shell, final boolean sameIds) throws IOException {
        Files.createDirectory(temp.resolve("job"));
        try (ChildJvm first = peer(shell, 0, sameIds);
                ChildJvm second = peer(shell, 1, sameIds)) {
            second.awaitSuccess();
            first.awaitSuccess();
        }
        assertThat(names(temp.resolve("job"))).isEmpty();
    }

    private ChildJvm peer(final String shell, final int rank, final boolean sameIds) throws IOException {
        return ChildJvm.start(
                shell,
                List.of(),
                Map.of(),
                ShmPrograms.class,
                "peer",
                temp.toString(),
                Integer.toString(rank),
                Boolean.toString(sameIds));
    }

    @ParameterizedTest
    @ValueSource(ints = {NONCE_IN_RING, PID_IN_RING})
    void shouldNotReadAProcessThatIsNotThePeer(final int wrongField) throws IOException {
        try (TestJob job = job(2)) {
            final Endpoint sender = job.rank(0).to(1);
            // Another process, whose id means nothing here, or whose memory is another's.
            overwrite(job.folder().resolve("ring-0-1"), PROCESS_IN_RING, 12345L);
            overwrite(job.folder().resolve("ring-0-1"), wrongField, -1L);
            job.send(0, 1, new byte[] {1});
            job.take(1, 0);
            final ByteBuffer memory = ByteBuffer.allocateDirect(200);
            final long address = BufferUtil.address(memory);

            for (int i = 0; i < 3; i++) {
                final long key = sender.expose(address, 100, 0);
                assertThat(job.rank(1).get(0, address, key, address + 100, 100, i))
                        .isEqualTo(Endpoint.UNREACHABLE);
                sender.conceal(key);
            }
            job.send(0, 1, Pattern.bytes(3, 1000));
            assertThat(job.take(1, 0)).isEqualTo(Pattern.bytes(3, 1000));
        }
    }
}
