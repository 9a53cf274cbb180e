package org.parley.launcher;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.parley.config.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code parley run}: starts the ranks of a job and stays with them until the last has ended. */
@Command(
        name = "run",
        description = "Run a program as several ranks.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false)
final class RunCommand implements Callable<Integer> {
    @Mixin
    RunOptions options;

    @Option(
            names = {"-cp", "-classpath", "--class-path"},
            paramLabel = "PATH",
            description = "Where the program's classes are; else CLASSPATH, else this folder.")
    String classPath;

    @Option(names = "-x", paramLabel = "VAR[=VALUE]", description = "Give ranks a variable of the environment.")
    List<String> variables = new ArrayList<>();

    @Option(names = "--exec", description = "What follows is any program, with its arguments.")
    boolean exec;

    @Parameters(paramLabel = "Main-Class|app.jar [ARGS]", description = "What each rank runs, and its arguments.")
    List<String> program = new ArrayList<>();

    @Override
    public Integer call() {
        if (program.isEmpty()) {
            throw new UsageException("name the class or the jar to run, or with --exec the program");
        }
        final Options resolved = options.resolve();
        final Programs programs = new Programs(options, resolved);
        final JobSpec.Program ranks = exec ? programs.exec(program) : programs.java(classPath, program);
        return new Job(options.spec(ranks, environment(), resolved, false)).run();
    }

    private Map<String, String> environment() {
        final Map<String, String> result = new LinkedHashMap<>();
        for (final String variable : variables) {
            final int equals = variable.indexOf('=');
            if (equals > 0) {
                result.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        if (exec) {
            options.settings.forEach((key, value) -> result.put(Options.variableOf(key), value));
        }
        return result;
    }
}
