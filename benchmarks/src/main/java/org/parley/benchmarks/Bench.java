package org.parley.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.parley.Communicator;
import org.parley.Parley;

/** Measures what the options ask for; every rank has one, rank 0's prints. */
final class Bench {
    private final Parley parley;
    private final Communicator world;
    private final BenchOptions options;
    private final Control control;
    private final PrintStream out;
    private final PrintStream err;
    private final BiFunction<Benchmark, Setup, Workload> maker;
    private final boolean isRoot;
    private final List<Result> results = new ArrayList<>();

    private Environment environment;
    private Comparisons comparisons;
    private HistogramLog log;
    private boolean anyWrong;

    Bench(
            final Parley parley,
            final BenchOptions options,
            final PrintStream out,
            final PrintStream err,
            final BiFunction<Benchmark, Setup, Workload> maker) {
        this.parley = parley;
        this.world = parley.world();
        this.options = options;
        this.control = new Control(world);
        this.out = out;
        this.err = err;
        this.maker = maker;
        this.isRoot = world.rank() == 0;
    }

    /**
     * Measures and prints. Collective.
     *
     * @return exit code
     * @throws UsageException on every rank if one cannot begin; empty where it is another's cause
     */
    int run() {
        prepare();
        environment = Environment.gather(parley, control);
        final Report report = isRoot ? report() : null;
        if (isRoot) {
            environment.lines().forEach(err::println);
        }
        for (final Benchmark benchmark : options.benchmarks()) {
            measure(benchmark, report);
        }
        if (isRoot) {
            report.end();
            if (options.isMainJob()) {
                summarize();
            }
        }
        if (log != null) {
            log.close();
        }
        return control.max(anyWrong ? 1 : 0) == 0 ? 0 : 1;
    }

    private void summarize() {
        final Summary summary = new Summary();
        try {
            if (options.earlierSummary() != null) {
                summary.read(options.earlierSummary());
            }
            summary.add(results);
            if (options.keptSummary() == null) {
                summary.print(err);
            } else {
                summary.write(options.keptSummary());
            }
        } catch (final IOException e) {
            throw new UsageException("cannot keep the summary: " + e.getMessage());
        }
    }

    private void prepare() {
        if (world.size() < 2) {
            throw new UsageException("a benchmark needs 2 ranks or more: give -n 2");
        }
        String problem = "";
        try {
            comparisons = Comparisons.of(options, isRoot);
            if (options.hlog() != null) {
                log = HistogramLog.open(options.hlog(), world.rank());
            }
        } catch (final UsageException e) {
            problem = e.getMessage();
        }
        final List<String> problems = control.gather(problem);
        final String first = isRoot
                ? problems.stream().filter(one -> !one.isEmpty()).findFirst().orElse("")
                : "";
        if (control.agree(first.isEmpty() ? 0 : 1) != 0) {
            throw new UsageException(first);
        }
    }

    private Report report() {
        final String version = Environment.version(Bench.class);
        return switch (options.format()) {
            case OSU -> new OsuReport(out, version);
            case CSV -> new CsvReport(out);
            case JSON -> new JsonReport(out, environment);
        };
    }

    private void measure(final Benchmark benchmark, final Report report) {
        final Sizes sizes = benchmark.sizes(options.sizes());
        final List<Series> variants = new ArrayList<>();
        for (final BufferKind buffer : comparisons.buffers()) {
            final Series series = new Series(benchmark, buffer, sizes);
            variants.add(series);
            series.heat();
        }
        if (isRoot) {
            err.println(repetition(benchmark));
            report.begin(new Report.Table(
                    benchmark,
                    sizes,
                    benchmark.pairs(world),
                    options.window(),
                    options.isFull(),
                    options.isValidating(),
                    comparisons.titles()));
        }
        for (final long bytes : sizes.all()) {
            final List<Result> row = new ArrayList<>();
            for (final Series series : variants) {
                row.add(series.measure(bytes));
            }
            if (isRoot) {
                results.addAll(row);
                report.row(row.get(0), comparisons.extras(row));
            }
        }
        variants.forEach(Series::close);
    }

    private String repetition(final Benchmark benchmark) {
        final Repetition standard = benchmark.repetition();
        final Integer iterations = options.iterations();
        final Integer warmup = options.warmup();
        return benchmark.id() + ": " + options.buffer() + " buffers, iterations "
                + (iterations == null ? standard.small() + ", above 8 KiB at most " + standard.large() : iterations)
                + ", warm-up "
                + (warmup == null ? standard.smallWarmup() + ", above 8 KiB " + standard.largeWarmup() : warmup)
                + (benchmark.hasWindow() ? ", window " + options.window() : "");
    }

    /** One benchmark with one kind of buffer. */
    private final class Series {
        private static final int MOST_TRIES = 5;
        private static final long UNSEEN_NANOS = 500_000_000;

        private final Benchmark benchmark;
        private final BufferKind buffer;
        private final Sizes sizes;
        private final Workload workload;
        private final Recorder recorder;

        /** Numbers iterations, so that no two send the same. */
        private int iteration;

        private String wrong;

        Series(final Benchmark benchmark, final BufferKind buffer, final Sizes sizes) {
            this.benchmark = benchmark;
            this.buffer = buffer;
            this.sizes = sizes;
            this.workload = maker.apply(
                    benchmark, new Setup(world, buffer, sizes.max(), options.window(), options.isValidating()));
            this.recorder = options.isFull() || log != null ? new Recorder() : null;
        }

        void heat() {
            if (!options.isCold()) {
                final double seconds = Heat.up(control, workload, sizes, benchmark.hasWindow() ? options.window() : 1);
                if (isRoot) {
                    err.printf(Locale.ROOT, "%s: the JIT had %.1f s%n", benchmark.id(), seconds);
                }
                // The smallest size, measured first, would still see the last of the compiler's work.
                measureUnseen(sizes.all().iterator().next());
            }
        }

        private void measureUnseen(final long bytes) {
            if (!options.isValidating()) {
                workload.prepare(bytes);
                final Metric.Load load = new Metric.Load(bytes, benchmark.hasWindow() ? options.window() : 1);
                final Pace pace = Pace.choose(control, benchmark, options, load, count -> run(count, null));
                control.barrier();
                final long start = System.nanoTime();
                do {
                    run(pace.iterations(), null);
                } while (control.agree(System.nanoTime() - start) < UNSEEN_NANOS);
            }
        }

        /** A run in which the compiler took a core is not the program's: it is made again, while there is time. */
        Result measure(final long bytes) {
            workload.prepare(bytes);
            control.barrier();
            final int window =
                    benchmark.hasWindow() ? Streaming.window(bytes, options.window(), options.isValidating()) : 0;
            final Metric.Load load = new Metric.Load(bytes, benchmark.messages(Math.max(1, window), world));
            final Pace pace = Pace.choose(control, benchmark, options, load, count -> run(count, null));
            wrong = null;
            final long start = System.nanoTime();
            long begin;
            long nanos;
            boolean again;
            int tries = 0;
            do {
                if (recorder != null) {
                    recorder.histogram().reset();
                }
                control.barrier();
                final long compiled = Heat.compiledNanos();
                begin = System.currentTimeMillis();
                nanos = run(pace.iterations(), recorder);
                again = Heat.compiledNanos() - compiled > nanos / 20;
                again &= ++tries < MOST_TRIES && System.nanoTime() - start < Pace.longest(options);
            } while (!options.isCold() && control.max(again ? 1 : 0) == 1);
            if (log != null && workload.isTimed()) {
                log.write(benchmark, buffer, bytes, begin, recorder.histogram());
            }
            return result(bytes, window, pace, load, nanos);
        }

        private long run(final int iterations, final Recorder into) {
            if (!options.isValidating()) {
                return workload.run(iterations, into);
            }
            long nanos = 0;
            for (int i = 0; i < iterations; i++) {
                workload.fill(++iteration);
                control.barrier();
                nanos += workload.run(1, into);
                if (wrong == null) {
                    wrong = workload.check(iteration);
                }
                control.barrier();
            }
            return nanos;
        }

        private Result result(
                final long bytes, final int window, final Pace pace, final Metric.Load load, final long nanos) {
            final Histogram own = recorder != null && workload.isTimed() ? recorder.histogram() : null;
            final Map<String, Double> spread =
                    options.isFull() ? Spread.gather(control, own, benchmark.metric(), load) : Map.of();
            final List<String> problems = control.gather(wrong == null ? "" : wrong);
            final long[] all = control.gather(workload.isTimed() ? nanos : -1);
            anyWrong |= wrong != null;
            if (!isRoot) {
                return null;
            }
            final boolean isValid = problems.stream().allMatch(String::isEmpty);
            for (int rank = 0; rank < problems.size(); rank++) {
                if (!problems.get(rank).isEmpty()) {
                    err.println(benchmark.id() + ", " + bytes + " bytes, rank " + rank + ": " + problems.get(rank));
                }
            }
            final double mean =
                    LongStream.of(all).filter(one -> one >= 0).average().orElseThrow() / pace.iterations();
            return new Result(
                    benchmark,
                    environment.transport(benchmark),
                    world.size(),
                    buffer,
                    bytes,
                    pace.iterations(),
                    pace.warmup(),
                    window,
                    benchmark.metric().values(load, Math.max(mean, 0.001)),
                    spread,
                    options.isValidating() ? isValid : null);
        }

        void close() {
            workload.close();
        }
    }
}
