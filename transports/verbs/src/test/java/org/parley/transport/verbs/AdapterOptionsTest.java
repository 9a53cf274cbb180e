package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.TransportException;
import org.parley.transport.tck.StandardOptions;
import org.parley.transport.tck.TestJob;

/** Each option that chooses a device, a port or what its packets have is obeyed, or its value refused with what there is. */
class AdapterOptionsTest {
    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    @AfterEach
    void isInItsPartitionAgain() {
        Shim.set("pkey", 0xffff);
        Shim.set("pkey2", 0);
    }

    private static Map<String, String> with(final String key, final String value) {
        final Map<String, String> options = new HashMap<>(Map.of("verbs.library", Shim.library()));
        options.put(key, value);
        return options;
    }

    private static Adapter open(final String key, final String value) {
        return Adapter.open(new StandardOptions(new UdTransport(), with(key, value)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"shim0", "verbs_shim", "1d0f:5348", "mlx5_0, shim0"})
    void shouldTakeADeviceByNameDriverOrPciId(final String wish) {
        try (Adapter adapter = open("verbs.devices", wish)) {
            assertThat(adapter.name()).isEqualTo("shim0");
        }
    }

    @Test
    void shouldSayWhichDevicesItWasNotToTake() {
        assertThatThrownBy(() -> open("verbs.devices", "mlx5_0"))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("shim0 (verbs_shim) is not in --set verbs.devices");
    }

    @ParameterizedTest
    @CsvSource({"0,RoCE v1,fe80", "1,RoCE v2,fe80", "2,RoCE v1,10.77", "3,RoCE v2,10.77"})
    void shouldTakeAGidByItsIndex(final String index, final String kind, final String gid) {
        try (Adapter adapter = open("verbs.gid.index", index)) {
            assertThat(adapter.gidIndex()).isEqualTo(Integer.parseInt(index));
            assertThat(adapter.text()).contains(kind + ", GID " + gid, "(index " + index + ")");
        }
    }

    @ParameterizedTest
    @CsvSource({"4,has GIDs 0 to 3", "first,is no number of an entry"})
    void shouldRefuseAGidThatIsNotThere(final String index, final String why) {
        assertThatThrownBy(() -> open("verbs.gid.index", index)).hasMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096})
    void shouldHaveNoLargerMtuThanIsWanted(final int mtu) {
        try (Adapter adapter = open("verbs.mtu", String.valueOf(mtu))) {
            assertThat(128 << adapter.onFabric().mtu()).isEqualTo(mtu);
            assertThat(adapter.text()).endsWith("MTU " + mtu);
        }
    }

    @Test
    void shouldPreferThePartitionOfWhichThePortIsAFullMember() {
        Shim.set("pkey", 0x7fff);
        Shim.set("pkey2", 0x8001);
        try (Adapter adapter = open("verbs.pkey", "")) {
            assertThat(adapter.pkeyIndex()).isOne();
            assertThat(adapter.text()).contains("P_Key 0x8001");
        }
        try (Adapter adapter = open("verbs.pkey", "0xffff")) {
            assertThat(adapter.pkeyIndex()).isZero();
            assertThat(adapter.text()).contains("P_Key 0x7fff");
        }
    }

    @Test
    void shouldNameThePartitionsThatThereAre() {
        assertThatThrownBy(() -> open("verbs.pkey", "0x8002"))
                .hasMessageContaining("verbs.pkey=0x8002", "0xffff", "D304")
                .hasMessageContaining("but 0xffff (D304)");
        assertThatThrownBy(() -> open("verbs.pkey", "eight")).hasMessageContaining("is no P_Key such as 0x8001");
        Shim.set("pkey", 0);
        assertThatThrownBy(() -> open("verbs.pkey", "")).hasMessageContaining("is in no partition", "D304");
    }

    @Test
    void shouldSayThatAPeerIsInAnotherPartition() {
        final int[] pkeys = {0x8001, 0x8002};
        final int[] made = {0};
        try (TestJob job = new TestJob(
                2,
                () -> {
                    Shim.set("pkey", pkeys[made[0]++ % 2]);
                    return new UdTransport();
                },
                Map.of("verbs.library", Shim.library()))) {
            for (int rank = 0; rank < 2; rank++) {
                assertThat(job.rank(rank)
                                .transport()
                                .reaches(job.rank(1 - rank).address())
                                .reason())
                        .contains("0x8001", "0x8002", "of another partition");
            }
        }
    }
}
