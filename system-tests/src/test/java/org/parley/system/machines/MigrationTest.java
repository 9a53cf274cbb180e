package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.system.Command;
import org.parley.system.DrillTest;
import org.parley.system.Launch;
import org.parley.testbed.Guest;
import org.parley.testbed.Guests;

/** A guest is moved to another QEMU, or stands still, in the middle of a job that checks each payload. */
class MigrationTest extends OnGuests {
    MigrationTest() {
        super(
                Guests.Device.RXE,
                () -> Guests.movable(2, List.of(Launch.PARLEY.getParent().getParent(), Path.of(Launch.CLASSES))));
    }

    /** What runs on goes on, and who talks with it has not noticed. */
    @Test
    void shouldMoveAGuest() throws Exception {
        String boot = guest('b').run("cat", "/proc/sys/kernel/random/boot_id");
        guest('b').run("sh", "-c", "echo here >/tmp/state; exec sleep 1000 >/dev/null 2>&1 </dev/null &");

        guest('b').migrate();

        assertThat(guest('b').run("cat", "/proc/sys/kernel/random/boot_id", "/tmp/state"))
                .isEqualTo(boot + "here\n");
        guest('b').run("pkill", "-x", "sleep");
        assertThat(pingpong("ibv_rc_pingpong")).contains("100 iters in");
    }

    @Test
    @WhenAskedFor
    void shouldLoseNothingOverTcpWhileAGuestIsMoved() throws Exception {
        assertUnharmed("tcp", () -> guest('b').migrate());
    }

    @Test
    @WhenAskedFor
    void shouldLoseNothingOverDatagramsWhileAGuestIsMoved() throws Exception {
        assertUnharmed("ud", () -> guest('b').migrate());
    }

    @Test
    void shouldLoseNothingOverConnectionsWhileAGuestIsMoved() throws Exception {
        assertUnharmed("rc", () -> guest('b').migrate());
    }

    /** Shorter and longer than what a device tries by itself. */
    @ParameterizedTest
    @CsvSource({"tcp, 20", "ud, 20", "rc, 1", "rc, 20"})
    @WhenAskedFor
    void shouldLoseNothingWhileAGuestStandsStill(String transport, int seconds) throws Exception {
        assertUnharmed(transport, () -> {
            guest('b').freeze();
            stand(seconds);
            guest('b').thaw();
        });
    }

    /** Queue pairs that send meanwhile are in the error state afterwards. */
    @ParameterizedTest
    @ValueSource(strings = {"rc", "ud"})
    @WhenAskedFor
    void shouldLoseNothingWhileAPortIsDown(String transport) throws Exception {
        assertUnharmed(transport, () -> {
            guest('b').run("ip", "link", "set", "dev", Guest.RDMA_CARD, "down");
            stand(3);
            guest('b').run("ip", "link", "set", "dev", Guest.RDMA_CARD, "up");
        });
    }

    /** Packets are lost meanwhile; queue pairs stand. */
    @ParameterizedTest
    @ValueSource(strings = {"rc", "ud"})
    @WhenAskedFor
    void shouldLoseNothingWhileACableIsOut(String transport) throws Exception {
        assertUnharmed(transport, () -> {
            guest('b').unplug();
            stand(3);
            guest('b').plugIn();
        });
    }

    @Test
    void shouldLoseNothingOverConnectionsThatBreak() throws Exception {
        assertRehearsed("rc");
    }

    @Test
    @WhenAskedFor
    void shouldLoseNothingOverDatagramsThatBreak() throws Exception {
        assertRehearsed("ud");
    }

    /** Queue pairs are put into the error state again and again. */
    private void assertRehearsed(String transport) throws Exception {
        DrillTest.assertRehearsed(run(
                "run",
                all(),
                "-v",
                "--drill",
                "2s",
                "--transports",
                transport,
                "-cp",
                Launch.CLASSES,
                "programs.Rehearsal",
                "20"));
    }

    /** For so long something is away: the time is what is tested, nothing is waited for. */
    private static void stand(int seconds) {
        try {
            Thread.sleep(seconds * 1000L);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Both ranks get further after it, and end with the same number of rounds. */
    private void assertUnharmed(String transport, Runnable harm) throws Exception {
        try (Launch job = program(transport, "programs.Exchange", "3000")) {
            OnPairs.awaitProgress(job);
            harm.run();
            OnPairs.awaitProgress(job);
            OnPairs.awaitProgress(job);
            job.in().close();
            Command.Result result = job.end(PATIENCE);

            assertThat(result.code()).as(result.toString()).isZero();
            assertThat(result.out()
                            .lines()
                            .filter(line -> line.endsWith(" rounds"))
                            .map(line -> line.replaceAll(".*: ", ""))
                            .distinct())
                    .as(result.toString())
                    .hasSize(1);
        }
    }
}
