package org.parley.launcher;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.parley.config.Options;
import org.parley.launcher.doctor.Doctor;
import org.parley.wireup.HostName;

/** {@code parley doctor}: which layer of RDMA is broken, and what mends it. */
final class DoctorCommand implements Command {
    private static final String HOSTS = "--hosts";
    private static final String VMX = "--vmx";
    private static final String AS_JSON = "--json";
    private static final String LOCAL = "--local";
    private static final String SET = "--set";
    private static final String TIMEOUT = "--timeout";
    private static final String SECONDS = "60";

    @Override
    public String name() {
        return "doctor";
    }

    @Override
    public String summary() {
        return "Examine RDMA from the adapter up, name the first broken layer and what mends it.";
    }

    @Override
    public String operands() {
        return "";
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                Flag.of("LIST", "Other hosts, with commas between: examined by ssh, and connected to.", HOSTS),
                Flag.of("FILE", "Examine a virtual machine's configuration instead.", VMX),
                Flag.plain("Examine only what is on this host alone: adapter, system, link.", LOCAL),
                Flag.plain("Print JSON.", AS_JSON),
                Flag.of("S", "How many seconds each job may take that is run (60).", TIMEOUT),
                Flag.of("KEY=VALUE", "An option, as in parley run.", SET));
    }

    @Override
    public int run(final Arguments arguments) {
        if (!arguments.rest().isEmpty()) {
            throw new UsageException(arguments.rest().get(0) + " is one word too many");
        }
        try {
            final boolean isHealthy = arguments.has(VMX) ? examineVmx(arguments) : examineHosts(arguments);
            return isHealthy ? 0 : 1;
        } catch (final IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private static boolean examineVmx(final Arguments arguments) {
        if (arguments.has(HOSTS) || arguments.has(LOCAL)) {
            throw new UsageException(VMX + " examines a file, no hosts: give one of the two");
        }
        return Doctor.examineVmx(Path.of(arguments.value(VMX)), arguments.has(AS_JSON));
    }

    private static boolean examineHosts(final Arguments arguments) {
        final Map<String, String> set = new TreeMap<>();
        for (final String setting : arguments.all(SET)) {
            final int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new UsageException(SET + " " + setting + " is not KEY=VALUE");
            }
            set.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        final List<String> hosts = Arrays.stream(
                        arguments.has(HOSTS) ? arguments.value(HOSTS).split(",", -1) : new String[0])
                .map(String::strip)
                .toList();
        if (hosts.stream().anyMatch(host -> !host.matches("[A-Za-z0-9_.:@\\[\\]-]+") || host.startsWith("-"))) {
            throw new UsageException(HOSTS + " " + arguments.value(HOSTS) + ": hosts are names with commas between");
        }
        if (arguments.has(LOCAL) && !hosts.isEmpty()) {
            throw new UsageException(LOCAL + " is about this host alone: leave " + HOSTS + " away");
        }
        final String seconds = arguments.has(TIMEOUT) ? arguments.value(TIMEOUT) : SECONDS;
        if (!seconds.matches("[1-9][0-9]{0,4}")) {
            throw new UsageException(TIMEOUT + " " + seconds + " is no number of seconds");
        }
        if (Main.home().isEmpty()) {
            throw new UsageException("this is no distribution of Parley");
        }
        return new Doctor(
                        HostName.own(),
                        Path.of(Main.home(), "bin", "parley"),
                        arguments.all(SET).stream()
                                .flatMap(setting -> List.of(SET, setting).stream())
                                .toList(),
                        Options.load(set),
                        Integer.parseInt(seconds))
                .examine(hosts, arguments.has(LOCAL), arguments.has(AS_JSON));
    }
}
