package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.JobException;

/** A launched rank that cannot join says so, and which variable is wrong. */
class LaunchedPlaceTest {
    private final String job = "test-" + UUID.randomUUID();
    private final JobFolder folder = JobFolder.create(job);
    private final Map<String, String> environment = new HashMap<>(Map.of(
            "PARLEY_RANK", "1",
            "PARLEY_SIZE", "4",
            "PARLEY_LOCAL_RANK", "1",
            "PARLEY_LOCAL_SIZE", "2",
            "PARLEY_JOB", job,
            "PARLEY_RENDEZVOUS", Rendezvous.addressIn(folder.path()),
            "PARLEY_TOKEN_FILE", "/nonexistent/token"));

    @AfterEach
    void remove() {
        folder.close();
    }

    private void join() {
        new LaunchedPlace(environment);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PARLEY_SIZE",
                "PARLEY_LOCAL_RANK",
                "PARLEY_LOCAL_SIZE",
                "PARLEY_JOB",
                "PARLEY_RENDEZVOUS",
                "PARLEY_TOKEN_FILE"
            })
    void shouldNameTheVariableThatIsMissing(String name) {
        environment.remove(name);

        assertThatThrownBy(this::join)
                .isInstanceOf(JobException.class)
                .hasMessageContaining("PARLEY_RANK is set but " + name + " is not");
    }

    @Test
    void shouldNotTakeARankWithoutItsNumberForAWorldOfOne() {
        environment.remove("PARLEY_RANK");

        assertThatThrownBy(this::join)
                .isInstanceOf(JobException.class)
                .hasMessageContaining("PARLEY_RENDEZVOUS is set but PARLEY_RANK is not");
    }

    @ParameterizedTest
    @CsvSource({
        "PARLEY_RANK, x, 0 to 3",
        "PARLEY_RANK, 4, 0 to 3",
        "PARLEY_RANK, -1, 0 to 3",
        "PARLEY_SIZE, 0, 1 to",
        "PARLEY_LOCAL_RANK, 2, 0 to 1",
        "PARLEY_LOCAL_SIZE, 5, 1 to 4"
    })
    void shouldNameTheVariableThatIsOutOfRange(String name, String value, String range) {
        environment.put(name, value);

        assertThatThrownBy(this::join)
                .isInstanceOf(JobException.class)
                .hasMessageStartingWith(name + "=" + value + " is no number from " + range);
    }

    @Test
    void shouldSayThatTheJobIsNotHere() {
        environment.put("PARLEY_JOB", "another");
        environment.put("PARLEY_RENDEZVOUS", Rendezvous.addressIn(JobFolder.of("another")));

        assertThatThrownBy(this::join)
                .hasMessageContaining("PARLEY_JOB=another has no folder " + JobFolder.of("another"));
    }

    @Test
    void shouldSayWhichAddressesItKnows() {
        environment.put("PARLEY_RENDEZVOUS", "pigeon:loft");

        assertThatThrownBy(this::join)
                .hasMessage(
                        "PARLEY_RENDEZVOUS=pigeon:loft is of none of the forms unix:/path, tcp:HOST:PORT and file:/path");
    }

    @Test
    void shouldFindItsPlaceInItsFolder() {
        assertThat(folder.path()).isEqualTo(JobFolder.of(job));
        assertThat(JobFolder.of(job).getParent()).isEqualTo(Path.of("/dev/shm"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../etc", "a/b", ".", "a b", "a\nb"})
    void shouldRefuseANameThatIsNoFilesName(String name) {
        environment.put("PARLEY_JOB", name);
        environment.put("PARLEY_RENDEZVOUS", "file:/nonexistent/meet");

        assertThatThrownBy(this::join).hasMessageStartingWith("PARLEY_JOB=" + name + " is no name of up to 64 letters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp:", "tcp:host", "tcp:host:", "tcp::1", "tcp:host:0", "tcp:host:65536", "tcp:host:x"})
    void shouldRefuseWhatIsNoAddress(String address) {
        environment.put("PARLEY_RENDEZVOUS", address);

        assertThatThrownBy(this::join).hasMessage("PARLEY_RENDEZVOUS=" + address + " is not of the form tcp:HOST:PORT");
    }
}
