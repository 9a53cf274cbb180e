package org.parley.launcher;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which cores each rank runs on. A core's hardware threads go together. */
final class Bindings {
    private static final Path ROOT = Path.of("/");
    private static final String CPUS = "sys/devices/system/cpu/cpu";
    private static final String NODES = "sys/devices/system/node/node";
    private static final String RDMA = "sys/class/infiniband";

    /** The CPUs of each core, as taskset wants them; empty: ranks are not bound. */
    private final List<String> cores;

    private Bindings(final List<String> cores) {
        this.cores = cores;
    }

    /** Cores as another host has them. */
    static Bindings of(final List<String> cores) {
        return new Bindings(List.copyOf(cores));
    }

    static Bindings none() {
        return new Bindings(List.of());
    }

    /**
     * Binds rank 0 to the first core that this process may use, and so on, again from the first. Those come first that are on the
     * NUMA node of an RDMA device: its memory and its interrupts are near.
     */
    static Bindings toCores() {
        return toCores(ROOT);
    }

    /** The same of a machine whose files are elsewhere. */
    static Bindings toCores(final Path root) {
        final Set<Integer> near = nearDevices(root);
        final List<Integer> usable = new ArrayList<>(
                allowed(Machine.line(root.resolve("proc/self/status").toString(), "Cpus_allowed_list")));
        usable.sort(Comparator.comparing(cpu -> !near.contains(cpu)));
        final Map<String, TreeSet<Integer>> byCore = new LinkedHashMap<>();
        for (final int cpu : usable) {
            final String topology = CPUS + cpu + "/topology/";
            final String core = line(root, topology + "physical_package_id") + "/" + line(root, topology + "core_id");
            // Where the machine does not tell, each CPU is a core.
            byCore.computeIfAbsent(core.equals("/") ? "cpu" + cpu : core, k -> new TreeSet<>())
                    .add(cpu);
        }
        final List<String> cores = new ArrayList<>();
        for (final TreeSet<Integer> cpus : byCore.values()) {
            cores.add(String.join(",", cpus.stream().map(String::valueOf).toList()));
        }
        return new Bindings(cores);
    }

    /** Returns the CPUs of all nodes that have an RDMA device; none where the machine does not tell. */
    private static Set<Integer> nearDevices(final Path root) {
        final Set<Integer> near = new HashSet<>();
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(root.resolve(RDMA))) {
            for (final Path device : devices) {
                final String node =
                        Machine.firstLine(device.resolve("device/numa_node").toString());
                if (node.matches("\\d+")) {
                    near.addAll(allowed(line(root, NODES + node + "/cpulist")));
                }
            }
        } catch (final IOException e) {
            // There is no device.
            return Set.of();
        }
        return near;
    }

    private static String line(final Path root, final String file) {
        return Machine.firstLine(root.resolve(file).toString());
    }

    /** Reads a list such as {@code 0-3,8}. */
    static List<Integer> allowed(final String list) {
        final List<Integer> result = new ArrayList<>();
        for (final String part : list.split(",")) {
            final String[] ends = part.strip().split("-");
            if (!ends[0].isEmpty()) {
                final int last = Integer.parseInt(ends[ends.length - 1]);
                for (int cpu = Integer.parseInt(ends[0]); cpu <= last; cpu++) {
                    result.add(cpu);
                }
            }
        }
        return result;
    }

    /** Returns how many cores there are, and which. */
    String describe() {
        return cores.size() + " to use (cpus " + String.join("; ", cores) + ")";
    }

    /** Returns what starts a rank's program on its core. */
    List<String> command(final int rank) {
        return cores.isEmpty() ? List.of() : List.of("taskset", "-c", cores.get(rank % cores.size()));
    }

    /** Returns the CPUs of each core. */
    List<String> cores() {
        return cores;
    }

    /**
     * Says where a rank is bound to.
     *
     * @param rank its number among those of its host
     */
    String place(final int rank) {
        if (cores.isEmpty()) {
            return "not bound";
        }
        final String cpus = cores.get(rank % cores.size());
        return "bound to core " + rank % cores.size() + " (cpu " + cpus + ")";
    }
}
