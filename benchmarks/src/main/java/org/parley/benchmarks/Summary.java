package org.parley.benchmarks;

import java.io.PrintStream;
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

    private Summary() {}

    static void print(final List<Result> results, final PrintStream err) {
        final Map<String, Map<Long, Double>> lines = new LinkedHashMap<>();
        for (final Result result : results) {
            final String unit = result.benchmark().metric().isLatency() ? "us" : "MB/s";
            lines.computeIfAbsent(
                            result.benchmark().id() + ", " + result.transport() + ", " + unit,
                            key -> new LinkedHashMap<>())
                    .putIfAbsent(result.bytes(), result.values().get(0));
        }
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
