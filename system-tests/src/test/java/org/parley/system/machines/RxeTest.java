package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.parley.testbed.Guest;
import org.parley.testbed.Guests;

/** Soft-RoCE on a network card of virtio; and what the doctor says of guests that are broken in each way. */
class RxeTest extends OnPairs {
    private static final String CARD = Guest.RDMA_CARD;

    private Runnable repair = () -> {};

    RxeTest() {
        super(Guests.Device.RXE, true);
    }

    @AfterEach
    void repair() {
        repair.run();
        repair = () -> {};
    }

    private void broken(Guest guest, String how, String repairs) {
        repair = () -> guest.run("sh", "-c", repairs);
        guest.run("sh", "-c", how);
    }

    private String doctor(String user, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of("--timeout", "200"));
        line.addAll(List.of(words));
        return runIn(guest('a'), user, "doctor", line.toArray(String[]::new));
    }

    @Test
    void shouldFindWhatIsSoundSound() throws Exception {
        assertThat(doctor("root", "--local"))
                .contains("adapter     ok", "system      ok", "link        ok", "RoCE v2, GID 10.78.0.1", "exit 0");
    }

    @Test
    void shouldFindNoAdapter() throws Exception {
        broken(guest('a'), "rdma link del rxe0", "rdma link add rxe0 type rxe netdev " + CARD);

        assertThat(doctor("root", "--local")).contains("adapter     BROKEN", "D101", "not examined: system", "exit 1");
    }

    @Test
    void shouldFindNoDeviceFile() throws Exception {
        broken(guest('a'), "mv /dev/infiniband /dev/away", "mv /dev/away /dev/infiniband");

        assertThat(doctor("root", "--local")).contains("system      BROKEN", "D201", "exit 1");
    }

    @Test
    void shouldFindADeviceFileOfOthersAndALowLimit() throws Exception {
        broken(guest('a'), "chmod 600 /dev/infiniband/uverbs0", "chmod 666 /dev/infiniband/uverbs0");

        assertThat(doctor("nobody", "--local"))
                .contains("system      BROKEN", "D202", "D203 seen:     64 KiB", "exit 1");
    }

    @Test
    void shouldFindAPortThatIsDown() throws Exception {
        broken(guest('a'), "ip link set " + CARD + " down", up(guest('a')));

        assertThat(doctor("root", "--local"))
                .contains("system      ok", "link        BROKEN", "D301", "ip link set " + CARD + " up", "exit 1");
    }

    private static String up(Guest guest) {
        return "ip link set " + CARD + " up; ip addr replace " + guest.rdmaAddress() + "/24 dev " + CARD;
    }
}
