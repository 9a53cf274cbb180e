package org.parley.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.parley.config.Values;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** What the user wants measured, and how. All ranks read the same arguments. */
@Command(
        name = "parley bench",
        sortOptions = false,
        usageHelpWidth = 100,
        description = {
            "Measures as the OSU Micro-Benchmarks 7 do, and prints their tables.",
            "",
            "Without a name: latency, bw and allreduce, and a summary on standard error."
        },
        footer = {"", "The options of parley run about hosts and ranks are taken as well."})
final class BenchOptions {
    /** What the results are printed as. */
    enum Format {
        OSU,
        CSV,
        JSON
    }

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description = "latency, multi_lat, bw, bibw, mbw_mr, barrier, bcast, allreduce or reduce")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "-n",
            paramLabel = "N",
            description = "Ranks (2); without the launcher they are threads of this JVM.")
    private int ranks = 2;

    @Option(
            names = {"-m", "--message-size"},
            paramLabel = "MIN:MAX",
            description = "Sizes in bytes: MIN and its doubles up to MAX, or just MAX (1:4m; collectives 4:1m).")
    private String sizes;

    @Option(
            names = {"-i", "--iterations"},
            paramLabel = "ITER",
            description = "Iterations of each size. Default: 100000, above 8 KiB 10000 (collectives 5000,"
                    + " bandwidth 10000 and 1000 windows); fewer where a size would take over half a second.")
    private Integer iterations;

    @Option(
            names = {"-x", "--warmup"},
            paramLabel = "WARMUP",
            description = "Iterations of each size that do not count. Default: 2000, above 8 KiB 200 (collectives"
                    + " 100, bandwidth 200 and 20 windows). Besides, an untimed phase before the"
                    + " first size lets the JIT compile.")
    private Integer warmup;

    @Option(
            names = {"--window", "-W"},
            paramLabel = "N",
            description = "Messages under way at once in bw, bibw and mbw_mr (64).")
    private int window = 64;

    @Option(
            names = "--transports",
            paramLabel = "LIST",
            description = "Transports to use, such as shm,tcp, or ^tcp: all but that one.")
    private String transports;

    @Option(
            names = "--buffer",
            paramLabel = "array|direct",
            description = "Where messages lie: on the heap or in native memory (direct).")
    private String buffer = "direct";

    @Option(names = "--format", paramLabel = "osu|csv|json", description = "What is printed on standard output (osu).")
    private String format = "osu";

    @Option(
            names = "--hlog",
            paramLabel = "DIR",
            description = "Write each rank's times of single iterations there (HdrHistogram logs).")
    private Path hlog;

    @Option(
            names = "--full",
            description = "Also minimum, maximum and percentiles of single iterations. Timing them, as"
                    + " --hlog does, too, adds some 20 ns to each.")
    private boolean full;

    @Option(
            names = {"--validate", "-c"},
            description = "Check every payload; a wrong one is an error. Windows above 64 MiB shrink.")
    private boolean validate;

    @Option(
            names = "--compare",
            paramLabel = "LIST",
            description = "Add a column for each: array, direct, or a file written with --format json; or run over each"
                    + " transport (rc,ud,tcp,shm) and print one table.")
    private String compare;

    @Option(
            names = "--baseline",
            paramLabel = "FILE.json",
            description = "Add a column from a run that was kept with --format json.")
    private Path baseline;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    /** Of the launcher, where a job for each transport makes up the main job. */
    @Option(names = "--keep-summary", hidden = true)
    private Path keptSummary;

    @Option(names = "--summary-with", hidden = true)
    private Path earlierSummary;

    /** For tests: leaves out what lets the JIT compile. */
    @Option(names = "--cold", hidden = true)
    private boolean cold;

    private BenchOptions() {}

    /**
     * Reads and checks a command line.
     *
     * @param arguments of the user
     * @throws UsageException if they make no sense
     */
    static BenchOptions parse(final String... arguments) {
        final BenchOptions options = new BenchOptions();
        try {
            commandLine(options).parseArgs(arguments);
        } catch (final UnmatchedArgumentException e) {
            throw new UsageException(unmatched(e));
        } catch (final ParameterException e) {
            throw new UsageException(sentence(e));
        }
        if (!options.help) {
            options.check();
        }
        return options;
    }

    private static CommandLine commandLine(final BenchOptions options) {
        return new CommandLine(options);
    }

    private static String sentence(final ParameterException e) {
        return e.getMessage().replace('\n', ' ');
    }

    private static String unmatched(final UnmatchedArgumentException e) {
        final String wrong = e.getUnmatched().get(0);
        final List<String> known = e.getCommandLine().getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Arrays.stream(option.names()))
                .toList();
        return "unknown option '" + wrong + "'; the nearest is " + Values.nearest(wrong, known);
    }

    private void check() {
        least("-n", ranks, 1);
        least("--window", window, 1);
        if (iterations != null) {
            least("-i", iterations, 1);
        }
        if (warmup != null) {
            least("-x", warmup, 0);
        }
        benchmarks().forEach(benchmark -> benchmark.sizes(sizes));
        buffer();
        format();
    }

    private static void least(final String option, final int value, final int least) {
        if (value < least) {
            throw new UsageException(option + " is " + value + ", must be at least " + least);
        }
    }

    private static <E extends Enum<E>> E choice(final String option, final Class<E> type, final String text) {
        final List<String> known = new ArrayList<>();
        for (final E value : type.getEnumConstants()) {
            final String name = value.name().toLowerCase(Locale.ROOT);
            if (name.equals(text)) {
                return value;
            }
            known.add(name);
        }
        throw new UsageException(option + " is '" + text + "', must be " + String.join(" or ", known));
    }

    /** Returns the text for {@code --help}, or null if it is not asked for. */
    String help() {
        return help ? commandLine(this).getUsageMessage() : null;
    }

    boolean isMainJob() {
        return names.isEmpty();
    }

    /** Returns where the summary is to be kept for a later run, which prints it, or null. */
    Path keptSummary() {
        return keptSummary;
    }

    /** Returns where an earlier run has kept its summary, to be printed with this one's, or null. */
    Path earlierSummary() {
        return earlierSummary;
    }

    List<Benchmark> benchmarks() {
        return isMainJob()
                ? Benchmark.MAIN_JOB
                : names.stream().map(Benchmark::named).distinct().toList();
    }

    int ranks() {
        return ranks;
    }

    /** Returns the sizes as they were written, or null. */
    String sizes() {
        return sizes;
    }

    /** Returns the iterations, or null: by size. */
    Integer iterations() {
        return iterations;
    }

    /** Returns the warm-up, or null: by size. */
    Integer warmup() {
        return warmup;
    }

    int window() {
        return window;
    }

    /** Returns the transports, or null: all. */
    String transports() {
        return transports;
    }

    BufferKind buffer() {
        return choice("--buffer", BufferKind.class, buffer);
    }

    Format format() {
        return choice("--format", Format.class, format);
    }

    /** Returns the folder for histograms, or null. */
    Path hlog() {
        return hlog;
    }

    boolean isFull() {
        return full;
    }

    boolean isValidating() {
        return validate;
    }

    List<String> compare() {
        if (compare == null) {
            return List.of();
        }
        final List<String> found = Arrays.stream(compare.split(","))
                .filter(name -> !name.isBlank())
                .toList();
        if (found.isEmpty()) {
            throw new UsageException("--compare names nothing: it takes array, direct, files or transports");
        }
        return found;
    }

    /** Returns the file to compare with, or null. */
    Path baseline() {
        return baseline;
    }

    boolean isCold() {
        return cold;
    }
}
