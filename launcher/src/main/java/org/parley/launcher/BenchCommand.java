package org.parley.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;

/**
 * {@code parley bench} and {@code parley perf}: run a program of the benchmarks as the ranks of a
 * job. Neither module knows the other: options about hosts and ranks are taken here, all others are
 * the program's own and handed on as they are. Rank 0 says what is wrong with them, and all ranks
 * exit with 2, of which the launcher then says nothing more.
 */
final class BenchCommand implements Command {
    private static final String HELP = "--help";

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
                "org.parley.benchmarks.PerfRank",
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
        final List<String> line = new ArrayList<>();
        line.add(program);
        line.addAll(arguments.rest());
        final boolean isHelp = line.contains(HELP) || line.contains("-h");
        final RunOptions run = new RunOptions(arguments);
        run.defaultRanks(isHelp ? 1 : 2);
        final Options options = run.options();
        final JobSpec.Program java = new Programs(run, options).java("", line);
        final boolean fits = run.ranks() <= Runtime.getRuntime().availableProcessors();
        return new Job(run.spec(new JobSpec.Program(java.command(), true, true), Map.of(), options, fits)).run();
    }
}
