package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of the dead nothing but good: their folders go, and only theirs. */
class JobFolderTest {
    private final JobFolder folder = JobFolder.create("test-" + UUID.randomUUID());

    @TempDir
    Path elsewhere;

    @AfterEach
    void remove() {
        folder.close();
    }

    private String[] owner() throws IOException {
        return Files.readString(folder.path().resolve("owner")).strip().split(" ");
    }

    private void owner(String pid, String start, String boot, String namespace) throws IOException {
        Files.writeString(folder.path().resolve("owner"), String.join(" ", pid, start, boot, namespace));
    }

    @Test
    void shouldBelongToItsUserOnly() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path())))
                .isEqualTo("rwx------");
    }

    @Test
    void shouldStayWhileItsOwnerLives() {
        assertThat(JobFolder.isAbandoned(folder.path())).isFalse();
        assertThat(JobFolder.abandoned()).doesNotContain(folder.path());
        assertThat(JobFolder.removeAbandoned()).doesNotContain(folder.path());
        assertThat(folder.path()).exists();
    }

    @Test
    void shouldGoWithAllInItWhenItsOwnerIsGone() throws Exception {
        Process child = new ProcessBuilder("true").start();
        child.waitFor();
        String[] mine = owner();
        owner(String.valueOf(child.pid()), mine[1], mine[2], mine[3]);
        Path precious = Files.writeString(elsewhere.resolve("precious"), "untouched");
        Files.createSymbolicLink(folder.path().resolve("link"), elsewhere);
        Files.createDirectory(folder.path().resolve("sub"));
        Files.createSymbolicLink(folder.path().resolve("sub/link"), precious);

        assertThat(JobFolder.isAbandoned(folder.path())).isTrue();
        assertThat(JobFolder.removeAbandoned()).contains(folder.path());
        assertThat(folder.path()).doesNotExist();
        assertThat(precious).hasContent("untouched");
    }

    @Test
    void shouldNotTakeALaterProcessOfTheSameNumberForTheOwner() throws IOException {
        String[] mine = owner();
        owner(mine[0], String.valueOf(Long.parseLong(mine[1]) - 1), mine[2], mine[3]);

        assertThat(JobFolder.isAbandoned(folder.path())).isTrue();
    }

    @Test
    void shouldGoAfterAnotherBoot() throws IOException {
        String[] mine = owner();
        owner(mine[0], mine[1], "another-boot", mine[3]);

        assertThat(JobFolder.isAbandoned(folder.path())).isTrue();
    }

    /** Containers may share the memory, but not the process numbers. */
    @Test
    void shouldStayWhereNobodyCanTell() throws IOException {
        String[] mine = owner();
        owner("1", "1", mine[2], "pid:[1]");

        assertThat(JobFolder.isAbandoned(folder.path())).isFalse();
    }

    @Test
    void shouldLeaveAloneWhatIsNotOurs() throws IOException {
        assertThat(JobFolder.isAbandoned(elsewhere)).isFalse();
        Files.writeString(elsewhere.resolve("owner"), "somebody");
        assertThat(JobFolder.isAbandoned(elsewhere)).isFalse();
        Path link = Files.createSymbolicLink(elsewhere.resolve("parley-link"), folder.path());
        owner("1", "1", "another-boot", "x");
        assertThat(JobFolder.isAbandoned(link)).isFalse();
    }
}
