package org.parley.launcher.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;

/** Examines layer after layer, on all hosts, and stops behind the first that is broken. */
public final class Doctor {
    private static final String EMULATED = "QEMU";

    private final String name;
    private final Kernel kernel = new Kernel(Path.of("/"));
    private final Jobs jobs;
    private final Options options;

    /**
     * Nothing is examined yet.
     *
     * @param name what this host is called
     * @param parley the command of this Parley
     * @param settings words {@code --set key=value}, for all that runs
     * @param options what they say
     * @param seconds how long each job may take that is run
     */
    public Doctor(
            final String name,
            final Path parley,
            final List<String> settings,
            final Options options,
            final int seconds) {
        this.name = name;
        this.jobs = new Jobs(parley, settings, seconds);
        this.options = options;
    }

    /**
     * Examines a virtual machine's configuration, and nothing else.
     *
     * @param file its {@code .vmx}
     * @param isJson whether to print JSON
     * @return whether it is healthy
     * @throws IllegalArgumentException if there is no such file
     */
    public static boolean examineVmx(final Path file, final boolean isJson) {
        final Diagnosis diagnosis = new Diagnosis(null, List.of(new VmxFile(file).examine()));
        System.out.println(isJson ? diagnosis.json() : diagnosis.text(false));
        return diagnosis.isHealthy();
    }

    /**
     * Examines this host, others, and what is between them.
     *
     * @param peers the other hosts
     * @param isLocal whether to examine only what is on this host alone
     * @param isJson whether to print JSON
     * @return whether all are healthy
     */
    public boolean examine(final List<String> peers, final boolean isLocal, final boolean isJson) {
        final VerbsProbe verbs = VerbsProbe.of(options);
        final PortFacts here = PortFacts.of(kernel, verbs);
        final List<Examined> own = new ArrayList<>();
        own.add(AdapterLayer.examine(name, kernel));
        if (!isBroken(own)) {
            own.add(SystemLayer.examine(name, kernel, verbs));
        }
        if (!isBroken(own)) {
            own.add(LinkLayer.examine(name, kernel, verbs));
        }
        final Map<String, Diagnosis> others = new LinkedHashMap<>();
        peers.forEach(peer -> others.put(peer, remote(peer)));
        final List<Examined> all = byLayer(own, others);
        if (!isLocal && !isBroken(all)) {
            between(all, here, others);
        }
        if (!isLocal && !isBroken(all)) {
            all.add(TransportLayer.toItself(jobs, name));
            for (final String peer : isBroken(all) ? List.<String>of() : peers) {
                all.add(TransportLayer.to(
                        peer, jobs, name, here, others.get(peer).port()));
            }
        }
        if (!isLocal && !isBroken(all)) {
            for (final String peer : peers.isEmpty() ? List.of("") : peers) {
                all.add(MessageLayer.examine(peer, jobs, name, verbs, speed(verbs)));
            }
        }
        final Diagnosis diagnosis = new Diagnosis(here, all);
        System.out.println(isJson ? diagnosis.json() : diagnosis.text(isParavirtual()));
        return diagnosis.isHealthy();
    }

    /** Returns the RDMA devices of this host, with the state of each port. */
    public static List<String> devices() {
        return Device.all(new Kernel(Path.of("/"))).stream()
                .map(Device::withPorts)
                .toList();
    }

    private static boolean isBroken(final List<Examined> examined) {
        return examined.stream().anyMatch(Examined::isBroken);
    }

    private boolean isParavirtual() {
        return kernel.text("sys/class/dmi/id/sys_vendor").contains("VMware")
                || Device.all(kernel).stream()
                        .anyMatch(device -> device.driver().equals(Device.PVRDMA));
    }

    private Diagnosis remote(final String peer) {
        final Jobs.Result ended = jobs.remote(peer);
        try {
            return Diagnosis.read(peer, ended.out().strip());
        } catch (final IOException e) {
            final Examined lost = new Examined(peer, Layer.ADAPTER);
            lost.found(
                    Code.D403,
                    ended.err().isBlank() ? e.getMessage() : ended.reason(),
                    "what is missing there tells: parley run --preflight --host " + peer);
            return new Diagnosis(null, List.of(lost));
        }
    }

    /** All hosts' first layers, then their second ones; nothing above one that is broken anywhere. */
    private static List<Examined> byLayer(final List<Examined> own, final Map<String, Diagnosis> others) {
        final List<Examined> all = new ArrayList<>();
        for (final Layer layer : Layer.values()) {
            if (isBroken(all)) {
                return all;
            }
            own.stream().filter(one -> one.layer() == layer).forEach(all::add);
            others.values()
                    .forEach(other -> other.examined().stream()
                            .filter(one -> one.layer() == layer)
                            .forEach(all::add));
        }
        return all;
    }

    /** What two hosts' links must have in common. */
    private void between(final List<Examined> all, final PortFacts here, final Map<String, Diagnosis> others) {
        others.forEach((peer, other) -> {
            final Examined result = new Examined(name + " and " + peer, Layer.LINK);
            final PortFacts there = other.port();
            if (here.cardMtu() != there.cardMtu()) {
                result.found(
                        Code.D305,
                        here.cardMtu() + " here, " + there.cardMtu() + " there",
                        "ip link set CARD mtu " + Math.max(here.cardMtu(), there.cardMtu()) + " on the other");
            }
            final PathMtu path = PathMtu.probe(there.address(), Math.min(here.cardMtu(), there.cardMtu()));
            if (path == PathMtu.CUT) {
                result.found(
                        Code.D306,
                        "packets of " + Math.min(here.cardMtu(), there.cardMtu())
                                + " bytes that must stay whole do not reach " + there.address() + ", small ones do",
                        "give the switch and all physical ports between an MTU of 9000, or the cards a smaller one");
            } else {
                result.fact("path to " + (there.address().isEmpty() ? peer : there.address()) + ": " + path.text());
            }
            all.add(result);
        });
    }

    /** Returns the speed of the link that is used; 0 if it is no hardware's. */
    private long speed(final VerbsProbe verbs) {
        if (kernel.text("sys/class/dmi/id/sys_vendor").contains(EMULATED)) {
            return 0;
        }
        return Device.all(kernel).stream()
                .filter(device -> verbs.text().startsWith(device.name() + " ") && !device.isSoftware())
                .flatMap(device -> device.ports().stream().map(device::bitsPerSecond))
                .findFirst()
                .orElse(0L);
    }
}
