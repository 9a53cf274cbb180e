package org.parley.launcher;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;
import org.parley.engine.TransportProbe;
import org.parley.launcher.doctor.Doctor;
import org.parley.wireup.HostName;
import org.parley.wireup.JobFolder;

/** {@code parley info}: what a bug report needs, and why a transport is not used. */
final class InfoCommand implements Command {
    private static final String CONFIG = "--config";
    private static final String AS_JSON = "--json";
    private static final String TRANSPORTS = "transports";

    @Override
    public String name() {
        return "info";
    }

    @Override
    public String summary() {
        return "Show this build, this machine, which transports work here and why not, and the options in force.";
    }

    @Override
    public String operands() {
        return "";
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                Flag.plain("Show every option with its source, default and meaning.", CONFIG),
                Flag.plain("Print JSON.", AS_JSON));
    }

    @Override
    public int run(final Arguments arguments) {
        if (!arguments.rest().isEmpty()) {
            throw new UsageException(arguments.rest().get(0) + " is one word too many");
        }
        final Options options;
        try {
            options = Options.load(Map.of());
        } catch (final IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
        options.warnings().forEach(warning -> System.err.println("parley: " + warning));
        final boolean isConfig = arguments.has(CONFIG);
        if (arguments.has(AS_JSON)) {
            System.out.println(json(options));
        } else if (isConfig) {
            System.out.println(config(options));
        } else {
            System.out.println(text(options));
        }
        return 0;
    }

    private static Map<String, String> facts() {
        final Map<String, String> facts = new LinkedHashMap<>();
        facts.put("parley", Main.version());
        facts.put("home", System.getProperty("parley.home", "(not a distribution)"));
        facts.put(
                "java",
                System.getProperty("java.vm.version") + " (" + System.getProperty("java.vendor")
                        + ", " + System.getProperty("java.vm.name") + ") in "
                        + System.getProperty("java.home"));
        facts.put("host", HostName.own());
        facts.put(
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        facts.put("cpu", Machine.cpu());
        facts.put("cores", Bindings.toCores().describe());
        facts.put("memory", Machine.memory());
        facts.put("job folders", JobFolder.root() + ", " + Machine.space(JobFolder.root()));
        final List<String> jobs = RunningJobs.names();
        facts.put("running jobs", jobs.isEmpty() ? "none of this user" : String.join(", ", jobs));
        final List<String> devices = Doctor.devices();
        facts.put("rdma devices", devices.isEmpty() ? "none" : String.join("; ", devices));
        return facts;
    }

    private static List<TransportProbe> probes(final Options options) {
        final List<TransportProbe> result = new ArrayList<>();
        for (final TransportProbe probe : TransportProbe.all(options)) {
            if (probe.name().equals("shm") && probe.available()) {
                final String whyNot = SingleCopy.whyNot();
                result.add(new TransportProbe(
                        "shm",
                        true,
                        whyNot.isEmpty()
                                ? "single copy between processes works"
                                : "single copy between processes does not work ("
                                        + whyNot
                                        + "): long messages are copied twice"));
            } else {
                result.add(probe);
            }
        }
        return result;
    }

    private static String text(final Options options) {
        final StringBuilder text = new StringBuilder();
        facts().forEach((key, value) -> text.append(String.format("%-14s%s%n", key, value)));
        text.append(String.format("%ntransports%n"));
        for (final TransportProbe probe : probes(options)) {
            text.append(String.format(
                    "  %-12s%s%s%n",
                    probe.name(),
                    probe.available() ? "available" : "not available",
                    probe.reason().isEmpty() ? "" : ": " + probe.reason()));
        }
        text.append(String.format("%noptions that are not built in (all: parley info --config)%n"));
        int changed = 0;
        for (final Options.Setting setting : options.settings()) {
            if (!setting.value().equals(setting.standard())) {
                changed++;
                text.append(String.format("  %s=%s  (%s)%n", setting.key(), setting.value(), setting.source()));
            }
        }
        return text.append(changed == 0 ? "  none" : "").toString().stripTrailing();
    }

    private static String config(final Options options) {
        final StringBuilder text = new StringBuilder();
        for (final Options.Setting setting : options.settings()) {
            text.append(String.format(
                    "%s=%s%n    source: %s; built in: %s; variable: %s%n    %s%n",
                    setting.key(),
                    setting.value(),
                    setting.source(),
                    setting.standard().isEmpty() ? "empty" : setting.standard(),
                    Options.variableOf(setting.key()),
                    setting.help()));
        }
        return text.toString().stripTrailing();
    }

    private static String json(final Options options) {
        final Map<String, Object> result = new LinkedHashMap<>(facts());
        final List<Map<String, Object>> transports = new ArrayList<>();
        for (final TransportProbe probe : probes(options)) {
            final Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("name", probe.name());
            entry.put("available", probe.available());
            entry.put("reason", probe.reason());
            transports.add(entry);
        }
        result.put(TRANSPORTS, transports);
        final List<Map<String, Object>> settings = new ArrayList<>();
        for (final Options.Setting setting : options.settings()) {
            final Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("key", setting.key());
            entry.put("value", setting.value());
            entry.put("source", setting.source());
            entry.put("default", setting.standard());
            entry.put("help", setting.help());
            settings.add(entry);
        }
        result.put("options", settings);
        try {
            return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(result);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
