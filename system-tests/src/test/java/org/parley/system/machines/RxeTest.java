package org.parley.system.machines;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Guest;
import org.parley.testbed.Guests;

/** Soft-RoCE on a network card of virtio; and what the doctor says of guests that are broken in each way. */
class RxeTest extends OnPairs {
    private static final String CARD = Guest.RDMA_CARD;
    private static final String ELSEWHERE = "ip addr flush dev " + CARD + "; ip addr add 10.79.0.2/24 dev " + CARD;

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

    /** As {@link #broken}, of both guests. */
    private void bothBroken(String ofA, String ofB, String repairsA, String repairsB) {
        repair = () -> {
            guest('a').run("sh", "-c", repairsA);
            guest('b').run("sh", "-c", repairsB);
        };
        guest('a').run("sh", "-c", ofA);
        guest('b').run("sh", "-c", ofB);
    }

    private String doctor(String user, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of("--timeout", "500"));
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

    @Test
    @WhenAskedFor
    void shouldFindAPairSound() throws Exception {
        assertThat(doctor("root", "--hosts", "guest-b"))
                .contains("RC connects them", "UD connects them", "messages    ok      guest-a and guest-b", "exit 0");
    }

    @Test
    void shouldFindAHostThatSshDoesNotReach() throws Exception {
        assertThat(doctor("root", "--hosts", "nowhere.invalid"))
                .contains("adapter     BROKEN  nowhere.invalid", "D403", "not examined: system", "exit 1");
    }

    @Test
    @WhenAskedFor
    void shouldFindCardsAndASwitchOfDifferentMtu() throws Exception {
        bothBroken(mtu(4200), mtu(2000), mtu(1500), mtu(1500));
        Runnable repairsCards = repair;
        repair = () -> {
            guest('b').narrow(Guest.SWITCH_MTU);
            repairsCards.run();
        };
        guest('b').narrow(1500);

        assertThat(doctor("root", "--hosts", "guest-b"))
                .contains(
                        "link        BROKEN  guest-a and guest-b", "D305", "D306", "not examined: transport", "exit 1");
    }

    @Test
    @WhenAskedFor
    void shouldFindPortsInDifferentNetworks() throws Exception {
        broken(guest('b'), ELSEWHERE, back(guest('b')));

        assertThat(doctor("root", "--hosts", "guest-b"))
                .contains("link        ok      guest-b", "transport   BROKEN  guest-a and guest-b", "D402", "exit 1");
    }

    @Test
    @WhenAskedFor
    void shouldSayWhyPortsInDifferentNetworksDoNotConnect() throws Exception {
        broken(guest('b'), ELSEWHERE, back(guest('b')));

        try (Launch job = program("rc", "programs.Actor", "ring")) {
            Command.Result result = job.end(PATIENCE);

            assertThat(result.code()).as(result.toString()).isNotZero();
            assertThat(result.err()).contains("the ports are in different networks", "10.79.0.2");
        }
    }

    @Test
    @WhenAskedFor
    void shouldTakeTheSmallerMtuOfTwoPorts() throws Exception {
        broken(guest('a'), mtu(4200), mtu(1500));

        assertThat(doctor("root", "--local")).contains("MTU 4096");
        assertThat(rows("latency", "rc", "8k:32k")).hasSize(3).allMatch(row -> row.endsWith("Pass"));
    }

    @Test
    void shouldTakeTcpAndSayWhyWhereAnOrdinaryUserMayLockLittle() throws Exception {
        String printed = runIn(
                guest('a'),
                "nobody",
                "run",
                "-n",
                "2",
                "--transports",
                "^shm",
                "-cp",
                Launch.CLASSES,
                "programs.Actor",
                "ring");

        assertThat(printed).contains("ibv_reg_mr", "ulimit -l unlimited", "rank 0 got 1", "rank 1 got 0", "exit 0");
    }

    @Test
    @WhenAskedFor
    void shouldEndAJobWhosePortGoesDown() throws Exception {
        try (Launch job = program("rc", "programs.Exchange", "4000")) {
            awaitProgress(job);
            broken(guest('b'), "ip link set " + CARD + " down", up(guest('b')));
            Command.Result result = job.end(PATIENCE);

            assertThat(result.code()).as(result.toString()).isNotZero();
            assertThat(result.err()).contains("FAILED  ", "rc");
        }
    }

    private static String mtu(int mtu) {
        return "ip link set " + CARD + " mtu " + mtu;
    }

    private static String back(Guest guest) {
        return "ip addr flush dev " + CARD + "; " + up(guest);
    }

    private static String up(Guest guest) {
        return "ip link set " + CARD + " up; ip addr replace " + guest.rdmaAddress() + "/24 dev " + CARD;
    }
}
