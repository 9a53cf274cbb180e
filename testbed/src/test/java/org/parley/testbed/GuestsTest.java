package org.parley.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("machines")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GuestsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static Guests guests;
    private static Guest guest;

    @BeforeAll
    static void startGuests() {
        final Optional<String> lack = Guests.lacks(Guests.Device.RXE);
        assumeTrue(lack.isEmpty(), lack.orElse(""));
        guests = Guests.of(1, Guests.Device.RXE);
        guest = guests.guest(0);
    }

    @AfterAll
    static void endGuests() {
        if (guests != null) {
            guests.close();
        }
    }

    @Test
    void shouldRunCommands() {
        assertThat(guest.run("sh", "-c", "echo \"it's $(hostname), $0\"", "'a  word'"))
                .isEqualTo("it's guest-a, 'a  word'\n");
        assertThat(guest.run("pwd")).isEqualTo(Network.FOLDER + "\n");
        assertThatThrownBy(() -> guest.run("sh", "-c", "echo so; exit 17"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended with code 17: so");
    }

    @Test
    void shouldTakeLoginsFromTheHead() {
        final String[] login = (guests.ssh() + " guest-a hostname").split(" ");
        assertThat(guests.head().run(login)).isEqualTo("guest-a\n");
    }

    @Test
    void shouldShareOneFolderAndNoOther() {
        guest.run("sh", "-c", "echo shared >file; touch /tmp/ours /dev/shm/ours /ours");
        assertThat(guests.file("file")).hasContent("shared\n");
        assertThat(guests.head().run("cat", "file")).isEqualTo("shared\n");
        assertThat(List.of("/tmp/ours", "/dev/shm/ours", "/ours"))
                .allSatisfy(ours -> assertThat(Path.of(ours)).doesNotExist());
    }

    @Test
    void shouldSeeTheMachinesJdk() {
        assertThat(guest.run("ls", System.getProperty("java.home") + "/bin")).contains("java\n");
    }

    @Test
    void shouldHaveVerbs() {
        assertThat(guest.run("ibv_devinfo", "-d", guest.verbs())).contains("PORT_ACTIVE");
    }

    @Test
    void shouldStandStillAndGoOn() {
        final String[] login = (guests.ssh() + " -o ConnectTimeout=1 guest-a hostname").split(" ");
        guest.freeze();
        try {
            assertThatThrownBy(() -> guests.head().run(login)).hasMessageContaining("timed out");
        } finally {
            guest.thaw();
        }
        assertThat(guest.run("hostname")).isEqualTo("guest-a\n");
    }

    @Test
    void shouldNoticeThatItsCableIsPulled() {
        final String state = "/sys/class/net/" + Guest.RDMA_CARD + "/carrier";
        guest.unplug();
        try {
            await().atMost(PATIENCE).until(() -> guest.run("cat", state).equals("0\n"));
        } finally {
            guest.plugIn();
        }
        await().atMost(PATIENCE).until(() -> guest.run("cat", state).equals("1\n"));
    }

    @Test
    void shouldSayThatItIsNotMovable() {
        assertThatThrownBy(guest::migrate).hasMessage("guest-a is not movable");
    }

    @Test
    void shouldLeaveNothingBehind() {
        final Path folder;
        try (Guests other = Guests.of(1, Guests.Device.RXE)) {
            folder = other.file("");
            assertThat(folder).isDirectory();
            other.guest(0).kill();
            assertThat(other.guest(0).isUp()).isFalse();
        }
        await().atMost(PATIENCE).until(() -> !Files.exists(folder));
    }
}
