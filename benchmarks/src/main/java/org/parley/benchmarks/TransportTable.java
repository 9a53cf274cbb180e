package org.parley.benchmarks;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One table of runs over several transports, which {@code parley bench --compare rc,tcp} has made: the first
 * transport's values, the others', and these as multiples of the first.
 */
public final class TransportTable {
    private static final String JSON_SUFFIX = ".json";
    private static final String RESULTS = "results";
    private static final int SIZE_WIDTH = 10;
    private static final int WIDTH = 14;
    private static final int USAGE = 2;

    private final List<String> transports = new ArrayList<>();

    /** By test, in the order in which they ran, then by bytes: a value for each transport. */
    private final Map<String, Map<Long, Double[]>> tables = new LinkedHashMap<>();

    private TransportTable() {}

    /**
     * Prints it.
     *
     * @param files named after their transports, such as {@code rc.json}; before them may stand {@code --json}, for one
     *     object of all runs
     */
    public static void main(final String[] files) {
        try {
            final boolean isJson = files.length > 0 && files[0].equals("--json");
            final List<Path> paths = new ArrayList<>();
            for (int i = isJson ? 1 : 0; i < files.length; i++) {
                paths.add(Path.of(files[i]));
            }
            if (isJson) {
                System.out.println(joined(paths));
            } else {
                print(paths, System.out);
            }
        } catch (final IOException e) {
            System.err.println("parley bench: cannot compare: " + e.getMessage());
            System.exit(USAGE);
        }
    }

    private static String joined(final List<Path> files) throws IOException {
        Map<String, Object> all = null;
        final List<Object> results = new ArrayList<>();
        for (final Path file : files) {
            final Map<String, Object> run = JSON.std.mapFrom(Files.readString(file));
            all = all == null ? run : all;
            results.addAll((List<?>) run.get(RESULTS));
        }
        if (all != null) {
            all.put(RESULTS, results);
        }
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(all);
    }

    /** Prints a table for each benchmark. */
    static void print(final List<Path> files, final PrintStream out) throws IOException {
        final TransportTable table = new TransportTable();
        for (final Path file : files) {
            final String name = String.valueOf(file.getFileName());
            table.transports.add(name.substring(0, name.length() - JSON_SUFFIX.length()));
        }
        for (int i = 0; i < files.size(); i++) {
            table.read(i, JSON.std.mapFrom(Files.readString(files.get(i))));
        }
        table.tables.forEach((test, rows) -> table.print(test, rows, out));
        out.flush();
    }

    private void read(final int column, final Map<String, Object> run) {
        for (final Object item : (List<?>) run.get(RESULTS)) {
            final Map<?, ?> row = (Map<?, ?>) item;
            final Benchmark benchmark = benchmark(row);
            final Object value = row.get(benchmark.metric().columns().get(0).key());
            tables.computeIfAbsent(benchmark.id(), test -> new LinkedHashMap<>())
                            .computeIfAbsent(
                                    ((Number) row.get("bytes")).longValue(), bytes -> new Double[transports.size()])[
                            column] =
                    ((Number) value).doubleValue();
        }
    }

    private static Benchmark benchmark(final Map<?, ?> row) {
        for (final Benchmark benchmark : Benchmark.values()) {
            if (benchmark.id().equals(row.get("test"))) {
                return benchmark;
            }
        }
        throw new IllegalStateException("no benchmark " + row.get("test"));
    }

    private void print(final String test, final Map<Long, Double[]> rows, final PrintStream out) {
        final Benchmark benchmark = benchmark(Map.of("test", test));
        out.println();
        out.println("# OSU MPI " + benchmark.title() + " Test v7.4 (equivalent; Parley "
                + Environment.version(TransportTable.class) + ")");
        out.println("# " + benchmark.metric().columns().get(0).title() + " over each transport, and as multiples of "
                + transports.get(0));
        final StringBuilder titles = new StringBuilder(String.format("%-" + SIZE_WIDTH + "s", "# Size"));
        transports.forEach(transport -> titles.append(right(transport)));
        transports.stream().skip(1).forEach(transport -> titles.append(right(transport + "/" + transports.get(0))));
        out.println(titles);
        rows.forEach((bytes, values) -> out.println(row(bytes, values)));
    }

    private static String row(final long bytes, final Double... values) {
        final StringBuilder line = new StringBuilder(String.format("%-" + SIZE_WIDTH + "d", bytes));
        for (final Double value : values) {
            line.append(number(value));
        }
        for (int i = 1; i < values.length; i++) {
            line.append(number(values[0] == null || values[i] == null ? null : values[i] / values[0]));
        }
        return line.toString();
    }

    private static String right(final String text) {
        return String.format("%" + WIDTH + "s", text);
    }

    private static String number(final Double value) {
        return value == null ? right("-") : String.format(Locale.ROOT, "%" + WIDTH + ".2f", value);
    }
}
