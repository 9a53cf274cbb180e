package org.parley.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.parley.config.Options;
import org.parley.engine.TransportList;
import org.parley.engine.TransportProbe;
import org.parley.transport.Reason;
import org.parley.wireup.Placement;

/**
 * {@code parley bench} and {@code parley perf}: run a program of the benchmarks as the ranks of a
 * job. Neither module knows the other: options about hosts and ranks are taken here, all others are
 * the program's own and handed on as they are. Rank 0 says what is wrong with them, and all ranks
 * exit with 2, of which the launcher then says nothing more.
 */
final class BenchCommand implements Command {
    private static final String HELP = "--help";
    private static final String TABLE = "org.parley.benchmarks.TransportTable";

    /** The benchmarks' own options that a value follows. */
    private static final Set<String> WITH_VALUE = Set.of(
            "-m",
            "--message-size",
            "-i",
            "--iterations",
            "-x",
            "--warmup",
            "--window",
            "-W",
            "--buffer",
            "--format",
            "--hlog",
            "--compare",
            "--baseline");

    private final String name;
    private final String summary;
    private final String program;
    private final List<Flag> flags;

    private BenchCommand(final String name, final String summary, final String program, final List<Flag> flags) {
        this.name = name;
        this.summary = summary;
        this.program = program;
        this.flags = flags;
    }

    static Command bench() {
        return new BenchCommand(
                "bench",
                "Run benchmarks like those of OSU; without a name latency, bw and allreduce.",
                "org.parley.benchmarks.BenchRank",
                RunOptions.without("-f"));
    }

    /** There -n is iterations and -q is queue depth. */
    static Command perf() {
        return new BenchCommand(
                "perf",
                "Run tests of the verbs themselves, below messages, on two ranks.",
                "org.parley.benchmarks.perf.PerfRank",
                RunOptions.without("-f", "-n", "-q"));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String summary() {
        return summary;
    }

    @Override
    public String operands() {
        return "[NAME] [OPTIONS]";
    }

    @Override
    public List<Flag> flags() {
        return flags;
    }

    @Override
    public boolean passesUnknown() {
        return true;
    }

    @Override
    public int run(final Arguments arguments) {
        final RunOptions run = new RunOptions(arguments);
        final Options options = run.options();
        final TransportComparison comparison = "bench".equals(name) ? TransportComparison.of(arguments, flags) : null;
        if (comparison != null) {
            return comparison.run(
                    new Programs(run, options).java("", List.of(TABLE)).command());
        }
        final List<String> transports = isMainJob(arguments) ? transports(options) : List.of();
        return transports.size() < 2 ? run(arguments, List.of(), null) : runOver(transports, arguments);
    }

    /** The main job is one over each transport, and the last one's summary is of all. */
    private int runOver(final List<String> transports, final Arguments arguments) {
        try {
            final Path summary = Files.createTempFile("parley-summary", "");
            try {
                int code = 0;
                for (int i = 0; code == 0 && i < transports.size(); i++) {
                    final List<String> more = new ArrayList<>();
                    if (i > 0) {
                        more.addAll(List.of("--summary-with", summary.toString()));
                    }
                    if (i < transports.size() - 1) {
                        more.addAll(List.of("--keep-summary", summary.toString()));
                    }
                    code = run(arguments, more, "self," + transports.get(i));
                }
                return code;
            } finally {
                Files.deleteIfExists(summary);
            }
        } catch (final IOException e) {
            throw new UsageException("cannot keep results in a file meanwhile: " + Reason.of(e));
        }
    }

    private int run(final Arguments arguments, final List<String> more, final String transports) {
        final List<String> line = new ArrayList<>();
        line.add(program);
        line.addAll(arguments.rest());
        line.addAll(more);
        final boolean isHelp = isHelp(arguments);
        final RunOptions run = new RunOptions(arguments);
        run.defaultRanks(isHelp ? 1 : 2);
        run.transports(transports);
        final Options options = run.options();
        final JobSpec.Program java = new Programs(run, options).java("", line);
        final Placement placement = run.layout().placement();
        boolean fits = true;
        for (int host = 0; host < placement.hosts().size(); host++) {
            fits &= placement.ranksOn(host).size() <= Runtime.getRuntime().availableProcessors();
        }
        final JobSpec.Program ranks = new JobSpec.Program(java.command(), true, List.of(), true);
        return new Job(run.spec(ranks, Map.of(), options, fits)).run();
    }

    private static boolean isHelp(final Arguments arguments) {
        return arguments.rest().contains(HELP) || arguments.rest().contains("-h");
    }

    /** Whether no benchmark is named, no transport, no other host, and the output is one that may go on. */
    private boolean isMainJob(final Arguments arguments) {
        final RunOptions run = new RunOptions(arguments);
        run.defaultRanks(2);
        if (!"bench".equals(name)
                || isHelp(arguments)
                || run.namesTransports()
                || run.layout().placement().hosts().size() > 1) {
            return false;
        }
        final List<String> rest = arguments.rest();
        for (int i = 0; i < rest.size(); i++) {
            final String word = rest.get(i);
            final String value = WITH_VALUE.contains(word) && i + 1 < rest.size() ? rest.get(i + 1) : "";
            if (word.matches("--format=?.*") && !(word + value).endsWith("osu")) {
                return false;
            }
            if (WITH_VALUE.contains(word)) {
                i++;
            } else if (!word.startsWith("-")) {
                return false;
            }
        }
        return true;
    }

    /** Those that carry messages between ranks of this machine. */
    private static List<String> transports(final Options options) {
        final TransportList permitted = TransportList.parse(options.text(Options.TRANSPORTS));
        return TransportProbe.all(options).stream()
                .filter(TransportProbe::available)
                .map(TransportProbe::name)
                .filter(transport -> !"self".equals(transport) && permitted.permits(transport))
                .toList();
    }
}
