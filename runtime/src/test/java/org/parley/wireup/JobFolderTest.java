package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.parley.JobException;
import org.parley.transport.tck.ChildJvm;

@Timeout(240)
class JobFolderTest {
    @TempDir
    Path temp;

    /** Makes a folder, prints its path and mode, and stops without removing it. */
    static final class Leave {
        private Leave() {}

        public static void main(final String[] args) throws IOException {
            final JobFolder folder = JobFolder.create(args[0]);
            System.out.println(
                    folder.path() + " " + PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path())));
            Runtime.getRuntime().halt(0);
        }
    }

    private static String unique() {
        return "test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    }

    @Test
    void shouldBelongToItsUserAlone() throws IOException {
        final String job = unique();
        try (ChildJvm child = ChildJvm.start("umask 000", List.of(), Map.of(), Leave.class, job)) {
            child.awaitSuccess();
            final String[] printed = child.output().strip().split(" ");
            final Path left = Path.of(printed[0]);
            assertThat(left.getFileName()).hasToString("parley-" + System.getProperty("user.name") + "-" + job);
            assertThat(printed[1]).isEqualTo("rwx------");
            // Its process is gone: nobody's.
            assertThat(JobFolder.isAbandoned(left)).isTrue();
            JobFolder.removeAbandoned();
            assertThat(left).doesNotExist();
        }
    }

    @Test
    void shouldKnowALivingJob() throws IOException {
        final Path path;
        try (JobFolder folder = JobFolder.create(unique())) {
            path = folder.path();
            assertThat(JobFolder.isAbandoned(path)).isFalse();
            Files.writeString(path.resolve("box-0"), "x");
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void shouldNotTakeAnotherProcessOfTheSameNumberForTheOwner() throws IOException {
        try (JobFolder folder = JobFolder.create(unique())) {
            final Path owner = folder.path().resolve("owner");
            final String[] parts = Files.readString(owner).strip().split(" ");
            assertThat(parts).hasSize(4);
            final String earlier = Long.toString(Long.parseLong(parts[1]) - 1);
            assertAbandoned(folder, parts[0], earlier, parts[2], parts[3], true);
            assertAbandoned(folder, parts[0], parts[1], "another-boot", parts[3], true);
            // Where it counts its processes otherwise, nobody here can tell.
            assertAbandoned(folder, parts[0], earlier, parts[2], "pid:[1]", false);
            assertAbandoned(folder, parts[0], parts[1], parts[2], parts[3], false);
            assertAbandoned(folder, "gar", "ba", "ge", "", false);
            Files.delete(owner);
            assertThat(JobFolder.isAbandoned(folder.path())).as("being made").isFalse();
        }
    }

    private static void assertAbandoned(
            final JobFolder folder,
            final String pid,
            final String start,
            final String boot,
            final String namespace,
            final boolean expected)
            throws IOException {
        final String owner = String.join(" ", pid, start, boot, namespace);
        Files.writeString(folder.path().resolve("owner"), owner);
        assertThat(JobFolder.isAbandoned(folder.path())).as(owner).isEqualTo(expected);
    }

    @Test
    void shouldLeaveAloneWhatIsNoJobFolder() throws IOException {
        final Path other = Files.createDirectory(temp.resolve("other"));
        Files.writeString(other.resolve("owner"), "1 0 another-boot pid:[1]");
        final Path link = Files.createSymbolicLink(JobFolder.of(unique()), other);
        try {
            assertThat(JobFolder.isAbandoned(link)).isFalse();
            assertThat(JobFolder.abandoned()).doesNotContain(link, other);
            assertThat(JobFolder.removeAbandoned()).doesNotContain(link, other);
            assertThat(other.resolve("owner")).exists();
            assertThat(JobFolder.isAbandoned(temp.resolve("parley-none"))).isFalse();
        } finally {
            Files.delete(link);
        }
    }

    @Test
    void shouldRemoveAllThatItHoldsAndNothingElse() throws IOException {
        final Path precious = Files.writeString(temp.resolve("precious"), "untouched");
        final JobFolder folder = JobFolder.create(unique());
        Files.createSymbolicLink(folder.path().resolve("link"), temp);
        Files.createDirectory(folder.path().resolve("sub"));
        Files.createSymbolicLink(folder.path().resolve("sub/link"), precious);
        folder.close();

        assertThat(folder.path()).doesNotExist();
        assertThat(precious).hasContent("untouched");
    }

    @Test
    void shouldRefuseAFolderThatIsThereAlready() throws IOException {
        final String job = unique();
        final Path path = JobFolder.root().resolve("parley-" + System.getProperty("user.name") + "-" + job);
        final Path target = Files.createDirectory(temp.resolve("target"));
        Files.writeString(target.resolve("precious"), "x");
        Files.createSymbolicLink(path, target);
        try {
            assertThatThrownBy(() -> JobFolder.create(job))
                    .isInstanceOf(JobException.class)
                    .hasMessageContaining(path.toString());
            assertThat(target.resolve("precious")).exists();
            assertThat(target).isDirectoryContaining("glob:**precious");
        } finally {
            Files.deleteIfExists(path);
        }
    }
}
