package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads tables as OSU's readers do: lines that begin with # up to the columns' titles, then rows.
 * Strict on what the real ones always have: the leading blank line, alignment, two decimals.
 *
 * @param test such as {@code Latency}
 * @param notes the lines between title and columns, without their #
 * @param columns the titles
 * @param rows their fields
 */
record OsuTable(String test, List<String> notes, List<String> columns, List<List<String>> rows) {
    private static final Pattern TITLE = Pattern.compile("# OSU MPI (.+) Test v7\\.4 \\(equivalent; Parley \\S+\\)");

    private static final int SIZE_WIDTH = 10;
    private static final int WIDTH = 18;

    /** The one narrow column. */
    private static final String ITERATIONS = "  Iterations";

    /** Reads all tables of a program's standard output. */
    static List<OsuTable> parse(final String output) {
        final List<OsuTable> tables = new ArrayList<>();
        final List<String> lines = output.lines().toList();
        int at = 0;
        while (at < lines.size()) {
            assertThat(lines.get(at++)).as("line before a table").isEmpty();
            final Matcher title = TITLE.matcher(lines.get(at++));
            assertThat(title.matches()).as("title %s", lines.get(at - 1)).isTrue();
            final List<String> notes = new ArrayList<>();
            String header = lines.get(at++);
            while (at < lines.size() && lines.get(at).startsWith("#")) {
                notes.add(header.substring(2));
                header = lines.get(at++);
            }
            final List<String> columns = columns(header);
            final List<List<String>> rows = new ArrayList<>();
            while (at < lines.size() && !lines.get(at).isEmpty()) {
                rows.add(row(lines.get(at++), header, columns));
            }
            tables.add(new OsuTable(title.group(1), notes, columns, rows));
        }
        return tables;
    }

    private static List<String> columns(final String header) {
        final List<String> columns = new ArrayList<>();
        int at = header.startsWith("# Size ") ? SIZE_WIDTH : "# Avg Latency(us)".length();
        columns.add(header.substring(2, at).strip());
        while (at < header.length()) {
            final int end = at + (header.startsWith(ITERATIONS, at) ? ITERATIONS.length() : WIDTH);
            columns.add(header.substring(at, end).strip());
            at = end;
        }
        return columns;
    }

    private static List<String> row(final String line, final String header, final List<String> columns) {
        final List<String> fields = Arrays.asList(line.strip().split(" +"));
        assertThat(fields).as(line).hasSameSizeAs(columns);
        final boolean hasSize = columns.get(0).equals("Size");
        if (hasSize) {
            assertThat(line).as("sizes are left-aligned").matches("\\d.*");
            assertThat(line).as("columns end where their titles end").hasSameSizeAs(header);
        } else {
            assertThat(line).as("a lone value ends under its title").startsWith(" ");
            assertThat(line.length()).isGreaterThanOrEqualTo("# Avg Latency(us)".length());
        }
        for (int i = hasSize ? 1 : 0; i < fields.size(); i++) {
            final String form = switch (columns.get(i)) {
                case "Iterations" -> "\\d+";
                case "Validation" -> "Pass|Fail";
                default -> "\\d+\\.\\d\\d|-";
            };
            assertThat(fields.get(i)).as(columns.get(i)).matches(form);
        }
        return fields;
    }

    List<Long> sizes() {
        return rows.stream().map(row -> Long.parseLong(row.get(0))).toList();
    }

    /** Returns a column's numbers. */
    List<Double> numbers(final String column) {
        final int index = columns.indexOf(column);
        assertThat(index).as(column).isNotNegative();
        return rows.stream().map(row -> Double.parseDouble(row.get(index))).toList();
    }

    /** Returns a column's fields. */
    List<String> fields(final String column) {
        final int index = columns.indexOf(column);
        assertThat(index).as(column).isNotNegative();
        return rows.stream().map(row -> row.get(index)).toList();
    }
}
