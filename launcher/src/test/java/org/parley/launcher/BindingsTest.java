package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranks are bound to cores near the RDMA device first, on a machine of two nodes with two cores of two threads each. */
class BindingsTest {
    private static final String DEVICE_NODE = "sys/class/infiniband/mlx5_0/device/numa_node";

    @TempDir
    Path root;

    @BeforeEach
    void makeMachine() throws IOException {
        write("proc/self/status", "Name:\tjava\nCpus_allowed_list:\t0-7\n");
        for (int cpu = 0; cpu < 8; cpu++) {
            String topology = "sys/devices/system/cpu/cpu" + cpu + "/topology/";
            write(topology + "physical_package_id", String.valueOf(cpu % 4 / 2));
            write(topology + "core_id", String.valueOf(cpu % 2));
        }
        write("sys/devices/system/node/node0/cpulist", "0-1,4-5");
        write("sys/devices/system/node/node1/cpulist", "2-3,6-7");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @Test
    void shouldTakeCoresInOrderWhereThereIsNoDevice() {
        assertThat(Bindings.toCores(root).cores()).containsExactly("0,4", "1,5", "2,6", "3,7");
    }

    @Test
    void shouldTakeCoresNearTheDeviceFirst() throws IOException {
        write(DEVICE_NODE, "1\n");

        Bindings bindings = Bindings.toCores(root);

        assertThat(bindings.cores()).containsExactly("2,6", "3,7", "0,4", "1,5");
        assertThat(bindings.place(0)).isEqualTo("bound to core 0 (cpu 2,6)");
    }

    @Test
    void shouldUseOnlyWhatItMay() throws IOException {
        write(DEVICE_NODE, "1\n");
        write("proc/self/status", "Cpus_allowed_list:\t0,1,3\n");

        assertThat(Bindings.toCores(root).cores()).containsExactly("3", "0", "1");
    }

    @Test
    void shouldNotMindADeviceWithoutNode() throws IOException {
        write(DEVICE_NODE, "-1\n");

        assertThat(Bindings.toCores(root).cores()).containsExactly("0,4", "1,5", "2,6", "3,7");
    }
}
