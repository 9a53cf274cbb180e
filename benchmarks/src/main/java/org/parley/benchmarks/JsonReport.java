package org.parley.benchmarks;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One object {@code {schema, environment, results}}, printed at the end. */
final class JsonReport implements Report {
    /** Changes when a reader must change. */
    static final String SCHEMA = "parley-bench-1";

    private final PrintStream out;
    private final Environment environment;
    private final List<Map<String, Object>> results = new ArrayList<>();
    private Table table;

    JsonReport(final PrintStream out, final Environment environment) {
        this.out = out;
        this.environment = environment;
    }

    @Override
    public void begin(final Table next) {
        table = next;
    }

    @Override
    public void row(final Result result, final List<Double> extras) {
        final Map<String, Object> row = new LinkedHashMap<>();
        row.put("test", result.benchmark().id());
        row.put("transport", result.transport());
        row.put("ranks", result.ranks());
        row.put("buffer", result.buffer().toString());
        row.put("bytes", result.bytes());
        row.put("iterations", result.iterations());
        row.put("warmup", result.warmup());
        if (result.window() > 0) {
            row.put("window", result.window());
        }
        row.putAll(result.named());
        row.putAll(result.spread());
        if (result.isValid() != null) {
            row.put("valid", result.isValid());
        }
        for (int i = 0; i < extras.size(); i++) {
            row.put(table.extras().get(i), extras.get(i));
        }
        results.add(row);
    }

    @Override
    public void end() {
        final Map<String, Object> all = new LinkedHashMap<>();
        all.put("schema", SCHEMA);
        all.put("environment", environment.asMap());
        all.put("results", results);
        try {
            out.println(JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(all));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        out.flush();
    }
}
