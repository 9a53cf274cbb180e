package org.parley.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.parley.transport.Reason;

/**
 * The columns beside the measured one: other buffers, which are measured as well, and earlier runs
 * that were kept as JSON.
 */
final class Comparisons {
    private static final String JSON_SUFFIX = ".json";

    /** First the one that the table is of. */
    private final List<BufferKind> buffers = new ArrayList<>();

    private final List<String> runTitles = new ArrayList<>();
    private final List<List<?>> runs = new ArrayList<>();

    private Comparisons() {}

    /**
     * Reads what the options name.
     *
     * @param readsFiles whether this rank needs earlier runs
     */
    static Comparisons of(final BenchOptions options, final boolean readsFiles) {
        final Comparisons all = new Comparisons();
        all.buffers.add(options.buffer());
        for (final String name : options.compare()) {
            if (name.endsWith(JSON_SUFFIX)) {
                final String file = String.valueOf(Path.of(name).getFileName());
                all.addRun(file.substring(0, file.length() - JSON_SUFFIX.length()), Path.of(name), readsFiles);
            } else {
                all.addBuffer(name);
            }
        }
        for (final Benchmark benchmark : options.benchmarks()) {
            final long max = benchmark.sizes(options.sizes()).max();
            if (!all.buffers.stream().allMatch(buffer -> buffer.holds(max))) {
                throw new UsageException("an array cannot have " + max + " bytes: use --buffer direct");
            }
        }
        if (options.baseline() != null) {
            all.addRun("Baseline", options.baseline(), readsFiles);
        }
        return all;
    }

    private void addBuffer(final String name) {
        for (final BufferKind kind : BufferKind.values()) {
            if (kind.toString().equals(name)) {
                if (!buffers.contains(kind)) {
                    buffers.add(kind);
                }
                return;
            }
        }
        throw new UsageException(
                "--compare: '" + name + "' is neither array nor direct nor a file that ends in " + JSON_SUFFIX);
    }

    private void addRun(final String title, final Path file, final boolean readsFiles) {
        runTitles.add(title);
        if (!readsFiles) {
            return;
        }
        try {
            final Map<String, Object> run = JSON.std.mapFrom(Files.readString(file));
            if (!JsonReport.SCHEMA.equals(run.get("schema"))) {
                throw new UsageException(
                        file + " is not of schema " + JsonReport.SCHEMA + ": make it with parley bench --format json");
            }
            runs.add(results(run.get("results"), file));
        } catch (final NoSuchFileException e) {
            throw new UsageException("cannot read results from " + file + ": there is no such file");
        } catch (final JsonProcessingException e) {
            throw new UsageException(
                    "cannot read results from " + file + ": it is not a file that --format json wrote");
        } catch (final IOException e) {
            throw new UsageException("cannot read results from " + file + ": " + Reason.of(e));
        }
    }

    private static List<?> results(final Object results, final Path file) {
        if (results instanceof List<?> list && list.stream().allMatch(Map.class::isInstance)) {
            return list;
        }
        throw new UsageException(file + " has no list of results: make it with parley bench --format json");
    }

    /** Returns the buffers to measure; the first is what the table is of. */
    List<BufferKind> buffers() {
        return buffers;
    }

    List<String> titles() {
        final List<String> titles = new ArrayList<>();
        buffers.stream().skip(1).map(BufferKind::toString).forEach(titles::add);
        titles.addAll(runTitles);
        return titles;
    }

    /**
     * Returns the values of a row's further columns.
     *
     * @param row what was measured, by {@link #buffers}
     */
    List<Double> extras(final List<Result> row) {
        final List<Double> extras = new ArrayList<>();
        row.stream().skip(1).map(result -> result.values().get(0)).forEach(extras::add);
        for (final List<?> run : runs) {
            extras.add(find(run, row.get(0)));
        }
        return extras;
    }

    /** Looks for the same measurement; over another transport if not over the same. */
    private static Double find(final List<?> run, final Result like) {
        final String key = like.benchmark().metric().columns().get(0).key();
        Double best = null;
        for (final Object item : run) {
            final Map<?, ?> other = (Map<?, ?>) item;
            if (like.benchmark().id().equals(other.get("test"))
                    && is(other, "ranks", like.ranks())
                    && is(other, "bytes", like.bytes())
                    && like.buffer().toString().equals(other.get("buffer"))
                    && other.get(key) instanceof Number value) {
                if (like.transport().equals(other.get("transport"))) {
                    return value.doubleValue();
                }
                best = best == null ? value.doubleValue() : best;
            }
        }
        return best;
    }

    private static boolean is(final Map<?, ?> row, final String key, final long value) {
        return row.get(key) instanceof Number number && number.longValue() == value;
    }
}
