package org.parley.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Comma-separated rows, one header for all benchmarks; what a benchmark does not tell is empty. */
final class CsvReport implements Report {
    private static final List<String> METRICS = List.of("latency_us", "bandwidth_mb_s", "messages_s");

    private final PrintStream out;
    private boolean hasHeader;

    CsvReport(final PrintStream out) {
        this.out = out;
    }

    @Override
    public void begin(final Table table) {
        if (hasHeader) {
            return;
        }
        hasHeader = true;
        final List<String> titles =
                new ArrayList<>(List.of("test", "transport", "ranks", "buffer", "bytes", "iterations"));
        titles.addAll(METRICS);
        titles.addAll(List.of("min", "max"));
        Spread.PERCENTILES.forEach(percentile -> titles.add("p" + percentile));
        titles.add("valid");
        titles.addAll(table.extras());
        out.println(String.join(",", titles));
    }

    @Override
    public void row(final Result result, final List<Double> extras) {
        final List<String> fields = new ArrayList<>();
        fields.add(result.benchmark().id());
        fields.add(result.transport());
        fields.add(String.valueOf(result.ranks()));
        fields.add(result.buffer().toString());
        fields.add(String.valueOf(result.bytes()));
        fields.add(String.valueOf(result.iterations()));
        for (final String metric : METRICS) {
            fields.add(number(result.named().get(metric)));
        }
        fields.add(number(result.spread().get("min")));
        fields.add(number(result.spread().get("max")));
        for (final int percentile : Spread.PERCENTILES) {
            fields.add(number(result.spread().get("p" + percentile)));
        }
        fields.add(result.isValid() == null ? "" : result.isValid().toString());
        extras.forEach(extra -> fields.add(number(extra)));
        out.println(String.join(",", fields));
        out.flush();
    }

    @Override
    public void end() {
        out.flush();
    }

    private static String number(final Double value) {
        return value == null ? "" : String.format(Locale.ROOT, "%.3f", value);
    }
}
