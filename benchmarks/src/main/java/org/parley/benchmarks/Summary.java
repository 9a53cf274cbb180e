package org.parley.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The main job on a few lines: each test over each transport at some sizes. */
final class Summary {
    private static final List<Long> SIZES = List.of(8L, 1L << 10, 64L << 10, 1L << 20, 4L << 20);
    private static final List<String> NAMES = List.of("8 B", "1 KiB", "64 KiB", "1 MiB", "4 MiB");
    private static final int FIRST = 28;
    private static final int WIDTH = 12;

    /** By test, transport and unit, then by size. */
    private final Map<String, Map<Long, Double>> lines = new LinkedHashMap<>();

    void add(final List<Result> results) {
        for (final Result result : results) {
            final String unit = result.benchmark().metric().isLatency() ? "us" : "MB/s";
            add(
                    result.benchmark().id() + ", " + result.transport() + ", " + unit,
                    result.bytes(),
                    result.values().get(0));
        }
    }

    private void add(final String line, final long bytes, final double value) {
        lines.computeIfAbsent(line, key -> new LinkedHashMap<>()).putIfAbsent(bytes, value);
    }

    /** Keeps it: a line for each value, the parts separated by tabs. */
    void write(final Path file) throws IOException {
        final List<String> text = new ArrayList<>();
        lines.forEach((line, values) -> values.forEach((bytes, value) -> text.add(line + "\t" + bytes + "\t" + value)));
        Files.write(file, text);
    }

    /** Adds what was kept. */
    void read(final Path file) throws IOException {
        for (final String text : Files.readAllLines(file)) {
            final String[] parts = text.split("\t");
            add(parts[0], Long.parseLong(parts[1]), Double.parseDouble(parts[2]));
        }
    }

    void print(final PrintStream err) {
        final StringBuilder text = new StringBuilder(pad("Summary", -FIRST));
        NAMES.forEach(name -> text.append(pad(name, WIDTH)));
        lines.forEach((name, values) -> {
            text.append(System.lineSeparator()).append(pad(name, -FIRST));
            for (final Long size : SIZES) {
                final Double value = values.get(size);
                text.append(pad(value == null ? "-" : String.format(Locale.ROOT, "%.2f", value), WIDTH));
            }
        });
        err.println();
        err.println(text);
    }

    private static String pad(final String text, final int width) {
        return String.format("%" + width + "s", text);
    }
}
