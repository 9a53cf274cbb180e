package org.parley.launcher.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Whatever the doctor is given to read, it finds something or nothing, and says so. */
class DecodersFuzzTest {
    private static final Path MEMORY =
            Files.isWritable(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of(System.getProperty("java.io.tmpdir"));

    private static final List<String> FILES = List.of(
            "sys/class/infiniband/mlx5_0/device/vendor",
            "sys/class/infiniband/mlx5_0/device/device",
            "sys/class/infiniband/mlx5_0/device/net/eth1/x",
            "sys/class/infiniband/mlx5_0/ports/1/state",
            "sys/class/infiniband/mlx5_0/ports/1/rate",
            "sys/class/infiniband/mlx5_0/ports/1/gids/0",
            "sys/class/infiniband/mlx5_0/ports/1/pkeys/0",
            "sys/class/infiniband_verbs/uverbs0/ibdev",
            "sys/class/net/eth1/mtu",
            "sys/bus/pci/devices/0000:0b:00.1/vendor",
            "sys/bus/pci/devices/0000:0b:00.1/device",
            "sys/class/dmi/id/sys_vendor",
            "proc/self/limits",
            "proc/self/status",
            "proc/meminfo");

    @FuzzTest
    void shouldExamineAnyConfigurationOfAMachine(final byte[] bytes) throws IOException {
        final Path file = Files.createTempFile(MEMORY, "machine", ".vmx");
        try {
            Files.write(file, bytes);
            assertThat(new VmxFile(file).examine().facts()).isNotEmpty();
        } catch (final IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("is no virtual machine's configuration");
        } finally {
            Files.delete(file);
        }
    }

    /** What another host's doctor prints. */
    @FuzzTest
    void shouldTakeOrRefuseAnyDiagnosis(final byte[] bytes) {
        try {
            final Diagnosis read = Diagnosis.read("node8", new String(bytes, StandardCharsets.UTF_8));
            assertThat(read.examined()).isNotNull();
            assertThat(read.text(true)).isNotNull();
            assertThat(read.port().address()).matches("[0-9.]*");
        } catch (final IOException e) {
            assertThat(e).message().isNotEmpty();
        }
    }

    /** What the kernel, or who writes in its name, says of a machine with one device. */
    @FuzzTest
    void shouldExamineAnyMachine(final FuzzedDataProvider data) throws IOException {
        final Path root = Files.createTempDirectory(MEMORY, "machine");
        try {
            for (final String file : FILES) {
                final Path path = root.resolve(file);
                Files.createDirectories(path.getParent());
                Files.write(path, data.consumeBytes(40));
            }
            final Kernel kernel = new Kernel(root);
            final VerbsProbe verbs = new VerbsProbe(data.consumeBoolean(), "mlx5_0 port 1, MTU " + data.consumeInt());
            assertThat(AdapterLayer.examine("node7", kernel).facts()).isNotEmpty();
            SystemLayer.examine("node7", kernel, verbs);
            LinkLayer.examine("node7", kernel, verbs);
            assertThat(PortFacts.of(kernel, verbs).cardMtu()).isNotNegative();
            Device.all(kernel)
                    .forEach(device -> assertThat(device.bitsPerSecond("1")).isNotNegative());
        } finally {
            try (Stream<Path> all = Files.walk(root)) {
                all.sorted(Comparator.reverseOrder())
                        .forEach(path -> path.toFile().delete());
            }
        }
    }
}
