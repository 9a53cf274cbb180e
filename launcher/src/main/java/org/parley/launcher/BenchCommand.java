package org.parley.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.parley.config.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code parley bench}: runs {@code org.parley.benchmarks.BenchRank} as the ranks of a job. Neither
 * module knows the other: options about hosts and ranks are taken here, all others are the
 * benchmarks' own and passed on as they are. Rank 0 says what is wrong with them and all ranks exit
 * with 2, about which the launcher then says nothing more.
 */
@Command(
        name = "bench",
        description = "Run benchmarks like those of OSU.",
        versionProvider = Main.Version.class,
        sortOptions = false)
final class BenchCommand implements Callable<Integer> {
    private static final String PROGRAM = "org.parley.benchmarks.BenchRank";

    @Mixin
    RunOptions options;

    @Spec
    CommandSpec self;

    @Override
    public Integer call() {
        final List<String> program = new ArrayList<>();
        program.add(PROGRAM);
        program.addAll(self.commandLine().getUnmatchedArguments());
        final boolean isHelp = program.contains("--help") || program.contains("-h");
        if (isHelp) {
            options.ranks = 1;
        } else if (options.ranks == null) {
            options.ranks = 2;
        }
        final Options resolved = options.resolve();
        final int cores = Runtime.getRuntime().availableProcessors();
        final JobSpec.Program ranks = new Programs(options, resolved).java(null, program);
        return new Job(options.spec(
                        new JobSpec.Program(ranks.command(), true, true), Map.of(), resolved, options.ranks() <= cores))
                .run();
    }
}
