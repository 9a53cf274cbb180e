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
import org.parley.config.Options;

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
            "PARLEY_RENDEZVOUS", "unix:/nonexistent/rendezvous",
            "PARLEY_TOKEN_FILE", "/nonexistent/token"));

    @AfterEach
    void remove() {
        folder.close();
    }

    private void join() {
        new LaunchedPlace(environment, Options.load(Map.of()));
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

        assertThatThrownBy(this::join)
                .hasMessageContaining("PARLEY_JOB=another has no folder " + JobFolder.of("another"));
    }

    @Test
    void shouldSayWhichAddressesItKnows() {
        environment.put("PARLEY_RENDEZVOUS", "pigeon:loft");

        assertThatThrownBy(this::join).hasMessage("PARLEY_RENDEZVOUS=pigeon:loft is not of the form unix:/path");
    }

    @Test
    void shouldFindItsPlaceInItsFolder() {
        assertThat(folder.path()).isEqualTo(JobFolder.of(job));
        assertThat(JobFolder.of(job).getParent()).isEqualTo(Path.of("/dev/shm"));
    }
}
