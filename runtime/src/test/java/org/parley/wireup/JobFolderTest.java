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

@Timeout(60)
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
            assertThat(parts).hasSize(3);
            Files.writeString(owner, parts[0] + " " + (Long.parseLong(parts[1]) - 1) + " " + parts[2]);
            assertThat(JobFolder.isAbandoned(folder.path()))
                    .as("other start time")
                    .isTrue();
            Files.writeString(owner, parts[0] + " " + parts[1] + " another-boot");
            assertThat(JobFolder.isAbandoned(folder.path())).as("other boot").isTrue();
            Files.writeString(owner, "garbage");
            assertThat(JobFolder.isAbandoned(folder.path())).as("unreadable").isFalse();
            Files.delete(owner);
            assertThat(JobFolder.isAbandoned(folder.path())).as("being made").isFalse();
        }
    }

    @Test
    void shouldLeaveAloneWhatIsNoJobFolder() throws IOException {
        final Path other = Files.createDirectory(temp.resolve("other"));
        Files.writeString(other.resolve("owner"), "1 0 another-boot");
        assertThat(JobFolder.isAbandoned(other)).isFalse();
        final Path link = Files.createSymbolicLink(temp.resolve("parley-link"), other);
        assertThat(JobFolder.isAbandoned(link)).isFalse();
        assertThat(JobFolder.isAbandoned(temp.resolve("parley-none"))).isFalse();
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
