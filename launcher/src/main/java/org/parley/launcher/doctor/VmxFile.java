package org.parley.launcher.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A virtual machine's configuration: lines {@code key = "value"}; keys are the same in any case. */
final class VmxFile {
    /** Never tries a key twice: a long line of spaces would take hours. */
    private static final Pattern LINE = Pattern.compile("([^=]++)=\\s*+\"(.*)\"\\s*");

    private static final Pattern ADAPTER = Pattern.compile("vrdma(\\d+)\\..*|ethernet(\\d+)\\.virtualdev");
    private static final long LARGEST = 1 << 20;
    private static final int FIRST_VERSION = 13;
    private static final int NATIVE_VERSION = 18;
    private static final int MOST_ADAPTERS = 10;
    private static final String TRUE = "true";

    private final String name;
    private final Map<String, String> values = new TreeMap<>();

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException if it cannot be read or is no such file, in one sentence
     */
    VmxFile(final Path file) {
        name = String.valueOf(file.getFileName());
        try {
            if (Files.isDirectory(file) || Files.size(file) > LARGEST) {
                throw new IllegalArgumentException(file + " is no virtual machine's configuration");
            }
            for (final String line :
                    Files.readString(file, StandardCharsets.ISO_8859_1).split("\\R")) {
                final Matcher matcher = LINE.matcher(line);
                final String key = matcher.matches() ? matcher.group(1).strip() : "";
                if (!key.isEmpty() && !key.startsWith("#")) {
                    values.put(key.toLowerCase(Locale.ROOT), matcher.group(2));
                }
            }
        } catch (final IOException e) {
            throw new IllegalArgumentException(
                    "cannot read " + file + (Files.exists(file) ? ": " + e.getMessage() : ": there is no such file"),
                    e);
        }
        if (!values.containsKey("virtualhw.version")) {
            throw new IllegalArgumentException(
                    file + " is no virtual machine's configuration: it has no line virtualHW.version = \"...\"");
        }
    }

    Examined examine() {
        final Examined result = new Examined(name, Layer.VMX);
        final long version = number("virtualhw.version");
        result.fact("hardware version " + version);
        if (version < FIRST_VERSION) {
            result.found(
                    Code.D601,
                    "virtualHW.version = \"" + value("virtualhw.version") + "\"",
                    "upgrade the virtual machine's compatibility, powered off: govc vm.upgrade -version=19 -vm NAME");
        }
        examineMemory(result);
        examineAdapters(result, version);
        if (is("vrdma.asyncmode") && !value("sched.cpu.latencysensitivity").equals("high")) {
            result.found(
                    Code.D605,
                    "vrdma.asyncMode without sched.cpu.latencySensitivity = \"high\"",
                    "set latency sensitivity to high (with all CPUs reserved), or take vrdma.asyncMode away");
        }
        return result;
    }

    private void examineMemory(final Examined result) {
        final long size = number("memsize");
        final long reserved = number("sched.mem.min");
        result.fact(reserved + " of " + size + " MB of memory are reserved");
        if (!is("sched.mem.pin") && (reserved <= 0 || reserved < size)) {
            result.found(
                    Code.D602,
                    "sched.mem.min = \"" + value("sched.mem.min") + "\" of memSize = \"" + value("memsize") + "\"",
                    "reserve all guest memory (all locked): sched.mem.pin = \"TRUE\", sched.mem.min = \""
                            + value("memsize") + "\"");
        }
    }

    private void examineAdapters(final Examined result, final long version) {
        final Set<String> adapters = new TreeSet<>();
        values.forEach((key, value) -> {
            final Matcher matcher = ADAPTER.matcher(key);
            if (matcher.matches()
                    && (matcher.group(1) != null
                            || value.toLowerCase(Locale.ROOT).contains("rdma"))) {
                adapters.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
            }
        });
        result.fact(adapters.size() + " PVRDMA adapters");
        if (adapters.isEmpty() || adapters.size() > MOST_ADAPTERS) {
            result.found(
                    Code.D603,
                    String.valueOf(adapters.size()),
                    adapters.isEmpty()
                            ? "govc vm.network.add -vm NAME -net SWITCH_PORTGROUP -net.adapter vmxnet3vrdma"
                            : "remove adapters until " + MOST_ADAPTERS + " are left");
        }
        for (final String adapter : adapters) {
            final boolean isNative = is("vrdma" + adapter + ".nativeendpointsupport");
            result.fact("adapter " + adapter + ": native endpoints " + (isNative ? "on" : "off"));
            if (isNative && version < NATIVE_VERSION) {
                result.found(
                        Code.D604,
                        "vrdma" + adapter + ".nativeEndpointSupport on hardware version " + version,
                        "upgrade the virtual machine's compatibility to " + NATIVE_VERSION
                                + ", or take that line away");
            }
        }
    }

    private String value(final String key) {
        return values.getOrDefault(key, "");
    }

    private boolean is(final String key) {
        return value(key).equalsIgnoreCase(TRUE);
    }

    private long number(final String key) {
        return value(key).matches("[0-9]{1,12}") ? Long.parseLong(value(key)) : 0;
    }
}
