package org.parley.benchmarks;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.parley.Parley;

/**
 * What a measurement depends on besides the library: all of it goes into reports.
 *
 * @param facts of rank 0's machine and JVM
 * @param pinning each rank's host, process and processors
 * @param transports what carries messages, by pair: {@code 0-1}
 */
record Environment(Map<String, Object> facts, Map<String, String> pinning, Map<String, String> transports) {
    /** Up to so many ranks, all pairs are told; above, only those with rank 0 and of halves. */
    private static final int ALL_PAIRS = 64;

    /** Collective; the answer is rank 0's, others get null. */
    static Environment gather(final Parley parley, final Control control) {
        final List<String> ranks = control.gather(json(ofRank(parley)));
        if (ranks == null) {
            return null;
        }
        final Map<String, String> pinning = new LinkedHashMap<>();
        final Map<String, String> transports = new LinkedHashMap<>();
        for (int rank = 0; rank < ranks.size(); rank++) {
            final Map<String, Object> told = map(ranks.get(rank));
            pinning.put(
                    String.valueOf(rank), told.get("host") + ", pid " + told.get("pid") + ", cpus " + told.get("cpus"));
            for (final Map.Entry<?, ?> pair : ((Map<?, ?>) told.get("transports")).entrySet()) {
                transports.put((String) pair.getKey(), (String) pair.getValue());
            }
        }
        return new Environment(ownFacts(), pinning, transports);
    }

    private static Map<String, Object> ofRank(final Parley parley) {
        final Map<String, Object> told = new LinkedHashMap<>();
        told.put("host", text("/proc/sys/kernel/hostname"));
        told.put("pid", ProcessHandle.current().pid());
        told.put("cpus", field("/proc/thread-self/status", "Cpus_allowed_list"));
        final Map<String, String> transports = new LinkedHashMap<>();
        final int size = parley.world().size();
        final int rank = parley.world().rank();
        for (int peer = rank + 1; peer < size; peer++) {
            if (size <= ALL_PAIRS || rank == 0 || peer == rank + size / 2) {
                transports.put(rank + "-" + peer, parley.transportTo(peer));
            }
        }
        told.put("transports", transports);
        return told;
    }

    private static Map<String, Object> ownFacts() {
        final Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("machine", text("/proc/sys/kernel/hostname"));
        facts.put("cpu", field("/proc/cpuinfo", "model name"));
        facts.put("cores", cores());
        facts.put("governor", text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("jdk", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        facts.put(
                "gc",
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(GarbageCollectorMXBean::getName)
                        .collect(Collectors.joining(", ")));
        final Map<String, String> versions = new LinkedHashMap<>();
        versions.put("parley", version(Parley.class));
        versions.put("agrona", version(DirectBuffer.class));
        facts.put("versions", versions);
        return facts;
    }

    /** Returns the version in the manifest of a class's jar. */
    static String version(final Class<?> type) {
        final String version = type.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    /** Returns all of it, for JSON. */
    Map<String, Object> asMap() {
        final Map<String, Object> all = new LinkedHashMap<>(facts);
        all.put("pinning", pinning);
        all.put("transports", transports);
        return all;
    }

    /** Returns what carries a benchmark's messages, such as {@code shm} or {@code shm+tcp}. */
    String transport(final Benchmark benchmark) {
        final int half = pinning.size() / 2;
        final TreeSet<String> used = new TreeSet<>();
        transports.forEach((pair, transport) -> {
            final int dash = pair.indexOf('-');
            final int first = Integer.parseInt(pair.substring(0, dash));
            final int second = Integer.parseInt(pair.substring(dash + 1));
            if (benchmark.talk(first, second, half)) {
                used.add(transport);
            }
        });
        return String.join("+", used);
    }

    /** Returns all of it, for people. */
    List<String> lines() {
        final List<String> lines = new ArrayList<>();
        facts.forEach((key, value) -> lines.add(key + ": " + value));
        pinning.forEach((rank, where) -> lines.add("rank " + rank + ": " + where));
        lines.add("transports: " + transports);
        return lines;
    }

    /** Returns the machine's, of which this rank may be bound to a few. */
    private static long cores() {
        return text("/proc/cpuinfo")
                .lines()
                .filter(line -> line.startsWith("processor"))
                .count();
    }

    private static String text(final String path) {
        try {
            return Files.readString(Path.of(path)).strip();
        } catch (final IOException e) {
            return "unknown";
        }
    }

    /** Returns the value of a line {@code name: value}. */
    private static String field(final String path, final String name) {
        for (final String line : text(path).split("\n")) {
            final int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).strip().equals(name)) {
                return line.substring(colon + 1).strip();
            }
        }
        return "unknown";
    }

    private static String json(final Map<String, Object> map) {
        try {
            return JSON.std.asString(map);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Object> map(final String json) {
        try {
            return JSON.std.mapFrom(json);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
