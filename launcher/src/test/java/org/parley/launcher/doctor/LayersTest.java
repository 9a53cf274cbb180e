package org.parley.launcher.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pictures of machines: a sound one, with what breaks it. */
class LayersTest {
    private static final String HOST = "node7";
    private static final String DEVICE = "sys/class/infiniband/vmw_pvrdma0/";
    private static final String SLOT = "sys/bus/pci/devices/0000:0b:00.";
    private static final VerbsProbe SOUND =
            new VerbsProbe(true, "vmw_pvrdma0 port 1, RoCE v2, GID 10.1.0.7 (index 1), MTU 1024");

    @TempDir
    Path root;

    private Kernel kernel;

    @BeforeEach
    void haveASoundMachine() throws IOException {
        kernel = new Kernel(root);
        write("sys/class/dmi/id/sys_vendor", "VMware, Inc.");
        write(SLOT + "0/vendor", "0x15ad");
        write(SLOT + "0/device", "0x07b0");
        write(SLOT + "1/vendor", "0x15ad");
        write(SLOT + "1/device", "0x0820");
        write("sys/drivers/vmw_pvrdma/x", "");
        write(DEVICE + "ports/1/state", "4: ACTIVE");
        write(DEVICE + "ports/1/rate", "100 Gb/sec (4X EDR)");
        write(DEVICE + "ports/1/gids/0", "fe80:0000:0000:0000:0250:56ff:fea8:0001");
        write(DEVICE + "ports/1/pkeys/0", "0xffff");
        write(DEVICE + "device/vendor", "0x15ad");
        write(DEVICE + "device/device", "0x0820");
        write(DEVICE + "device/net/ens192/x", "");
        link(DEVICE + "device/driver", "sys/drivers/vmw_pvrdma");
        write("sys/class/net/ens192/mtu", "1500");
        write("sys/class/net/ens192/operstate", "up");
        write("sys/class/net/ens192/carrier", "1");
        write("sys/class/infiniband_verbs/uverbs0/ibdev", "vmw_pvrdma0");
        write("dev/infiniband/uverbs0", "");
        write(
                "proc/self/limits",
                "Limit                     Soft Limit\nMax locked memory         unlimited unlimited bytes");
        write("proc/self/status", "CapEff:\t0000000000000000");
        write("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB");
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(kernel.path(file).getParent());
        Files.writeString(kernel.path(file), text + "\n");
    }

    private void link(String from, String to) throws IOException {
        Files.createSymbolicLink(kernel.path(from), kernel.path(to));
    }

    private void remove(String folder) throws IOException {
        try (var files = Files.walk(kernel.path(folder))) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static List<Code> codes(Examined examined) {
        return examined.findings().stream().map(Finding::code).toList();
    }

    private List<Code> adapter() {
        return codes(AdapterLayer.examine(HOST, kernel));
    }

    private List<Code> system() {
        return codes(SystemLayer.examine(HOST, kernel, SOUND));
    }

    private List<Code> link() {
        return codes(LinkLayer.examine(HOST, kernel, SOUND));
    }

    @Test
    void shouldFindASoundMachineSound() {
        assertThat(adapter()).isEmpty();
        assertThat(system()).isEmpty();
        assertThat(link()).isEmpty();
        assertThat(PortFacts.of(kernel, SOUND)).isEqualTo(new PortFacts(SOUND.text(), 1500));
        assertThat(PortFacts.of(kernel, SOUND).address()).isEqualTo("10.1.0.7");
    }

    @Test
    void shouldKnowADeviceByItsDriver() {
        Device device = Device.all(kernel).get(0);

        assertThat(device.driver()).isEqualTo(Device.PVRDMA);
        assertThat(device.pciId()).isEqualTo("15ad:0820");
        assertThat(device.card()).isEqualTo("ens192");
        assertThat(device.bitsPerSecond("1")).isEqualTo(100_000_000_000L);
        assertThat(device.isSoftware()).isFalse();
    }

    @Test
    void shouldFindNoAdapter() throws IOException {
        remove("sys/class/infiniband");
        remove("sys/bus");

        assertThat(adapter()).containsExactly(Code.D101);
    }

    @Test
    void shouldFindADeviceWithoutItsDriver() throws IOException {
        remove("sys/class/infiniband");

        Examined examined = AdapterLayer.examine(HOST, kernel);

        assertThat(codes(examined)).containsExactly(Code.D102);
        assertThat(examined.findings().get(0).fix()).startsWith("modprobe vmw_pvrdma");
        write("sys/module/vmw_pvrdma/x", "");
        assertThat(AdapterLayer.examine(HOST, kernel).findings().get(0).fix()).startsWith("dmesg");
    }

    @Test
    void shouldFindADeviceWithoutItsCard() throws IOException {
        write(SLOT + "0/device", "0x100e");

        assertThat(adapter()).containsExactly(Code.D103);
    }

    @Test
    void shouldFindNoDeviceFile() throws IOException {
        remove("dev/infiniband");

        assertThat(system()).containsExactly(Code.D201);
    }

    @Test
    void shouldFindALowLimitUnlessItDoesNotCount() throws IOException {
        write("proc/self/limits", "Max locked memory         65536 65536 bytes");

        assertThat(system()).containsExactly(Code.D203);
        write("proc/self/status", "CapEff:\t000001ffffffffff");
        assertThat(system()).isEmpty();
    }

    @Test
    void shouldFindLittleMemoryAndGoOn() throws IOException {
        write("proc/meminfo", "MemAvailable: 200000 kB");

        Examined examined = SystemLayer.examine(HOST, kernel, SOUND);

        assertThat(codes(examined)).containsExactly(Code.D204);
        assertThat(examined.isBroken()).isFalse();
    }

    @Test
    void shouldFindVerbsThatCannotUseTheDevice() {
        Examined examined = SystemLayer.examine(HOST, kernel, new VerbsProbe(false, "no provider"));

        assertThat(codes(examined)).containsExactly(Code.D205);
        assertThat(examined.findings().get(0).seen()).isEqualTo("no provider");
    }

    @Test
    void shouldLeaveAPortThatIsDownToItsLayer() throws IOException {
        write(DEVICE + "ports/1/state", "1: DOWN");

        assertThat(SystemLayer.examine(HOST, kernel, new VerbsProbe(false, "port 1 is DOWN"))
                        .findings())
                .isEmpty();
    }

    @Test
    void shouldFindAPortThatIsDown() throws IOException {
        write(DEVICE + "ports/1/state", "1: DOWN");

        Examined examined = LinkLayer.examine(HOST, kernel, SOUND);

        assertThat(codes(examined)).containsExactly(Code.D301);
        assertThat(examined.findings().get(0).seen()).contains("port 1 of vmw_pvrdma0 is DOWN", "ens192 is up");
        assertThat(examined.findings().get(0).fix()).startsWith("ip link set ens192 up");
    }

    @Test
    void shouldFindAnMtuBelowTheCards() throws IOException {
        write("sys/class/net/ens192/mtu", "9000");

        assertThat(link()).containsExactly(Code.D302);
    }

    @Test
    void shouldFindEmptyTables() throws IOException {
        write(DEVICE + "ports/1/gids/0", "0000:0000:0000:0000:0000:0000:0000:0000");
        write(DEVICE + "ports/1/pkeys/0", "0x7fff");

        assertThat(link()).containsExactly(Code.D303, Code.D304);
    }

    @Test
    void shouldGiveTheSameInAndOutOfJson() throws IOException {
        write("proc/meminfo", "MemAvailable: 200000 kB");
        Diagnosis written = new Diagnosis(
                PortFacts.of(kernel, SOUND),
                List.of(AdapterLayer.examine(HOST, kernel), SystemLayer.examine(HOST, kernel, SOUND)));

        Diagnosis read = Diagnosis.read(HOST, written.json());

        assertThat(read.text(false)).isEqualTo(written.text(false)).contains("D204", "not examined: link");
        assertThat(read.port()).isEqualTo(written.port());
    }

    @Test
    void shouldRefuseWhatIsNoDiagnosis() {
        for (String other : List.of("", "hello", "[]", "{}", "{\"schema\":\"parley-doctor-1\"}")) {
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> Diagnosis.read(HOST, other))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldLetNothingThatWasReadMoveTheCursor() throws IOException {
        write("sys/class/dmi/id/product_name", "evil \u001b[2J");

        String text = new Diagnosis(null, List.of(AdapterLayer.examine(HOST, kernel))).text(true);

        assertThat(text).doesNotContain("\u001b").contains("evil ?[2J", "esxcli rdma device list");
    }
}
