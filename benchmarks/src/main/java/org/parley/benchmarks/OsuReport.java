package org.parley.benchmarks;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The tables of the OSU Micro-Benchmarks 7.4: lines that begin with {@code #}, the last of them
 * with the columns' titles, then rows. The size is left-aligned in 10 characters, values are
 * right-aligned in 18 and have two decimals.
 */
final class OsuReport implements Report {
    private static final int SIZE_WIDTH = 10;
    private static final int WIDTH = 18;
    private static final int COUNT_WIDTH = 12;

    /** Of a value where no size stands before it. */
    private static final int LONE_WIDTH = 17;

    private final PrintStream out;
    private final String version;
    private Table table;

    OsuReport(final PrintStream out, final String version) {
        this.out = out;
        this.version = version;
    }

    @Override
    public void begin(final Table next) {
        table = next;
        final Benchmark benchmark = next.benchmark();
        out.println();
        out.println("# OSU MPI " + benchmark.title() + " Test v7.4 (equivalent; Parley " + version + ")");
        final String datatype = benchmark.datatype(next.sizes());
        if (benchmark == Benchmark.MBW_MR) {
            out.println("# [ pairs: " + next.pairs() + " ] [ window size: " + next.window() + " ]");
        } else if (datatype != null) {
            out.println("# Datatype: " + datatype + ".");
        }
        out.println(titles());
        out.flush();
    }

    private String titles() {
        final StringBuilder line = new StringBuilder();
        final List<Metric.Column> columns = table.benchmark().metric().columns();
        if (table.benchmark().hasSizes()) {
            line.append(left("# Size"));
            columns.forEach(column -> line.append(right(column.title(), WIDTH)));
        } else {
            line.append("# ").append(columns.get(0).title());
        }
        final String unit = table.benchmark().metric().isLatency() ? " Lat(us)" : " BW(MB/s)";
        if (table.isFull()) {
            final String whole = table.benchmark().metric().isLatency() ? " Latency(us)" : unit;
            line.append(right("Min" + whole, WIDTH)).append(right("Max" + whole, WIDTH));
            line.append(right("Iterations", COUNT_WIDTH));
        }
        if (table.isChecked()) {
            line.append(right("Validation", WIDTH));
        }
        if (table.isFull()) {
            for (final int percentile : Spread.PERCENTILES) {
                line.append(right("P" + percentile + " Tail" + unit, WIDTH));
            }
        }
        table.extras().forEach(title -> line.append(right(title, WIDTH)));
        return line.toString();
    }

    @Override
    public void row(final Result result, final List<Double> extras) {
        final StringBuilder line = new StringBuilder();
        if (table.benchmark().hasSizes()) {
            line.append(left(String.valueOf(result.bytes())));
            result.values().forEach(value -> line.append(number(value, WIDTH)));
        } else {
            line.append(number(result.values().get(0), LONE_WIDTH));
        }
        final Map<String, Double> spread = result.spread();
        if (table.isFull()) {
            line.append(number(spread.get("min"), WIDTH)).append(number(spread.get("max"), WIDTH));
            line.append(right(String.valueOf(result.iterations()), COUNT_WIDTH));
        }
        if (table.isChecked()) {
            line.append(right(result.isValid() ? "Pass" : "Fail", WIDTH));
        }
        if (table.isFull()) {
            for (final int percentile : Spread.PERCENTILES) {
                line.append(number(spread.get("p" + percentile), WIDTH));
            }
        }
        extras.forEach(extra -> line.append(number(extra, WIDTH)));
        out.println(line);
        out.flush();
    }

    @Override
    public void end() {
        out.flush();
    }

    private static String left(final String text) {
        return String.format("%-" + SIZE_WIDTH + "s", text);
    }

    private static String right(final String text, final int width) {
        return String.format("%" + width + "s", text);
    }

    private static String number(final Double value, final int width) {
        return value == null ? right("-", width) : String.format(Locale.ROOT, "%" + width + ".2f", value);
    }
}
